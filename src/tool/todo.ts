/**
 * `todo`: the list of what is to be done in this conversation. It has no file: the list stands in the newest result,
 * which is history, so that it survives whatever history survives.
 */
import { z } from "zod";
import { defineTool, type ToolResult } from "./tool.js";

export const TODO_ITEMS_MAX = 100;
const TEXT_CHARS_MAX = 500;
const ID_CHARS_MAX = 40;

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

const item = z.strictObject({
  id: z.string().trim().min(1).max(ID_CHARS_MAX).describe("Short and stable: 1, 2, tests."),
  text: z.string().trim().min(1).max(TEXT_CHARS_MAX),
  status: z.enum(STATUSES),
});

type Item = z.infer<typeof item>;

const input = z.strictObject({
  items: z.array(item).max(TODO_ITEMS_MAX).optional().describe("Absent: show the list."),
  merge: z
    .boolean()
    .optional()
    .describe("True: change or add these items by id and keep the others. Otherwise these are the whole list."),
});

export const todoTool = defineTool<z.infer<typeof input>>({
  name: "todo",
  description:
    "Keep a list of steps for work of three or more. Write it when you begin, set one item in_progress while you " +
    "work on it, completed when it is done. Without items: shows the list.",
  input,
  effect: "idempotent",
  limits: { timeMs: 10_000, outputChars: 80_000 },
  summary: ({ items, merge }) =>
    items === undefined ? "show the to-do list" : `${merge ? "update" : "write"} the to-do list (${items.length})`,
  async run({ items, merge = false }, context) {
    if (items === undefined) return show(await recalled(context));
    const known = merge ? await recalled(context) : [];
    const merged = mergeById(known, items);
    if (merged.length > TODO_ITEMS_MAX) {
      return {
        kind: "error",
        text: `The list would have ${merged.length} items; at most ${TODO_ITEMS_MAX} fit. It is as it was.`,
      };
    }
    return show(merged);
  },
});

async function recalled(context: {
  recall(tool: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}): Promise<readonly Item[]> {
  const stored = z.array(item).safeParse((await context.recall("todo"))?.["items"]);
  return stored.success ? stored.data : [];
}

/** The last of several with one id counts; new ones follow in their order. */
function mergeById(known: readonly Item[], items: readonly Item[]): Item[] {
  const merged = new Map(known.map((one) => [one.id, one]));
  for (const one of items) merged.set(one.id, one);
  return [...merged.values()];
}

const MARKS: Readonly<Record<Item["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
};

function show(items: readonly Item[]): ToolResult {
  const body = { items };
  if (items.length === 0) return { kind: "ok", text: "The to-do list is empty.", body };
  const open = items.filter(({ status }) => status === "pending" || status === "in_progress").length;
  const lines = items.map(({ id, text, status }) => `${MARKS[status]} ${id}: ${text}`);
  return { kind: "ok", text: [...lines, `(${open} of ${items.length} open)`].join("\n"), body };
}
