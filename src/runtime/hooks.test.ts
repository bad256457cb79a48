/** Hooks that step into a turn: what they change is stored with what it changed, and nothing else changes. */
import { afterEach, describe, expect, it } from "vitest";
import { ORIGINAL_CHARS_MAX } from "#agent/interceptors.js";
import { HOOK_PREFIX } from "#agent/projection/piece.js";
import type { Hook, HookEvent, Intercepted } from "#hook/hook.js";
import { INTERCEPTOR_TIME_MS } from "#hook/hook.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { Death, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { until } from "../../test/support/hook-scene.js";
import { RuntimeScene, type SceneOptions } from "../../test/support/runtime-scene.js";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
let model: ScriptedModel;
const heard: HookEvent[] = [];
afterEach(() => {
  scene?.remove();
  heard.length = 0;
});

function open(replies: readonly ScriptedReply[], more: Partial<SceneOptions> = {}): RuntimeScene {
  model = scriptedModel(replies);
  scene = new RuntimeScene({ models: [model], ...more });
  return scene;
}

function hook(on: Intercepted, act: (event: HookEvent) => unknown, name = `test:${on}`): Hook {
  return {
    name,
    on: [on],
    call: async (event) => {
      heard.push(event);
      return act(event);
    },
  };
}

async function rows(): Promise<readonly HistoryRow[]> {
  const [conversation] = await scene.store.list({ limit: 1 });
  if (conversation === undefined) throw new Error("no conversation");
  return scene.history(conversation.id);
}
const said = async () => (await rows()).map(({ role, text }) => `${role}: ${text}`);
const CALL = [{ calls: [{ name: "look", input: { n: 1 } }] }, { text: "Done." }];
const forever = (): Promise<never> => new Promise(() => undefined);

describe("a hook before a call", () => {
  it("[HK-4] denies it in its own words, and it never runs", async () => {
    open(CALL);
    const hooks = [hook("pre_tool_call", () => ({ action: "block", message: "not on a Sunday" }))];
    scene.restart({ hooks, tools: [scene.tool("look", "read-only")] });
    expect(await scene.turn("look")).toMatchObject({ outcome: "completed" });
    expect(scene.effects).toEqual([]);
    const [, , result] = await rows();
    expect(result?.text).toBe("Refused: not on a Sunday (by the hook test:pre_tool_call). It was not run.");
    expect(result?.body).toMatchObject({ outcome: "denied" });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", results: [{ isError: true }] });
  });

  it("[HK-4] is told the call and where it belongs, and by saying nothing lets it run", async () => {
    open(CALL);
    scene.restart({ hooks: [hook("pre_tool_call", () => undefined)], tools: [scene.tool("look", "read-only")] });
    const report = await scene.turn("look");
    expect(scene.effects).toEqual(["look:1"]);
    expect(heard).toMatchObject([
      {
        name: "pre_tool_call",
        payload: {
          tool_name: "look",
          args: { n: 1 },
          session_id: report.session,
          conversation_id: report.conversation,
          turn_id: report.turn,
          platform: "cli",
          model: "test/scripted",
          cwd: scene.folder,
        },
      },
    ]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("boom")), "boom"],
    ["hangs", forever, "it did not end within 5 s"],
  ])("[HK-4] that %s denies with its reason", async (_how, act, words) => {
    open(CALL);
    scene.restart({ hooks: [hook("pre_tool_call", act)], tools: [scene.tool("look", "read-only")] });
    const turn = scene.turn("look");
    await until(() => heard.length === 1);
    scene.clock.advance(INTERCEPTOR_TIME_MS);
    expect(await turn).toMatchObject({ outcome: "completed", text: "Done." });
    expect(scene.effects).toEqual([]);
    expect((await said())[2]).toContain(`it could not be asked: ${words} (by the hook test:pre_tool_call)`);
  });

  it("[HK-4] is asked before a person is; what it blocks nobody is asked about", async () => {
    open(CALL);
    const guard = { kind: "ask", grant: "look", why: "it is deep" } as const;
    const hooks = [hook("pre_tool_call", () => ({ decision: "block", reason: "no" }))];
    scene.restart({ hooks, tools: [scene.tool("look", "read-only", { guard })] });
    const person = scene.person({ answer: "once" });
    await scene.turn("look", undefined, { ask: person.ask });
    expect(person.asked).toEqual([]);
  });

  it("[HK-4] is not asked about a call that the floor refuses", async () => {
    open(CALL);
    const tools = [scene.tool("look", "read-only", { guard: { kind: "refuse", why: "never" } })];
    scene.restart({ hooks: [hook("pre_tool_call", () => undefined)], tools });
    await scene.turn("look");
    expect(heard).toEqual([]);
  });

  it("[HK-4] does not hold a turn that a person interrupts", async () => {
    open(CALL);
    const interrupt = new AbortController();
    scene.restart({ hooks: [hook("pre_tool_call", forever)], tools: [scene.tool("look", "read-only")] });
    const turn = scene.turn("look", undefined, { interrupt: interrupt.signal });
    await until(() => heard.length === 1);
    interrupt.abort();
    expect(await turn).toMatchObject({ outcome: "interrupted-by-user" });
    expect(scene.effects).toEqual([]);
  });
});

