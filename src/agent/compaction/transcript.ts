/**
 * Messages as lines a summary can be made of: who said what, which tool was called how, bounded per message, without
 * secrets. The output is text about a conversation, never a conversation: nothing in it can be mistaken for a role.
 */
import { redact } from "#base/redact.js";
import type { Message } from "#session/message.js";
import { clip } from "../projection/clean.js";
import { type Piece, pieceOf } from "../projection/piece.js";
import { estimateText } from "../tokens.js";
import { isSummary } from "./summary-message.js";

export const LINE_CHARS_MAX = 6_000;
const ARGUMENTS_CHARS_MAX = 1_500;
/** Tried in turn, until the whole fits. */
const LINE_CHARS = [LINE_CHARS_MAX, 3_000, 1_500, 700, 300, 120] as const;

/** At most that many tokens: every line gets shorter first, then the oldest are left out. */
export function transcript(messages: readonly Message[], tokensMax: number): string {
  const pieces = messages.filter((message) => !isSummary(message)).map(pieceOf);
  let lines: readonly string[] = [];
  for (const chars of LINE_CHARS) {
    lines = pieces.flatMap((piece) => lineOf(piece, chars));
    if (tokensOf(lines) <= tokensMax) return lines.join("\n\n");
  }
  return newestOf(lines, tokensMax);
}

function newestOf(lines: readonly string[], tokensMax: number): string {
  let kept = lines.length;
  let tokens = estimateText(leftOut(lines.length));
  while (kept > 0) {
    tokens += tokensOf(lines.slice(kept - 1, kept));
    if (tokens > tokensMax) break;
    kept--;
  }
  return [leftOut(kept), ...lines.slice(kept)].join("\n\n");
}

const leftOut = (count: number): string => `[${count} older messages left out]`;

function tokensOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + estimateText(line) + 1, 0);
}

export function lineOf(piece: Piece, charsMax: number): readonly string[] {
  switch (piece.kind) {
    case "none":
      return [];
    case "user":
      return [`[person] ${clip(piece.text, charsMax)}`];
    case "result":
      return [`[result of ${piece.name}${piece.isError ? ", failed" : ""}] ${clip(piece.text, charsMax)}`];
    case "assistant": {
      const argumentsMax = Math.min(charsMax, ARGUMENTS_CHARS_MAX);
      const calls = piece.calls.map(
        ({ name, arguments: args }) => `[call of ${name}] ${clip(redact(args), argumentsMax)}`,
      );
      return [...(piece.text === "" ? [] : [`[assistant] ${clip(redact(piece.text), charsMax)}`]), ...calls];
    }
  }
}
