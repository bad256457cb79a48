import { afterEach, describe, expect, it } from "vitest";
import type { SlashCommand } from "#command/command.js";
import { COMMANDS_QUEUED_MAX } from "#session/verbs/chat.js";
import { ADA, BOB, ChatScene, OWNER_OF_HOME } from "../../../test/support/chat-scene.js";
import type { GatewaySceneOptions } from "../../../test/support/gateway-scene.js";
import { PAPER_LIMITS } from "../../../test/support/paper-platform.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";

const scenes: ChatScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

async function open(replies: readonly ScriptedReply[] = [], more: Partial<GatewaySceneOptions> = {}) {
  const scene = await ChatScene.open(replies, more);
  scenes.push(scene);
  return scene;
}

const texts = (...all: string[]): ScriptedReply[] => all.map((text) => ({ text }));
const said = async (scene: ChatScene, id: string): Promise<string[]> => {
  const rows = await scene.scene.history((await scene.conversationOf(id)) as never);
  return rows.filter(({ isSuperseded }) => !isSuperseded).map(({ role, text }) => `${role}: ${text}`);
};

/** One that is not over before the test says so. */
function slowCommand(): { slow: SlashCommand; release: () => void } {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: SlashCommand = {
    name: "slow",
    aliases: [],
    category: "Info",
    arguments: "none",
    summary: "takes its time",
    where: ["chat"],
    who: "anyone",
    run: () => held.then(() => ({ say: ["slowly done"], next: { kind: "stay" } })),
  };
  return { slow, release: () => release() };
}

