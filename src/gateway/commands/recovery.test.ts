import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import { ADA, ChatScene, OWNER_OF_HOME } from "../../../test/support/chat-scene.js";
import type { GatewaySceneOptions } from "../../../test/support/gateway-scene.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";

const scenes: ChatScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

const texts = (...all: string[]): ScriptedReply[] => all.map((text) => ({ text }));
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

type At = "beginCommand" | "finishCommand" | "reset";

/** A scene whose host dies where it is told to: what it waits for there never comes. */
async function mortal(replies: readonly ScriptedReply[] = [], more: Partial<GatewaySceneOptions> = {}) {
  let diesAt: At | undefined;
  const wrap = (store: SessionStore): SessionStore => ({
    ...store,
    beginCommand: (args) => (diesAt === "beginCommand" ? never() : store.beginCommand(args)),
    reset: (args) => (diesAt === "reset" ? never() : store.reset(args)),
    finishCommand: (args) => (diesAt === "finishCommand" ? never() : store.finishCommand(args)),
  });
  const scene = await ChatScene.open(replies, { ...more, wrap });
  scenes.push(scene);
  return {
    scene,
    async dies(at: At, line: string, by: { id: string; name: string } = ADA): Promise<void> {
      diesAt = at;
      await scene.say(line, { by });
      await scene.pass(3_000);
    },
    /** The next host, and what the chat shows from here on. */
    async next(chat = "1"): Promise<string[]> {
      diesAt = undefined;
      const before = scene.paper.shown(chat).length;
      await scene.restart();
      await scene.pass(8_000);
      return scene.paper.shown(chat).slice(before);
    },
    async diesAgain(): Promise<void> {
      diesAt = "finishCommand";
      await scene.restart();
      await scene.pass(3_000);
    },
  };
}

describe("after a death", () => {
  it("[GW-6] a command that was only stored is run, and one that had run is answered, by the next host", async () => {
    const { dies, next } = await mortal();
    await dies("beginCommand", "/version");
    expect(await next()).toEqual(["Talaria 0.0.0"]);
    await dies("finishCommand", "/whoami");
    expect(await next()).toEqual([expect.stringMatching(/^person: Ada/)]);
    expect(await next()).toEqual([]);
  });

  it("[GW-8] what is said in the person's name is said once", async () => {
    const { scene, dies, next } = await mortal(texts("one", "two", "three"));
    await scene.ask("first");
    await dies("finishCommand", "/queue second");
    await next();
    expect(scene.paper.shown().filter((text) => text === "two" || text === "three")).toEqual(["two"]);
  });

  it("[GW-8] /new that had happened is not done again: what was said since is where it was said", async () => {
    const { scene, dies, next } = await mortal(texts("one", "two", "three"));
    await scene.ask("first");
    const old = await scene.conversationOf("1");
    await dies("finishCommand", "/new");
    const fresh = await scene.conversationOf("1");
    expect(fresh).not.toBe(old);
    expect(await next()).toEqual([`Done. You are in ${fresh} now.`]);
    expect(await scene.conversationOf("1")).toBe(fresh);
    expect(await scene.ask("second")).toBe("two");
    expect(await scene.conversationOf("1")).toBe(fresh);
  });

  it("[GW-8] /new that had not happened is done, before what was said after it", async () => {
    const { scene, dies, next } = await mortal(texts("one", "two"));
    await scene.ask("first");
    const old = await scene.conversationOf("1");
    await dies("beginCommand", "/new");
    // Not kept by the host that died: the platform gives it again.
    void scene.say("second", { eventId: "e2" });
    expect((await next())[0]).toMatch(/^New session/);
    await scene.say("second", { eventId: "e2" });
    await scene.pass(3_000);
    expect(scene.paper.shown().at(-1)).toBe("two");
    const rows = await scene.scene.history((await scene.conversationOf("1")) as never);
    expect(rows.map(({ text }) => text)).toEqual(["second", "two"]);
    expect(await scene.conversationOf("1")).not.toBe(old);
  });

  it("[GW-8] /new that was begun and had not happened is done", async () => {
    const { scene, dies, next } = await mortal(texts("one"));
    await scene.ask("first");
    const old = await scene.conversationOf("1");
    await dies("reset", "/new");
    expect(await next()).toEqual([expect.stringMatching(/^New session\./)]);
    expect(await scene.conversationOf("1")).not.toBe(old);
  });

  it("[GW-8] /undo is not done twice: the person is told that it was cut", async () => {
    const { scene, dies, next } = await mortal(texts("one", "two", "three"));
    for (const text of ["first", "second", "third"]) await scene.ask(text);
    await dies("finishCommand", "/undo");
    expect(await next()).toEqual([expect.stringMatching(/^I was restarted while \/undo was at work/)]);
    const rows = await scene.scene.store.recent({ conversation: (await scene.conversationOf("1")) as never, limit: 9 });
    expect(rows.map(({ text }) => text)).toEqual(["first", "one", "second", "two"]);
  });

  it("[GW-10] a command that ended the program three times is given up, with a word", async () => {
    const { dies, diesAgain, next } = await mortal();
    await dies("finishCommand", "/version");
    await diesAgain();
    await diesAgain();
    expect(await next()).toEqual(["/version ended the program several times, so I do not run it again."]);
    expect(await next()).toEqual([]);
  });

  it("[GW-1] nothing is run for somebody who may not speak any more", async () => {
    const { scene, dies, next } = await mortal([], { account: { allow: [], owners: [OWNER_OF_HOME.id] } });
    const { store, clock } = scene.scene;
    await scene.say("hi");
    await scene.pass(2_000);
    const code = /code: (\S+)/.exec(scene.paper.shown()[0] ?? "")?.[1] ?? "";
    await store.approvePairing({ code, role: "owner", by: "test", nowMs: clock.nowMs() });
    await dies("beginCommand", "/version");
    const who = { platform: "paper", account: "main", sender: "1" };
    await scene.scene.store.revokeAccess({ ...who, by: "test", nowMs: clock.nowMs() });
    const shown = await next();
    expect(shown.filter((text) => text.startsWith("Talaria"))).toEqual([]);
    expect(await scene.scene.store.openCommands({ limit: 9 })).toEqual([]);
  });
});

