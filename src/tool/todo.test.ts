import { beforeEach, describe, expect, it } from "vitest";
import { type ToolBench, toolBench } from "../../test/support/tool-bench.js";
import { TODO_ITEMS_MAX, todoTool } from "./todo.js";

let bench: ToolBench;
/** The newest result, as history would have it. */
let stored: Readonly<Record<string, unknown>> | undefined;
beforeEach(() => {
  bench = toolBench();
  stored = undefined;
});

async function todo(input: Record<string, unknown>) {
  const result = await bench.run(todoTool, input, {
    recall: async (tool) => (tool === "todo" ? stored : undefined),
  });
  return result;
}

const item = (id: string, status = "pending", text = `do ${id}`) => ({ id, text, status });

describe("todo", () => {
  it("is empty at first, and remembers through its last result", async () => {
    expect((await todo({})).text).toBe("The to-do list is empty.");
    stored = (
      await todo({ items: [item("1", "completed"), item("2", "in_progress"), item("3"), item("4", "cancelled")] })
    ).body;
    expect((await todo({})).text).toBe("[x] 1: do 1\n[>] 2: do 2\n[ ] 3: do 3\n[-] 4: do 4\n(2 of 4 open)");
  });

  it("replaces the list, or merges by id", async () => {
    stored = (await todo({ items: [item("1"), item("2")] })).body;
    expect((await todo({ items: [item("2", "completed"), item("3")], merge: true })).body).toEqual({
      items: [item("1"), item("2", "completed"), item("3")],
    });
    expect((await todo({ items: [item("9")] })).body).toEqual({ items: [item("9")] });
    expect((await todo({ items: [] })).body).toEqual({ items: [] });
  });

  it("[TC-51] is the same list when a call is run again", async () => {
    stored = (await todo({ items: [item("1"), item("2")] })).body;
    const merge = { items: [item("2", "completed"), item("3"), item("3", "in_progress")], merge: true };
    const once = await todo(merge);
    stored = once.body;
    expect(await todo(merge)).toEqual(once);
  });

  it("keeps the list as it was when it would grow beyond its bound", async () => {
    stored = (await todo({ items: Array.from({ length: TODO_ITEMS_MAX }, (_, at) => item(`${at}`)) })).body;
    const result = await todo({ items: [item("one more")], merge: true });
    expect(result).toMatchObject({ kind: "error", text: expect.stringContaining("It is as it was") });
    expect(result.body).toBeUndefined();
  });

  it("takes what it cannot read for an empty list", async () => {
    stored = { items: [{ text: "from elsewhere" }] };
    expect((await todo({})).text).toBe("The to-do list is empty.");
  });
});