describe("a command in a chat", () => {
  it("[GW-6] [CT-2] is answered once, however often it is delivered, also to the next host", async () => {
    const at = await open();
    const event = { eventId: "e1" };
    await Promise.all([at.say("/version", event), at.say("/version", event), at.say("/version", event)]);
    await at.shows(["Talaria 0.0.0"]);
    await at.restart();
    await at.say("/version", event);
    await at.pass(3_000);
    expect(at.paper.shown()).toEqual(["Talaria 0.0.0"]);
  });

  it("[GW-6] [CT-1] is acknowledged when it is stored, and not when it could not be", async () => {
    let isFull = true;
    const full = new Error("the disk is full");
    const at = await open([], {
      wrap: (store) => ({
        ...store,
        admitCommand: (args) => (isFull ? Promise.reject(full) : store.admitCommand(args)),
      }),
    });
    await expect(at.say("/version", { eventId: "e1" })).rejects.toThrow("the disk is full");
    isFull = false;
    expect(await at.ask("/version", { eventId: "e1" })).toBe("Talaria 0.0.0");
  });

  it("[CT-7] /status and /stop answer while the agent hangs, and /new leaves it", async () => {
    const at = await open([{ hangsAfter: "half" }, { hangsAfter: "half" }, { text: "fresh" }]);
    await at.say("go");
    const first = await at.conversationOf("1");
    await at.until(async () => (await at.live.state(first as never)) === "working");
    expect(await at.ask("/status")).toMatch(/state: works; \/stop interrupts it/);
    expect(await at.ask("/stop")).toMatch(/interrupted/);
    await at.say("again");
    await at.until(async () => (await at.live.state(first as never)) === "working");
    expect(await at.ask("/new")).toMatch(/^New session\./m);
    expect(await at.conversationOf("1")).not.toBe(first);
  });

  it("[CT-7] a slow one keeps no quick one waiting", async () => {
    const { slow, release } = slowCommand();
    const at = await open([], { parts: { commands: { commands: () => [slow] } } });
    await at.say("/slow");
    await at.say("/slow");
    expect(await at.ask("/version")).toBe("Talaria 0.0.0");
    release();
    await at.shows(["Talaria 0.0.0", "slowly done", "slowly done"]);
  });

  it("[GW-6] beyond those that a chat may wait for is left, and the chat is told so, once a minute", async () => {
    const { slow, release } = slowCommand();
    const at = await open([], { parts: { commands: { commands: () => [slow] } } });
    for (let sent = 0; sent < COMMANDS_QUEUED_MAX; sent++) await at.say("/slow");
    const told = /^Too many of your commands wait/;
    await at.say("/slow");
    await at.say("/version");
    await at.shows([told]);
    await at.pass(50_000);
    await at.say("/version");
    await at.pass(2_000);
    expect(at.paper.shown()).toEqual([expect.stringMatching(told)]);
    await at.pass(10_000);
    await at.say("/version");
    await at.shows([told, told]);
    expect(await at.scene.store.openCommands({ limit: 999 })).toHaveLength(COMMANDS_QUEUED_MAX);
    release();
    await at.until(async () => (await at.scene.store.openCommands({ limit: 1 })).length === 0);
    await at.say("/version");
    await at.until(async () => (await at.scene.store.openCommands({ limit: 1 })).length === 0);
    // Every answer is shown or owed, the last one's too.
    const answers = async (): Promise<number> => {
      const [row] = (await at.scene.store.outboxStanding({ limit: 0 })).open;
      return (row?.pending ?? 0) + (row?.sending ?? 0) + at.paper.shown().length - 2;
    };
    await at.until(async () => (await answers()) === COMMANDS_QUEUED_MAX + 1);
  });

  it("[GW-12] what is said after it comes after it: /new withdraws nothing that follows", async () => {
    const breath = () => new Promise<void>((resolve) => setImmediate(resolve));
    const at = await open(texts("one", "two"), {
      wrap: (store) => ({
        ...store,
        async reset(args) {
          for (let at = 0; at < 50; at++) await breath();
          return store.reset(args);
        },
      }),
    });
    await at.ask("first");
    const old = await at.conversationOf("1");
    await Promise.all([at.say("/new"), at.say("second")]);
    await at.shows(["one", /New session/, "two"]);
    expect(await at.conversationOf("1")).not.toBe(old);
    expect(await said(at, "1")).toEqual(["user: second", "assistant: two"]);
  });

  it("[LS-4] [CM-4] a title before the first message begins the chat's own conversation", async () => {
    const at = await open(texts("hi"));
    expect(await at.ask("/title plans")).toMatch(/“plans”/);
    const begun = await at.conversationOf("1");
    await at.ask("hello");
    expect(await at.conversationOf("1")).toBe(begun);
    const card = await at.scene.store.show({ conversation: begun as never });
    const { id } = await at.scene.store.person({ platform: "paper", account: "main", sender: "1", nowMs: 1 });
    expect(card).toMatchObject({ title: "plans", owner: id, source: "paper" });
  });

  it("says in the person's name what it has to say, once, and the answer comes to the same chat", async () => {
    const at = await open(texts("one", "two", "three", "four"));
    await at.ask("first");
    expect(await at.ask("/retry")).toMatch(/Again: “first”\ntwo/);
    expect(await said(at, "1")).toEqual(["user: first", "assistant: two"]);
    expect(await at.ask("/queue more")).toBe("three");
    expect(await at.ask("/undo")).toMatch(/Taken back.*\n+You had written:\nmore/);
    expect(await said(at, "1")).toEqual(["user: first", "assistant: two"]);
    const told = await at.ask("/background look around");
    expect(told).toMatch(/It works on that in the background/);
    expect(told).toContain("four");
    expect(at.paper.shown("2")).toEqual([]);
  });

  it("is a member's or an owner's, and says so", async () => {
    const at = await open();
    expect(await at.ask("/yolo on")).toBe("/yolo is for the owner of this home.");
    expect(await at.ask("/pair ABCD2345")).toBe("/pair is for the owner of this home.");
    expect(await at.ask("/nonsense")).toMatch(/is not a command here/);
    expect(await at.ask("/quit")).toMatch(/is not a command here/);
    expect(await at.ask("/pair", { by: OWNER_OF_HOME })).toBe("Nobody waits to be let in.");
    expect(await at.ask("/whoami", { by: OWNER_OF_HOME })).toMatch(/may: the owner of this home: everything/);
    expect(await at.ask("/whoami")).toMatch(/may: a member: your own conversations\nplatform: paper\nid there: 1$/);
  });

  it("is announced to hooks with what was typed", async () => {
    const announced: unknown[] = [];
    const at = await open([], { parts: { announce: (name, payload) => void announced.push({ name, ...payload }) } });
    await at.ask("/title  my  plan");
    await at.ask("/nonsense");
    expect(announced).toEqual([
      {
        name: "command:*",
        platform: "paper",
        user_id: "1",
        command: "title",
        raw_command: "/title  my  plan",
        args: "my  plan",
        raw_args: "my  plan",
      },
    ]);
  });

  it("answers within the platform's limits, in lines that a phone shows", async () => {
    const at = await open();
    const help = await at.ask("/help");
    const shown = at.paper.shown();
    expect(shown.length).toBeGreaterThan(1);
    for (const part of shown) expect(part.length).toBeLessThanOrEqual(PAPER_LIMITS.text);
    expect(help).toContain("/stop – interrupt the turn and end its processes");
    for (const line of help.split("\n")) expect(line.length, line).toBeLessThan(80);
    expect(help).not.toMatch(/ {3}/);
    for (const name of ["quit", "diff", "save", "profile", "plugins", "yolo", "restart", "pair"]) {
      expect(help).not.toContain(`/${name} `);
    }
    expect(await at.ask("/start")).toMatch(/Page 1 of/);
  });

  it("[CM-1] is in the platform's menu when anybody may use it", async () => {
    const at = await open();
    const names = at.paper.menus.at(-1)?.map(({ name }) => name) ?? [];
    for (const name of ["new", "stop", "status", "resume", "help"]) expect(names).toContain(name);
    for (const name of ["quit", "yolo", "pair", "restart", "diff"]) expect(names).not.toContain(name);
  });

  it("of many people at once is answered to each", async () => {
    const at = await open([], { account: { allow: ["*"] } });
    const people = Array.from({ length: 80 }, (_, at) => ({ id: `p${at}` }));
    await Promise.all(people.flatMap((by) => [at.say("/version", { by }), at.say("/whoami", { by })]));
    await at.pass(10_000);
    for (const { id } of people) {
      expect(at.paper.shown(id)).toEqual(["Talaria 0.0.0", expect.stringMatching(/^person: /)]);
    }
  });
});

