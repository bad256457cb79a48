/** Messages as people read them: who, when, wrapped text without secrets; calls and results of tools in a few lines. */
import { redact } from "#base/redact.js";
import { truncate, visible } from "#base/text-width.js";
import type { Role } from "#session/message.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { formatDateTime, formatPlural } from "../format.js";
import type { Output } from "../output.js";
import { ruled, wrapText } from "./sessions-wrap.js";

const INDENT = "  ";
/** Results of tools are long and seldom read: the first lines, unless asked for with --raw. */
const RESULT_LINES_MAX = 4;
const ARGUMENT_CHARS_MAX = 500;

export interface MessageStyle {
  readonly out: Pick<Output, "paint" | "columns">;
  readonly isRaw: boolean;
}

export function messageLines(row: HistoryRow, style: MessageStyle): string[] {
  const { paint, columns } = style.out;
  const width = Math.min(columns, LINE_CELLS_MAX);
  const name = row.role === "tool" ? `tool ${visible(row.body?.toolName ?? "result")}` : ROLE_NAMES[row.role];
  const head = `${name}  ${formatDateTime(row.atMs)}  #${row.seq}`;
  const marks = marksOf(row);
  return [
    paint.bold(ruled(truncate(marks === "" ? head : `${head}  ${marks}`, width - 4), width)),
    ...textLines(row, style, width - INDENT.length).map((line) => (line === "" ? "" : `${INDENT}${line}`)),
    ...callLines(row, style, width - INDENT.length).map((line) => `${INDENT}${line}`),
  ];
}

/** Longer lines are hard to read, however wide the terminal. */
const LINE_CELLS_MAX = 100;

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  user: "you",
  assistant: "assistant",
  tool: "tool",
  system: "system",
  note: "note",
};

function marksOf(row: HistoryRow): string {
  const marks = [
    row.body?.interrupted === true ? "[interrupted]" : "",
    row.isSuperseded ? "[undone]" : "",
    row.isCarried ? "[carried over]" : "",
  ];
  return marks.filter((mark) => mark !== "").join(" ");
}

function textLines(row: HistoryRow, { out, isRaw }: MessageStyle, cells: number): string[] {
  if (row.text === "") return [];
  // Lines as they were written: for copying. Control characters are taken out all the same.
  if (isRaw) return wrapText(row.text, Number.POSITIVE_INFINITY);
  // Before it is cut: of half a key nobody can tell that it is one.
  const text = redact(row.text);
  if (row.role !== "tool") return wrapText(text, cells);
  const lines = wrapText(text.slice(0, RESULT_LINES_MAX * cells * 2), cells);
  const shown = lines.slice(0, RESULT_LINES_MAX);
  const left = text.split("\n").length - shown.length;
  const isCut = lines.length > shown.length || text.length > RESULT_LINES_MAX * cells * 2;
  const more = left > 0 ? `… ${formatPlural(left, "more line")}` : "… more";
  return [...shown, ...(isCut ? [`${more}; --raw shows all`] : [])].map((line) => out.paint.dim(line));
}

function callLines(row: HistoryRow, { out, isRaw }: MessageStyle, cells: number): string[] {
  const calls = row.body?.toolCalls ?? [];
  return calls.flatMap(({ name, arguments: given }) => {
    const text = `▸ ${visible(name)} ${visible(isRaw ? given : redact(given).slice(0, ARGUMENT_CHARS_MAX))}`;
    return [out.paint.dim(isRaw ? text : truncate(text, cells))];
  });
}

export function messageDocument(row: HistoryRow): Readonly<Record<string, unknown>> {
  return {
    seq: row.seq,
    session: row.session,
    role: row.role,
    text: row.text,
    at: new Date(row.atMs).toISOString(),
    body: row.body ?? null,
    superseded: row.isSuperseded,
    carried: row.isCarried,
    imported: row.isImported,
  };
}