describe("a hook after a call", () => {
  it("[HK-4] puts its words in the place of the result; the tool's own stay beside them", async () => {
    open(CALL);
    const hooks = [hook("transform_tool_result", ({ payload }) => `${String(payload["result"])}, it seems`)];
    scene.restart({ hooks, tools: [scene.tool("look", "read-only")] });
    await scene.turn("look");
    const [, , result] = await rows();
    expect(result).toMatchObject({ text: "look is done, it seems", body: { original: "look is done", outcome: "ok" } });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("look is done, it seems");
  });

  it("[HK-4] keeps a long original as far as it goes, and says that it was cut", async () => {
    open(CALL);
    const act = () => ({ kind: "ok" as const, text: "x".repeat(9_999) });
    const hooks = [hook("transform_tool_result", () => "short")];
    const tool = scene.tool("look", "read-only", { act });
    scene.restart({ hooks, tools: [{ ...tool, limits: { ...tool.limits, outputChars: 100_000 } }] });
    await scene.turn("look");
    expect((await rows())[2]?.body).toMatchObject({ original: "x".repeat(9_999) });
    expect(ORIGINAL_CHARS_MAX).toBeGreaterThan(9_999);
  });

  it("[HK-4] of the terminal hears its output and exit code", async () => {
    open([{ calls: [{ name: "terminal", input: { n: 1 } }] }, { text: "Done." }]);
    const act = () => ({ kind: "ok" as const, text: "a secret", body: { exitCode: 0 } });
    const hooks = [
      hook("transform_terminal_output", () => ({ text: "***" })),
      hook("transform_tool_result", ({ payload }) => `${String(payload["result"])}!`),
    ];
    scene.restart({ hooks, tools: [scene.tool("terminal", "at-most-once", { act })] });
    await scene.turn("run");
    expect(heard[0]?.payload).toMatchObject({ output: "a secret", returncode: 0 });
    expect((await rows())[2]).toMatchObject({ text: "***!", body: { original: "a secret" } });
  });

  it("[HK-4] that fails changes nothing", async () => {
    open(CALL);
    const hooks = [hook("transform_tool_result", () => Promise.reject(new Error("boom")))];
    scene.restart({ hooks, tools: [scene.tool("look", "read-only")] });
    await scene.turn("look");
    const [, , result] = await rows();
    expect(result?.text).toBe("look is done");
    expect(result?.body).not.toHaveProperty("original");
  });
});

describe("a hook after the answer", () => {
  it("[HK-4] puts its words in its place: told, stored and shown, with the original beside them", async () => {
    open([{ text: "It is 42." }], { hooks: [hook("transform_llm_output", () => "It is a number.")] });
    expect(await scene.turn("what is it?")).toMatchObject({ text: "It is a number." });
    expect((await rows())[1]).toMatchObject({ text: "It is a number.", body: { original: "It is 42." } });
    const shown = scene.glimpses.filter(({ type }) => type === "text" || type === "retracted" || type === "step");
    expect(shown.map((glimpse) => ("delta" in glimpse ? glimpse.delta : glimpse.type))).toEqual([
      "It is 42.",
      "retracted",
      "It is a number.",
      "step",
    ]);
  });

  it("[HK-4] [LS-12] leaves it as it is by saying nothing, and by failing", async () => {
    const hooks = [
      hook("transform_llm_output", () => Promise.reject(new Error("boom")), "a"),
      hook("transform_llm_output", () => undefined, "b"),
    ];
    open([{ text: "  It is 42.\n" }], { hooks });
    expect(await scene.turn("what is it?")).toMatchObject({ text: "  It is 42.\n" });
    expect((await rows())[1]?.body).not.toHaveProperty("original");
  });
});

