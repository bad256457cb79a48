import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import { RuntimeScene, type SceneOptions } from "../../../test/support/runtime-scene.js";
import { type ScriptedReply, scriptedModel } from "../../../test/support/scripted-model.js";
import { Screenful, shownRows } from "../../../test/support/shown.js";
import { createLive } from "./create-live.js";
import type { FeedEvent, NumberedEvent } from "./feed-event.js";
import type { Live } from "./port.js";

const scenes: RuntimeScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.remove();
});

let epoch = 0;
function open(options: SceneOptions | ScriptedReply[]): { scene: RuntimeScene; live: Live; bugs: unknown[] } {
  const scene = new RuntimeScene(Array.isArray(options) ? { models: [scriptedModel(options)] } : options);
  scenes.push(scene);
  return { scene, ...liveOf(scene) };
}

function liveOf(scene: RuntimeScene): { live: Live; bugs: unknown[] } {
  const bugs: unknown[] = [];
  const log = createLogger({ path: `${scene.folder}/talaria.log`, clock: scene.clock });
  const { runtime, store, clock } = scene;
  const live = createLive({ runtime, store, clock, log, epoch: ++epoch, onBug: (error) => void bugs.push(error) });
  return { live, bugs };
}

let said = 0;
async function say(
  { live, scene }: { live: Live; scene: RuntimeScene },
  text: string,
  to?: ConversationId,
  mode?: "queue" | "interrupt" | "steer",
): Promise<ConversationId> {
  const admission = await live.say({
    platform: "cli",
    account: "local",
    eventId: `live-${++said}`,
    to: to === undefined ? { kind: "new" } : { kind: "conversation", id: to },
    text,
    ...(mode === undefined ? {} : { mode }),
    start: { source: "cli", cwd: scene.folder },
    nowMs: scene.clock.nowMs(),
  });
  if (admission.kind !== "admitted") throw new Error(admission.kind);
  return admission.conversation;
}

function watcher(): { event: (event: NumberedEvent) => void; seen: NumberedEvent[] } {
  const seen: NumberedEvent[] = [];
  return { seen, event: (event) => void seen.push(event) };
}

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isSo: () => boolean): Promise<void> {
  for (const giveUpMs = performance.now() + 30_000; !isSo() && performance.now() < giveUpMs; ) await breath();
  expect(isSo()).toBe(true);
}