describe("/restart", () => {
  it("[GW-11] answers, restarts, and the next host tells the asking chat once", async () => {
    let restarts = 0;
    const { scene, next } = await mortal([], { parts: { restart: async () => void restarts++ } });
    expect(await scene.ask("/restart", { by: OWNER_OF_HOME })).toMatch(/^Restarting\./);
    expect(restarts).toBe(1);
    expect(await next("9")).toEqual(["Back again."]);
    expect(await next("9")).toEqual([]);
    expect(restarts).toBe(1);
    expect(scene.paper.shown("1")).toEqual([]);
  });

  it("[GW-11] does not begin while the next host could not start, and promises nothing", async () => {
    let restarts = 0;
    const restartObstacle = () => "the settings have a mistake";
    const { scene, next } = await mortal([], { parts: { restart: async () => void restarts++, restartObstacle } });
    expect(await scene.ask("/restart", { by: OWNER_OF_HOME })).toBe(
      "I do not restart, and go on as I am: the settings have a mistake",
    );
    expect(restarts).toBe(0);
    expect(await next("9")).toEqual([]);
  });

  it("is not there where nothing would start another host, and tells when it fails", async () => {
    const { scene } = await mortal();
    expect(await scene.ask("/restart", { by: OWNER_OF_HOME })).toMatch(/not a command here/);
    const restart = () => Promise.reject(new OperationalError("no-unit", "never", "there is no unit"));
    const other = await mortal([], { parts: { restart } });
    await other.scene.say("/restart", { by: OWNER_OF_HOME });
    await other.scene.pass(4_000);
    expect(other.scene.paper.shown("9").at(-1)).toBe("The restart failed: there is no unit");
  });
});

describe("a store or a host in trouble", () => {
  it("is waited for a moment, so that a command has its answer", async () => {
    let failures = 2;
    const busy = new OperationalError("store-busy", "after-delay", "the queue is full");
    const wrap = (store: SessionStore): SessionStore => ({
      ...store,
      finishCommand: (args) => (failures-- > 0 ? Promise.reject(busy) : store.finishCommand(args)),
    });
    const scene = await ChatScene.open([], { wrap });
    scenes.push(scene);
    expect(await scene.ask("/version")).toBe("Talaria 0.0.0");
  });

  it("[CT-8] what fails for a reason is told with it; what a stopping host refuses is the next one's", async () => {
    let code = "safe-mode";
    const wrap = (store: SessionStore): SessionStore => ({
      ...store,
      pairings: (args) =>
        code === "" ? store.pairings(args) : Promise.reject(new OperationalError(code, "after-delay", "not now")),
    });
    const scene = await ChatScene.open([], { wrap });
    scenes.push(scene);
    const by = OWNER_OF_HOME;
    expect(await scene.ask("/pair", { by })).toBe("That failed: not now");
    code = "host-stopping";
    await scene.say("/sessions", { by });
    await scene.say("/pair", { by });
    await scene.pass(3_000);
    expect(scene.paper.shown("9").slice(1)).toEqual(["There is no conversation yet."]);
    // What is said meanwhile neither runs it nor counts as a try.
    for (let at = 0; at < 5; at++) {
      const hearing = scene.say("hello", { by });
      await scene.pass(4_000);
      await hearing;
    }
    code = "";
    const before = scene.paper.shown("9").length;
    await scene.restart();
    await scene.pass(9_000);
    expect(scene.paper.shown("9").slice(before)).toEqual([expect.stringMatching(/restarted while \/pair was at work/)]);
  });
});
