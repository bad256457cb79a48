import { beforeEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { type ToolBench, toolBench } from "../../test/support/tool-bench.js";
import { type ChildOutcome, type ChildRequest, createDelegate } from "./delegate.js";

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

const child = "child-1" as ConversationId;

function delegating(outcome: ChildOutcome): { asked: ChildRequest[]; run: () => ReturnType<ToolBench["run"]> } {
  const asked: ChildRequest[] = [];
  const tool = createDelegate(async (request) => {
    asked.push(request);
    return outcome;
  });
  return { asked, run: () => bench.run(tool, { goal: "count the files", context: "in src", tools: ["read_file"] }) };
}

describe("delegate", () => {
  it("[TC-52] hands the work on under the call's own id, each time the same", async () => {
    const { asked, run } = delegating({ kind: "done", text: "42", conversation: child });
    expect(await run()).toEqual({ kind: "ok", text: "42", body: { child: "done", conversation: child } });
    await run();
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[0]).toMatchObject({
      goal: "count the files",
      context: "in src",
      call: bench.context.call,
      conversation: bench.context.conversation,
      signal: bench.context.signal,
      tools: ["read_file"],
    });
  });

  it.each<[ChildOutcome, string]>([
    [
      { kind: "failed", text: "no model", conversation: child },
      "The child did not finish: no model\n(What it did is in conversation child-1.)",
    ],
    [{ kind: "interrupted", text: "stopped" }, "The child was interrupted: stopped"],
  ])("says what became of a child that ended otherwise: %j", async (outcome, text) => {
    expect(await delegating(outcome).run()).toMatchObject({ kind: "error", text });
  });

  it("says so when a child ended without words", async () => {
    expect(await delegating({ kind: "done", text: "" }).run()).toMatchObject({
      kind: "ok",
      text: "(The child ended without words.)",
    });
  });
});
