/** What interceptors answer, in whose words, and what a hook that fails or hangs is worth. */
import { describe, expect, it } from "vitest";
import { HookScene, settled } from "../../test/support/hook-scene.js";
import { ANSWER_CHARS_MAX, askForContext, askToBlock, askToDispatch, askToReplace } from "./ask-hooks.js";
import { type Hook, INTERCEPTOR_TIME_MS } from "./hook.js";

const forever = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw new Error("boom");
};

describe("a hook before a call", () => {
  const ask = (scene: HookScene, hooks: readonly Hook[], signal = new AbortController().signal) =>
    askToBlock(hooks, { tool_name: "terminal" }, { clock: scene.clock, log: scene.log, signal });
  const blocking = (scene: HookScene, name: string, answer: unknown): Hook =>
    scene.hook(name, ["pre_tool_call"], () => answer);

  it.each([
    [{ action: "block", message: "no" }, "no"],
    [{ action: "block", reason: "no" }, "no"],
    [{ decision: "block", reason: "no" }, "no"],
    [{ decision: "deny", reason: "no" }, "no"],
    [{ action: "block" }, "it gave no reason"],
  ])("[HK-4] blocks by %j", async (answer, text) => {
    const scene = new HookScene();
    expect(await ask(scene, [blocking(scene, "a", answer)])).toEqual({ hook: "a", text });
  });

  it.each([undefined, null, "block", 0, [], { action: "allow" }, { message: "block" }, { action: "BLOCK" }])(
    "[HK-4] does not block by %j",
    async (answer) => {
      const scene = new HookScene();
      expect(await ask(scene, [blocking(scene, "a", answer)])).toBeUndefined();
    },
  );

  it("[HK-4] that comes first in the configuration has the word", async () => {
    const scene = new HookScene();
    const slow = scene.hook("slow", ["pre_tool_call"], async () => {
      await settled();
      return { action: "block", message: "first" };
    });
    const quick = blocking(scene, "quick", { action: "block", message: "second" });
    expect(await ask(scene, [slow, quick])).toEqual({ hook: "slow", text: "first" });
  });

  it("[HK-4] that fails denies, with its name and its words", async () => {
    const scene = new HookScene();
    const denied = await ask(scene, [scene.hook("a", ["pre_tool_call"], fail)]);
    expect(denied).toEqual({ hook: "a", text: "it could not be asked: boom" });
    expect(scene.lines).toMatchObject([{ level: "warn", hook: "a", event: "pre_tool_call", error: "boom" }]);
  });

  it("[HK-4] that hangs denies after 5 s, also where several hang", async () => {
    const scene = new HookScene();
    const hooks = ["a", "b", "c"].map((name) => scene.hook(name, ["pre_tool_call"], forever));
    const asked = ask(scene, hooks);
    await settled();
    scene.clock.advance(INTERCEPTOR_TIME_MS);
    expect(await asked).toEqual({ hook: "a", text: "it could not be asked: it did not end within 5 s" });
  });

  it("[HK-4] is not waited for when its turn is interrupted", async () => {
    const scene = new HookScene();
    const interrupt = new AbortController();
    const asked = ask(scene, [scene.hook("a", ["pre_tool_call"], forever)], interrupt.signal);
    interrupt.abort();
    expect(await asked).toBeUndefined();
  });

  it("[HK-4] that listens to something else is not asked", async () => {
    const scene = new HookScene();
    expect(await ask(scene, [scene.hook("a", ["pre_llm_call"], fail)])).toBeUndefined();
    expect(scene.heard).toEqual([]);
  });
});

