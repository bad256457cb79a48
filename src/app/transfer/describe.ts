/** What the readable forms say about a conversation and a message, in words. */
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";

export function titleOf({ title, preview }: Pick<ConversationCard, "title" | "preview">): string {
  return title ?? preview ?? "Untitled conversation";
}

/** Local time, sortable. */
export function whenOf(atMs: number): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "?";
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function factsOf(card: ConversationCard): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string | null])[] = [
    ["Id", card.id],
    ["From", card.source],
    ["Model", card.model],
    ["Began", whenOf(card.createdMs)],
    ["Last used", whenOf(card.activeMs)],
    ["Messages", card.messages.toLocaleString("en-US")],
    ["Branched from", card.parent?.conversation ?? null],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

const SPEAKERS: Readonly<Record<HistoryRow["role"], string>> = {
  user: "You",
  assistant: "Assistant",
  tool: "Tool result",
  system: "System",
  note: "Note",
};

export function speakerOf(row: HistoryRow): string {
  const name = row.body?.toolName;
  return row.role === "tool" && name !== undefined ? `${SPEAKERS.tool}: ${name}` : SPEAKERS[row.role];
}

/** Marks that stand beside the speaker's name. */
export function marksOf(row: HistoryRow): readonly string[] {
  return [
    ...(row.isSuperseded ? ["undone"] : []),
    ...(row.isCarried ? ["carried over"] : []),
    ...(row.body?.interrupted === true ? ["interrupted"] : []),
    ...(row.body?.["observed"] === true ? ["overheard"] : []),
  ];
}

/** Arguments as people read JSON; text that is none stays as it is. */
export function argumentsOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
