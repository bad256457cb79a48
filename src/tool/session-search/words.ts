/** Messages and conversations in a few words, each of bounded length. */
import { visible } from "#base/text-width.js";
import type { Role } from "#session/message.js";
import type { HistoryRow } from "#session/verbs/reading.js";

export const LINE_CHARS_MAX = 240;
const TITLE_CHARS_MAX = 80;

/** What was said by somebody, and not for us: summaries and notes are neither. */
export function isSaid({ role }: { readonly role: Role }): boolean {
  return role === "user" || role === "assistant" || role === "tool";
}

export function dateOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
}

export function titleOf(title: string | null): string {
  return title === null ? "(untitled)" : cut(visible(title), TITLE_CHARS_MAX);
}

/** One line: `user: text`, with the names of the tools it called. */
export function lineOf(
  { role, text, body }: Pick<HistoryRow, "role" | "text" | "body">,
  charsMax = LINE_CHARS_MAX,
): string {
  return `${nameOf(role, body)}: ${cut(visible(text.slice(0, 4 * charsMax)), charsMax)}${callsOf(body)}`;
}

export function nameOf(role: Role, body: HistoryRow["body"]): string {
  return role === "tool" && body?.toolName !== undefined ? `tool ${cut(visible(body.toolName), 40)}` : role;
}

export function callsOf(body: HistoryRow["body"]): string {
  const names = (body?.toolCalls ?? []).map(({ name }) => cut(visible(name), 40));
  return names.length === 0 ? "" : ` (calls ${names.slice(0, 8).join(", ")})`;
}

export function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}… (${text.length - charsMax} more)`;
}