describe("a hook before the first request", () => {
  const rain = () => hook("pre_llm_call", () => ({ context: "It rains." }));

  it("[HK-5] adds to what the person said, for the model, and not to their words", async () => {
    open([{ text: "Take an umbrella." }], { hooks: [rain()] });
    await scene.turn("shall I go out?");
    expect(model.requests[0]?.messages).toEqual([
      { role: "user", text: `shall I go out?\n\n${HOOK_PREFIX}\nIt rains.` },
    ]);
    expect(await said()).toEqual([
      "user: shall I go out?",
      "note: context added by test:pre_llm_call",
      "assistant: Take an umbrella.",
    ]);
    expect(heard[0]?.payload).toMatchObject({ user_message: "shall I go out?", is_first_turn: true });
  });

  it("[HK-5] [MD-21] is asked once a turn, and what it added stays byte for byte in later requests", async () => {
    open([{ calls: [{ name: "look" }] }, { text: "Yes." }, { text: "Still." }]);
    scene.restart({ hooks: [rain()], tools: [scene.tool("look", "read-only")] });
    const { conversation } = await scene.turn("shall I go out?");
    await scene.turn("and now?", conversation);
    expect(heard.map(({ payload }) => payload["is_first_turn"])).toEqual([true, false]);
    const [first, second, third] = model.requests.map(({ messages }) => messages);
    expect(second?.slice(0, 1)).toEqual(first);
    expect(third?.slice(0, 3)).toEqual(second);
    expect(third).toHaveLength(5);
  });

  it("[HK-5] that has nothing to say stores nothing", async () => {
    open([{ text: "Yes." }], { hooks: [hook("pre_llm_call", () => undefined)] });
    await scene.turn("hello");
    expect(await said()).toEqual(["user: hello", "assistant: Yes."]);
  });

  it("[HK-5] [CT-10] is not asked again by who goes on after a death", async () => {
    open([{ text: "Take an umbrella." }, { text: "Take an umbrella." }]);
    const count: WriteCount = { writes: 0, verbs: [] };
    const conversation = await scene.say("shall I go out?");
    const plan = { at: 4, when: "after" } as const;
    scene.restart({ hooks: [rain()], wrap: (store) => dyingStore(store, plan, count) });
    await expect(scene.run(conversation)).rejects.toBeInstanceOf(Death);
    expect(count.verbs).toContain("addContext");
    scene.restart({ wrap: (store) => store });
    await scene.run(conversation);
    expect(heard).toHaveLength(1);
    expect((await said()).filter((line) => line.startsWith("note: context"))).toHaveLength(1);
    expect(model.requests.at(-1)?.messages).toEqual([
      { role: "user", text: `shall I go out?\n\n${HOOK_PREFIX}\nIt rains.` },
    ]);
  });
});

it("[HK-6] a request to a provider is announced before and after, also when it fails", async () => {
  const listens = { name: "a", on: ["pre_api_request", "api_request_error"], call: async () => undefined } as const;
  open([{ failure: "rejected", message: "no" }], { hooks: [listens] });
  await scene.turn("hello");
  expect(scene.announced.map(({ name }) => name)).toEqual(["pre_api_request", "api_request_error"]);
  expect(scene.announced[1]?.payload).toMatchObject({ model: "test/scripted", error: "no", error_type: "rejected" });
});

it("[HK-1] a turn without hooks asks the store for nothing more than it ever did", async () => {
  const plain: WriteCount = { writes: 0, verbs: [] };
  open(CALL);
  scene.restart({ tools: [scene.tool("look", "read-only")], wrap: (store) => dyingStore(store, undefined, plain) });
  await scene.turn("look");
  expect(plain.verbs).not.toContain("addContext");
  expect(plain.verbs).not.toContain("startCalls");
});
