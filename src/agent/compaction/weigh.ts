/** What stored messages cost in a request, one by one and as a whole. Counted once per message. */
import type { Message, NewMessage } from "#session/message.js";
import { Assembly } from "../projection/assembly.js";
import { pieceOf } from "../projection/piece.js";
import { estimateText, estimateTokens } from "../tokens.js";

/** Of the messages as a request would send them, without opaque parts. */
export function projectedTokens(history: readonly Message[]): number {
  const assembly = new Assembly("");
  assembly.follow(history);
  return estimateTokens({ messages: assembly.messages() });
}

export function weigh(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + weightOf(message), 0);
}

/** Zero exactly for what is never sent. */
export function weightOf(message: Message): number {
  const known = WEIGHTS.get(message);
  if (known !== undefined) return known;
  const weight = count(message);
  WEIGHTS.set(message, weight);
  return weight;
}

/** As they will stand in history, to be projected and counted before they do. */
export function asHistory(messages: readonly NewMessage[]): readonly Message[] {
  return messages.map(({ role, text, body, atMs }, at) => ({
    seq: at + 1,
    role,
    text,
    ...(body !== undefined && { body }),
    isCarried: true,
    atMs: atMs ?? 0,
  }));
}

const WEIGHTS = new WeakMap<Message, number>();

function count(message: Message): number {
  const piece = pieceOf(message);
  if (piece.kind === "none") return 0;
  const calls = piece.kind === "assistant" ? piece.calls : [];
  return 1 + estimateText(piece.text) + calls.reduce((sum, call) => sum + 1 + estimateText(call.arguments), 0);
}
