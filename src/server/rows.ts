/** Stored history as the rows of a transcript: what a client shows of a conversation it did not watch. */
import { callOutcome, type TranscriptRow } from "#protocol/shapes.js";
import type { MessageBody } from "#session/message.js";
import type { HistoryRow } from "#session/verbs/reading.js";

/** Of a tool's result in a transcript; whoever wants all of it asks for the message. */
const TOOL_TEXT_CHARS_MAX = 4_000;
const CONTEXT_CHARS_MAX = 80;

export function transcript(rows: readonly HistoryRow[]): TranscriptRow[] {
  return rows.flatMap(shown);
}

function shown(row: HistoryRow): TranscriptRow[] {
  const ours = { seq: row.seq, at: row.atMs / 1000, ...(row.turn === undefined ? {} : { turn_id: row.turn }) };
  switch (row.role) {
    case "user":
      return [{ role: "user", text: row.text, ...ours }];
    case "assistant":
      return assistantRow(row, ours);
    case "tool":
      return [toolRow(row, ours)];
    default:
      return isShown(row.body) && row.text !== "" ? [{ role: "system", text: row.text, ...ours }] : [];
  }
}

/** What a hook added for the model alone is not part of what was said. */
function isShown(body: MessageBody | undefined): boolean {
  return body?.["context"] === undefined && body?.["hookContext"] === undefined;
}

type Ours = { readonly seq: number; readonly at: number; readonly turn_id?: string };

/** One that only asked for tools has no words of its own. */
function assistantRow({ text, body }: HistoryRow, ours: Ours): TranscriptRow[] {
  if (text === "") return [];
  const reasoning = body?.reasoning;
  return [
    {
      role: "assistant",
      text,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(body?.interrupted === true ? { is_interrupted: true } : {}),
      ...ours,
    },
  ];
}

function toolRow({ text, body, call }: HistoryRow, ours: Ours): TranscriptRow {
  const name = body?.toolName ?? "tool";
  const outcome = callOutcome.safeParse(body?.["outcome"]);
  return {
    role: "tool",
    name,
    context: firstLine(text),
    text: text.slice(0, TOOL_TEXT_CHARS_MAX),
    ...(call === undefined ? {} : { tool_id: call }),
    ...(outcome.success ? { outcome: outcome.data } : {}),
    ...ours,
  };
}

export function firstLine(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length <= CONTEXT_CHARS_MAX ? line : `${line.slice(0, CONTEXT_CHARS_MAX - 1)}…`;
}