describe("pairing in chats", () => {
  it("[GW-2] [GW-5] a stranger hears one text until an owner lets them in by their code", async () => {
    const at = await open(texts("hello Eve"), { account: { allow: [ADA.id], owners: [OWNER_OF_HOME.id] } });
    const eve = { id: "66", name: "Eve" };
    for (const text of ["hi", "/status", "/help", "yes", "/pair AAAA2222", ""]) await at.say(text, { by: eve });
    await at.say("/status", { by: eve, chat: { type: "group", id: "g", name: "ops" } });
    expect(await at.press("ap:x:once", eve)).toBe("This is not for you.");
    await at.pass(5_000);
    expect(at.paper.shown("66")).toEqual([expect.stringMatching(/Your pairing code: \S{8}/)]);
    expect(at.paper.shown("g")).toEqual([]);
    expect(await at.scene.store.stats({})).toMatchObject({ conversations: 0, routes: 0, open: { inputs: 0 } });
    expect(await at.ask("/pair", { by: OWNER_OF_HOME })).toMatch(/^paper:66 · Eve · for 60 more minutes/);
    const code = /code: (\S+)/.exec(at.paper.shown("66")[0] ?? "")?.[1] ?? "";
    expect(await at.ask("/pair WRONG222", { by: OWNER_OF_HOME })).toMatch(/^That is no code: /);
    expect(await at.ask("/pair WRNG2222", { by: OWNER_OF_HOME })).toMatch(/No such code is out\. 4 more tries/);
    expect(await at.ask(`/pair ${code.toLowerCase()}`, { by: OWNER_OF_HOME })).toBe(
      "Eve, paper:66 is in, and is told.",
    );
    await at.pass(2_000);
    expect(at.paper.shown("66")[1]).toMatch(/^You are in\./);
    expect(await at.ask("hi", { by: eve })).toBe("hello Eve");
    const nowMs = at.scene.clock.nowMs();
    await at.scene.store.revokeAccess({ platform: "paper", account: "main", sender: "66", by: "test", nowMs });
    const before = at.paper.shown("66").length;
    await at.say("/status", { by: eve });
    await at.pass(3_000);
    expect(at.paper.shown("66").slice(before)).toEqual([expect.stringMatching(/pairing code/)]);
  });
});