describe("a hook that may put words in the place of others", () => {
  const name = "transform_tool_result" as const;
  const ask = (scene: HookScene, hooks: readonly Hook[]) => {
    const { signal } = new AbortController();
    return askToReplace(hooks, { name, payload: {} }, { clock: scene.clock, log: scene.log, signal });
  };

  it.each(["new", { text: "new" }, { output: "new" }, { result: "new" }, { response_text: "new" }])(
    "[HK-4] does so by %j",
    async (answer) => {
      const scene = new HookScene();
      expect(await ask(scene, [scene.hook("a", [name], () => answer)])).toEqual({ hook: "a", text: "new" });
    },
  );

  it("[HK-4] leaves them by saying nothing, by failing, and by hanging", async () => {
    const scene = new HookScene();
    const hooks = [
      scene.hook("silent", [name], () => "  "),
      scene.hook("fails", [name], fail),
      scene.hook("odd", [name], () => ({ text: 7 })),
      scene.hook("hangs", [name], forever),
      scene.hook("speaks", [name], () => "words"),
    ];
    const asked = ask(scene, hooks);
    await settled();
    scene.clock.advance(INTERCEPTOR_TIME_MS);
    expect(await asked).toEqual({ hook: "speaks", text: "words" });
  });

  it("[HK-4] says at most so much", async () => {
    const scene = new HookScene();
    const said = await ask(scene, [scene.hook("a", [name], () => "x".repeat(ANSWER_CHARS_MAX + 9))]);
    expect(said?.text).toHaveLength(ANSWER_CHARS_MAX);
  });
});

it("[HK-5] every hook before a request adds its own, in the order of the configuration", async () => {
  const scene = new HookScene();
  const { signal } = new AbortController();
  const hooks = [
    scene.hook("a", ["pre_llm_call"], async () => {
      await settled();
      return { context: "one" };
    }),
    scene.hook("b", ["pre_llm_call"], fail),
    scene.hook("c", ["pre_llm_call"], () => "two"),
  ];
  const added = await askForContext(hooks, {}, { clock: scene.clock, log: scene.log, signal });
  expect(added).toEqual([
    { hook: "a", text: "one" },
    { hook: "c", text: "two" },
  ]);
});

describe("a hook before a message of a platform is handed on", () => {
  const ask = (scene: HookScene, hooks: readonly Hook[]) =>
    askToDispatch(
      hooks,
      { text: "hello" },
      { clock: scene.clock, log: scene.log, signal: new AbortController().signal },
    );
  const answering = (scene: HookScene, name: string, answer: unknown): Hook =>
    scene.hook(name, ["pre_gateway_dispatch"], () => answer);

  it.each([
    [
      { action: "skip", reason: "spam" },
      { kind: "skip", reason: "spam" },
    ],
    [{ action: "skip" }, { kind: "skip", reason: "the hook a gave no reason" }],
    [
      { decision: "block", reason: "no" },
      { kind: "skip", reason: "no" },
    ],
    [
      { action: "rewrite", text: "other" },
      { kind: "rewrite", text: "other" },
    ],
    [{ action: "allow" }, { kind: "allow" }],
    [{ action: "rewrite" }, { kind: "allow" }],
    ["skip", { kind: "allow" }],
    [null, { kind: "allow" }],
  ])("[GW-47] that answers %j has it done", async (answer, wanted) => {
    const scene = new HookScene();
    expect(await ask(scene, [answering(scene, "a", answer)])).toEqual(wanted);
  });

  it("[GW-47] that comes first and says anything has the word", async () => {
    const scene = new HookScene();
    const hooks = [
      answering(scene, "quiet", {}),
      answering(scene, "first", { action: "allow" }),
      answering(scene, "second", { action: "skip" }),
    ];
    expect(await ask(scene, hooks)).toEqual({ kind: "allow" });
  });

  it("[GW-47] that fails, or hangs for 5 s, changes nothing", async () => {
    const scene = new HookScene();
    expect(await ask(scene, [scene.hook("a", ["pre_gateway_dispatch"], fail)])).toEqual({ kind: "allow" });
    const asked = ask(scene, [
      scene.hook("b", ["pre_gateway_dispatch"], forever),
      answering(scene, "c", { action: "rewrite", text: "x" }),
    ]);
    await settled();
    scene.clock.advance(INTERCEPTOR_TIME_MS);
    expect(await asked).toEqual({ kind: "rewrite", text: "x" });
  });
});
