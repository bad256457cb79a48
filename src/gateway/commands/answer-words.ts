/** Plain words that answer a question, when they are all that is said. */
import type { ApprovalAnswer } from "#session/approval.js";

const WORDS: Readonly<Record<string, ApprovalAnswer>> = {
  yes: "once",
  y: "once",
  ok: "once",
  approve: "once",
  once: "once",
  session: "session",
  always: "always",
  no: "deny",
  n: "deny",
  deny: "deny",
};
const CHARS_MAX = 20;

/** Undefined: it says something else, and is a message. */
export function answerWords(text: string): ApprovalAnswer | undefined {
  if (text.length > CHARS_MAX) return undefined;
  const word = text.trim().replace(/[.!]$/, "").toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