describe("a live conversation", () => {
  it("[GW-45] takes nothing more once the host stops: what is queued is left to the next", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = scriptedModel(async (_request, index) => {
      if (index === 0) await held;
      return { text: `answer ${index + 1}` };
    });
    const at = open({ models: [model] });
    const id = await say(at, "one");
    await until(() => model.requests.length === 1);
    await say(at, "two", id);
    const stopped = at.live.stop(60_000);
    release();
    await stopped;
    expect((await at.scene.store.queue({ conversation: id, limit: 5 })).map(({ text }) => text)).toEqual(["two"]);
    expect(shownRows(await at.scene.history(id))).toEqual(["user: one", "assistant: answer 1"]);
  });

  it("[CT-1] stores what is said before it works on it, and tells every watcher the same", async () => {
    const at = open([{ text: "hello" }, { text: "again" }]);
    const id = await say(at, "hi");
    await at.live.rest(id);
    const [one, two] = [watcher(), watcher()];
    const picture = await at.live.watch(id, one);
    await at.live.watch(id, two);
    expect(shownRows(picture.messages)).toEqual(["user: hi", "assistant: hello"]);
    await say(at, "and you?", id);
    await at.live.rest(id);
    const spoken = ({ seen }: ReturnType<typeof watcher>) => seen.filter(({ event }) => event.type !== "presence");
    expect(spoken(two)).toEqual(spoken(one));
    expect(spoken(one).map(({ event }) => event.type)).toEqual(["turn-started", "text", "step", "turn-ended"]);
    const seqs = one.seen.map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  it("[FQ-1] shows what is stored and what follows without a gap or a repetition, whenever somebody comes", async () => {
    const steps = 40;
    const scene: RuntimeScene = new RuntimeScene({
      models: [
        scriptedModel(async (_request, index) => {
          for (let n = index % 4; n > 0; n--) await breath();
          return index < steps
            ? { text: `step ${index}`, calls: [{ name: "look", input: { n: index } }] }
            : { text: "the end" };
        }),
      ],
      settings: { stepsMax: 100 },
    });
    scenes.push(scene);
    scene.options = { ...scene.options, tools: [scene.tool("look", "read-only")] };
    scene.restart();
    const at = { scene, ...liveOf(scene) };
    const id = await say(at, "go on");
    const screens: { screen: Screenful; joinedAfter: number }[] = [];
    const first = watcher();
    await at.live.watch(id, first);
    const isOver = (): boolean => first.seen.some(({ event }) => event.type === "turn-ended");
    while (!isOver()) {
      let screen: Screenful | undefined;
      const early: FeedEvent[] = [];
      const picture = await at.live.watch(id, {
        event: ({ event }) => (screen === undefined ? void early.push(event) : screen.take(event)),
      });
      screen = new Screenful(picture.messages);
      for (const { event } of picture.events) screen.take(event);
      for (const event of early) screen.take(event);
      screens.push({ screen, joinedAfter: first.seen.length });
      await breath();
    }
    await at.live.rest(id);
    const stored = shownRows(await scene.store.recent({ conversation: id, limit: 1_000 }));
    expect(stored).toHaveLength(2 * steps + 2);
    expect(screens.length).toBeGreaterThan(10);
    for (const { screen } of screens) expect(screen.shown).toEqual(stored);
  });

  it("catches a watcher up from the number it left off at, once", async () => {
    const at = open([{ text: "one" }, { text: "two" }]);
    const id = await say(at, "a");
    const first = watcher();
    await at.live.watch(id, first);
    await at.live.rest(id);
    const left = first.seen.at(-1)?.seq ?? 0;
    at.live.unwatch(id, first);
    await say(at, "b", id);
    await at.live.rest(id);
    const again = watcher();
    const caught = at.live.watchSince(id, left, again);
    expect(caught).toMatchObject({ kind: "caught-up" });
    const missed = caught.kind === "caught-up" ? caught.missed.map(({ event }) => event.type) : [];
    expect(missed).toEqual(["presence", "turn-started", "text", "step", "turn-ended"]);
    expect(first.seen.at(-1)?.seq).toBe(left);
    expect(at.live.watchSince(id, left - 2 ** 32, again)).toEqual({ kind: "lost" });
  });

  it("[CT-9] continues after a restart what was queued and never taken", async () => {
    const at = open([{ text: "late, but here" }]);
    const id = await at.scene.say("are you there?");
    const next = liveOf(at.scene.restart());
    expect(await next.live.recover()).toEqual({ woken: 1, waiting: 0 });
    await next.live.rest(id);
    expect(shownRows(await at.scene.history(id))).toEqual(["user: are you there?", "assistant: late, but here"]);
  });

  it("queues by default, takes an interrupt at once and a steer into the running turn", async () => {
    const scene = new RuntimeScene({
      models: [
        scriptedModel(async (request, index) => {
          if (index === 0) return { text: "", calls: [{ name: "wait" }] };
          const last = request.messages.findLast(({ role }) => role === "user");
          return { text: `heard ${JSON.stringify(last).includes("left") ? "left" : "nothing"}` };
        }),
      ],
    });
    scenes.push(scene);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const act = async (): Promise<{ kind: "ok"; text: string }> => {
      await gate;
      return { kind: "ok", text: "waited" };
    };
    scene.options = { ...scene.options, tools: [scene.tool("wait", "read-only", { act })] };
    scene.restart();
    const at = { scene, ...liveOf(scene) };
    const id = await say(at, "go");
    await until(() => scene.effects.length === 1);
    await say(at, "go left", id, "steer");
    await say(at, "then this", id);
    release();
    await at.live.rest(id);
    expect(shownRows(await scene.history(id))).toEqual([
      "user: go",
      "tool: waited",
      "user: go left",
      "assistant: heard left",
      "user: then this",
      "assistant: heard nothing",
    ]);
  });

  it("[LS-9] an interrupt ends the running turn, and what was queued behind it is still answered", async () => {
    const at = open([{ hangsAfter: "I think" }, { text: "second" }]);
    const id = await say(at, "first");
    const one = watcher();
    await at.live.watch(id, one);
    await until(() => one.seen.some(({ event }) => event.type === "text"));
    await say(at, "second question", id);
    expect(await at.live.interrupt(id)).toBe(true);
    await at.live.rest(id);
    const ends = one.seen.flatMap(({ event }) => (event.type === "turn-ended" ? [event] : []));
    expect(ends.map(({ report }) => report.outcome)).toEqual(["interrupted-by-user", "completed"]);
    expect(ends[0]?.partial).toBe("I think");
    expect(await at.live.interrupt(id)).toBe(false);
  });
});

describe("the state of a live conversation", () => {
  it("is idle as soon as the end of its last turn is told, and working while something is queued", async () => {
    const at = open([{ text: "hello" }, { text: "again" }]);
    const states: Promise<string>[] = [];
    const id = await say(at, "hi");
    expect(await at.live.state(id)).toBe("working");
    const one = {
      event: ({ event }: NumberedEvent) => void (event.type === "turn-ended" && states.push(at.live.state(id))),
    };
    await at.live.watch(id, one);
    await at.live.rest(id);
    expect(await Promise.all(states)).toEqual(["idle"]);
    at.live.wake(id, true);
    expect(await at.live.state(id)).toBe("idle");
    await at.live.rest(id);
    await say(at, "more", id);
    expect(await at.live.state(id)).toBe("working");
    await at.live.rest(id);
  });
});

describe("a question", () => {
  const asking = (scene: RuntimeScene) => ({
    tools: [scene.tool("risk", "at-most-once", { guard: { kind: "ask", grant: "risk", why: "it is risky" } })],
  });
  function risky(): { scene: RuntimeScene; live: Live; bugs: unknown[] } {
    const scene = new RuntimeScene({
      models: [
        scriptedModel([
          {
            text: "",
            calls: [
              { name: "risk", input: { n: 1 } },
              { name: "risk", input: { n: 2 } },
            ],
          },
          { text: "done" },
        ]),
      ],
    });
    scenes.push(scene);
    scene.options = { ...scene.options, ...asking(scene) };
    scene.restart();
    return { scene, ...liveOf(scene) };
  }
  const questions = (seen: readonly NumberedEvent[]) =>
    seen.flatMap(({ event }) => (event.type === "question" ? [event.approval] : []));

  it("is told one at a time, and the oldest is answered first", async () => {
    const at = risky();
    const id = await say(at, "do both");
    const one = watcher();
    await at.live.watch(id, one);
    await until(() => questions(one.seen).length === 1);
    expect(await at.live.state(id)).toBe("waiting");
    expect(await at.live.answer(id, { answer: "once" })).toEqual({ kind: "decided", answer: "once" });
    await until(() => questions(one.seen).length === 2);
    expect(at.scene.effects).toEqual(["risk:1"]);
    await at.live.answer(id, { answer: "deny" });
    await at.live.rest(id);
    expect(at.scene.effects).toEqual(["risk:1"]);
    expect(await at.live.answer(id, { answer: "once" })).toEqual({ kind: "unknown" });
  });

  it("[CT-10] goes on waiting over a restart, is told to whoever comes, and its answer continues the turn", async () => {
    const at = risky();
    const id = await say(at, "do both");
    const before = watcher();
    await at.live.watch(id, before);
    await until(() => questions(before.seen).length === 1);
    const next = liveOf(at.scene.restart());
    expect(await next.live.recover()).toEqual({ woken: 0, waiting: 1 });
    const one = watcher();
    const picture = await next.live.watch(id, one);
    expect(questions(picture.events)).toEqual(questions(before.seen));
    await next.live.answer(id, { answer: "session" });
    await next.live.rest(id);
    expect(at.scene.effects).toEqual(["risk:1", "risk:2"]);
  });

  it("is answered once, however many answer at the same time", async () => {
    const at = risky();
    const id = await say(at, "do both");
    const one = watcher();
    await at.live.watch(id, one);
    await until(() => questions(one.seen).length === 1);
    const [approval] = questions(one.seen);
    const named = approval === undefined ? {} : { approval };
    const answers = await Promise.all(
      (["once", "deny", "once", "deny"] as const).map((answer) => at.live.answer(id, { answer, ...named })),
    );
    expect(answers.map(({ kind }) => kind).sort()).toEqual([
      "already-decided",
      "already-decided",
      "already-decided",
      "decided",
    ]);
    await until(() => questions(one.seen).length === 2);
    expect(at.scene.effects).toEqual(["risk:1"]);
    expect(one.seen.filter(({ event }) => event.type === "answered")).toHaveLength(1);
  });

  it("an interrupt ends a turn that waits, here and after a restart", async () => {
    const at = risky();
    const id = await say(at, "do both");
    const one = watcher();
    await at.live.watch(id, one);
    await until(() => questions(one.seen).length === 1);
    const next = liveOf(at.scene.restart());
    expect(await next.live.interrupt(id)).toBe(true);
    expect(await next.live.state(id)).toBe("idle");
    expect(at.scene.effects).toEqual([]);
  });
});

describe("a host that stops", () => {
  const closing = async (isStopped: boolean) => {
    let isClosed = false;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: string[] = [];
    const model = scriptedModel(async () => {
      asked.push("asked");
      await gate;
      return { text: "too late" };
    });
    // As the store of a host is once it was closed under work that outlived the drain.
    const wrap = (store: SessionStore): SessionStore =>
      new Proxy(store, {
        get: (target, name, receiver) =>
          isClosed && name !== "close"
            ? () => Promise.reject(new OperationalError("closed", "never", "the store is closed"))
            : Reflect.get(target, name, receiver),
      });
    const { scene, live, bugs } = open({ models: [model], wrap });
    await say({ scene, live }, "hello");
    await until(() => asked.length === 1);
    const stopped = isStopped ? live.stop(1) : undefined;
    scene.clock.advance(1);
    await stopped;
    isClosed = true;
    release();
    const levels = (): string[] =>
      readFileSync(`${scene.folder}/talaria.log`, "utf8").match(/"level":"(?:info|error)"/g) ?? [];
    await until(() => existsSync(`${scene.folder}/talaria.log`));
    return { levels: levels(), bugs };
  };

  it("[HO-6] logs what it cuts as no error", async () => {
    expect(await closing(true)).toEqual({ levels: ['"level":"info"'], bugs: [] });
  });

  it("and one that does not stop logs a store that fails as one", async () => {
    expect(await closing(false)).toEqual({ levels: ['"level":"error"'], bugs: [] });
  });
});