describe("a conversation in a chat", () => {
  const group = { type: "group", id: "g", name: "ops" } as const;

  it.each([
    ["in direct chats", undefined],
    ["in one group", group],
  ])("[CM-4] is nobody else's to see, resume or name, %s", async (_where, chat) => {
    const at = await open(texts("for Ada", "for Bob"));
    const where = chat === undefined ? {} : { chat };
    await at.ask("my secret plan", where);
    await at.ask("/title adas-plan", where);
    await at.ask("hello from Bob", { by: BOB, ...where });
    const key = chat === undefined ? "1" : "g:1";
    const adas = await at.conversationOf(key, chat === undefined ? "dm" : "group");
    const bob = { by: BOB, ...where };
    for (const line of ["/sessions", "/resume", "/sessions plan", "/agents", "/history"]) {
      const told = await at.ask(line, bob);
      expect(told, line).not.toMatch(/secret|adas-plan/);
      expect(told, line).not.toContain(adas);
    }
    const unknown = (await at.ask("/resume nosuchconversation", bob)).replace("nosuchconversation", "X");
    for (const name of [adas, adas.slice(0, 6), "adas-plan"]) {
      expect((await at.ask(`/resume ${name}`, bob)).replace(name, "X"), name).toBe(unknown);
    }
    // An owner sees it, and Ada comes back to it.
    expect(await at.ask("/sessions", { by: OWNER_OF_HOME })).toContain(adas);
    await at.ask("/new", where);
    expect(await at.ask("/resume adas-plan", where)).toMatch(/You are in/);
    expect(await at.conversationOf(key, chat === undefined ? "dm" : "group")).toBe(adas);
  });

  it("[CM-4] is whose who began it: what an owner begins after looking into another's is not that other's", async () => {
    const at = await open(texts("for Ada", "private"));
    await at.ask("hello");
    const adas = await at.conversationOf("1");
    const by = OWNER_OF_HOME;
    for (const begin of ["/new", "/branch"]) {
      await at.ask(`/resume ${adas}`, { by });
      await at.ask(begin, { by });
      const begun = await at.conversationOf("9");
      expect(begun).not.toBe(adas);
      expect(await at.ask("/sessions"), begin).not.toContain(begun);
      expect(await at.ask(`/resume ${begun}`), begin).toMatch(/No conversation is called/);
    }
  });

  it("is resumed only by who may: two people who try at once stay where they are", async () => {
    const at = await open(texts("a", "b"));
    await at.ask("one");
    await at.ask("two", { by: BOB });
    const [adas, bobs] = [await at.conversationOf("1"), await at.conversationOf("2")];
    await Promise.all([at.say(`/resume ${bobs}`), at.say(`/resume ${adas}`, { by: BOB })]);
    await at.pass(3_000);
    expect([await at.conversationOf("1"), await at.conversationOf("2")]).toEqual([adas, bobs]);
  });
});

describe("a chat that was set aside", () => {
  it("[CT-9] is tried again by /resume alone, as its notice says", async () => {
    const at = await open(texts("one", "two"));
    await at.ask("first");
    const conversation = (await at.conversationOf("1")) as never;
    await at.scene.store.suspendRoutes({ conversation, reason: "it ended the program" });
    expect(await at.ask("second")).toMatch(/was set aside .* Send \/resume/s);
    expect(await at.ask("/resume")).toMatch(/set aside no longer/);
    expect(await at.ask("third")).toBe("two");
    expect(await at.conversationOf("1")).toBe(conversation);
  });
});
