import { afterEach, describe, expect, it } from "vitest";
import type { FailureCause } from "#model/model.js";
import { RuntimeScene, type SceneOptions } from "../../test/support/runtime-scene.js";
import { type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";
import type { TurnReport } from "./face.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

/** Runs a turn while the clock is moved through every wait between tries. */
async function turnThroughWaits(text: string): Promise<TurnReport> {
  const conversation = await scene.say(text);
  const running = scene.run(conversation, {
    onGlimpse(glimpse) {
      scene.glimpses.push(glimpse);
      if (glimpse.type === "retrying") setImmediate(() => scene.clock.advance(glimpse.waitMs));
    },
  });
  const [report] = await running;
  if (report === undefined) throw new Error("no turn was run");
  return report;
}

function open(
  first: readonly ScriptedReply[],
  more: Partial<SceneOptions> & { fallback?: readonly ScriptedReply[] } = {},
) {
  const models = [scriptedModel(first, { name: "first" })] as const;
  const next = more.fallback === undefined ? [] : [scriptedModel(more.fallback, { name: "second" })];
  scene = new RuntimeScene({ ...more, models: [...models, ...next] });
  return { first: models[0], second: next[0] };
}

const failing = (failure: FailureCause, times = 100): ScriptedReply[] =>
  Array.from({ length: times }, () => ({ failure }));

describe("a model that fails", () => {
  it.each(["cut", "unreachable", "rate-limited", "overloaded", "empty", "malformed"] as const)(
    "is asked again after %s",
    async (cause) => {
      const { first } = open([{ failure: cause }, { text: "There." }]);
      expect(await turnThroughWaits("hi")).toMatchObject({ outcome: "completed", text: "There." });
      expect(first.requests).toHaveLength(2);
    },
  );

  it("retracts what it had shown before it shows the next try, and stores the answer once", async () => {
    open([{ failure: "cut", partial: "Half an ans" }, { text: "A whole answer." }]);
    const report = await turnThroughWaits("hi");
    expect(scene.glimpses.filter(({ type }) => type === "text" || type === "retracted")).toEqual([
      { type: "text", delta: "Half an ans" },
      { type: "retracted" },
      { type: "text", delta: "A whole answer." },
    ]);
    expect((await scene.history(report.conversation)).map(({ text }) => text)).toEqual(["hi", "A whole answer."]);
  });

  it("hands over to its fallbacks in order, and tells", async () => {
    open(failing("overloaded"), { fallback: [{ text: "From the second." }] });
    expect(await turnThroughWaits("hi")).toMatchObject({ text: "From the second." });
    expect(scene.glimpses).toContainEqual(
      expect.objectContaining({ type: "fallback", from: "test/first", to: "test/second" }),
    );
  });

  it("hands over at once when waiting cannot help", async () => {
    const { first } = open(failing("unauthorised"), { fallback: [{ text: "Here." }] });
    expect(await turnThroughWaits("hi")).toMatchObject({ text: "Here." });
    expect(first.requests).toHaveLength(1);
  });

  it("stays with the fallback for the rest of the turn", async () => {
    const { first } = open(failing("unpaid"), { fallback: [{ calls: [{ name: "look" }] }, { text: "Done." }] });
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    expect(await turnThroughWaits("hi")).toMatchObject({ text: "Done." });
    expect(first.requests).toHaveLength(1);
  });

  it("ends the turn with its own words when the budget of tries is used up [LS-11]", async () => {
    const { first } = open(failing("overloaded"), { settings: { retriesMax: 2 } });
    const report = await turnThroughWaits("hi");
    expect(report).toMatchObject({ outcome: "failed", reason: "scripted overloaded" });
    expect(report.notice).toContain("scripted overloaded");
    expect(first.requests).toHaveLength(3);
    expect((await scene.history(report.conversation)).map(({ role }) => role)).toEqual(["user", "note"]);
  });

  it("waits as long as it was told, and no longer than the turn's budget of waiting", async () => {
    open([{ failure: "rate-limited", retryAfterMs: 20_000 }, { text: "Thanks for waiting." }]);
    expect(await turnThroughWaits("hi")).toMatchObject({ text: "Thanks for waiting." });
    const waited = scene.glimpses.find((glimpse) => glimpse.type === "retrying");
    expect(waited).toMatchObject({ waitMs: expect.toSatisfy((ms: number) => ms >= 20_000) });
    scene.remove();
    const { first } = open([{ failure: "rate-limited", retryAfterMs: 3_600_000 }], {});
    expect(await turnThroughWaits("hi")).toMatchObject({ outcome: "failed" });
    expect(first.requests).toHaveLength(1);
  });

  it("[FQ-1] keeps what was streamed before a final failure, marked as cut", async () => {
    open([{ failure: "filtered", partial: "It begins wi" }]);
    const { conversation } = await turnThroughWaits("hi");
    const rows = await scene.history(conversation);
    expect(rows.map(({ role, text }) => [role, text])).toEqual([
      ["user", "hi"],
      ["assistant", "It begins wi"],
      ["note", "failed: scripted filtered"],
    ]);
    expect(rows[1]?.body).toMatchObject({ interrupted: true });
  });

  it("is not asked again after an interrupt in the middle of a wait", async () => {
    const { first } = open(failing("overloaded"));
    const interrupt = new AbortController();
    const conversation = await scene.say("hi");
    const [report] = await scene.run(conversation, {
      interrupt: interrupt.signal,
      onGlimpse: (glimpse) => glimpse.type === "retrying" && setImmediate(() => interrupt.abort()),
    });
    expect(report).toMatchObject({ outcome: "interrupted-by-user" });
    expect(first.requests).toHaveLength(1);
  });

  it("gets its request once more without private parts when it refuses it", async () => {
    const opaque = [{ kind: "reasoning" as const, text: "hm", metadata: { signature: "s" } }];
    const { first } = open([{ text: "One.", opaque }, { failure: "rejected" }, { text: "Two." }]);
    const { conversation } = await turnThroughWaits("hi");
    await scene.say("and?", conversation);
    const [report] = await scene.run(conversation);
    expect(report).toMatchObject({ outcome: "completed", text: "Two." });
    const sent = first.requests.map(({ messages }) => JSON.stringify(messages).includes("signature"));
    expect(sent).toEqual([false, true, false]);
  });
});
