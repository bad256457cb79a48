/** The most recent conversations. */
import type { ToolResult } from "../tool.js";
import { type Reach, SEARCH_RESULTS_MAX } from "./reach.js";
import { cut, dateOf, LINE_CHARS_MAX, titleOf } from "./words.js";

const RESULTS_DEFAULT = 10;

export async function browse({ store, own, scope }: Reach, limit = RESULTS_DEFAULT): Promise<ToolResult> {
  const wanted = Math.min(limit, SEARCH_RESULTS_MAX);
  const rows = await store.list({ limit: wanted + 1, ...scope });
  const others = rows.filter(({ id }) => id !== own).slice(0, wanted);
  const body = { conversations: others.map(({ id }) => id) };
  if (others.length === 0) return { kind: "ok", text: "There are no other conversations.", body };
  const lines = others.map(({ id, title, source, activeMs, messages, preview }) => {
    const begins = preview === null ? "" : `\n  began: ${cut(preview, LINE_CHARS_MAX)}`;
    return `${id}  ${titleOf(title)}  (${source}, ${dateOf(activeMs)}, ${messages} messages)${begins}`;
  });
  return { kind: "ok", text: [...lines, "Read one with session=<id>."].join("\n"), body };
}
