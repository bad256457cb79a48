/**
 * An approval: a question to a person that blocks a turn and survives a restart. It is bound to one call
 * and to the hash of its arguments, and decided once; every later answer learns what was decided.
 */
import type { ConversationId } from "#base/ids.js";

export type ApprovalAnswer = "once" | "session" | "always" | "deny";

export type ApprovalState =
  | { readonly phase: "pending" }
  | { readonly phase: "decided"; readonly answer: ApprovalAnswer };

export type Decision =
  | { readonly kind: "decided"; readonly answer: ApprovalAnswer }
  | { readonly kind: "already-decided"; readonly answer: ApprovalAnswer };

/**
 * What a person allowed beyond one call: `session` covers the conversation, `always` everything of its owner.
 * The name is the question's `grant`; revoking a grant makes the next such call ask again.
 */
export interface Grant {
  readonly name: string;
  /** Null: always. */
  readonly conversation: ConversationId | null;
  readonly atMs: number;
}

/** A longer reply is refused with a message; nothing is cut silently. */
export const APPROVAL_REPLY_CHARS_MAX = 100_000;
export const GRANT_NAME_CHARS_MAX = 1_000;

/**
 * What an answer of `session` or `always` to this question grants, if it names something. A name that cannot be kept as it
 * is (too long, or not text that a database compares whole) grants nothing: the next such call asks again.
 */
export function grantNamed(question: Readonly<Record<string, unknown>>): string | null {
  const name = question["grant"];
  if (typeof name !== "string" || name === "" || name.length > GRANT_NAME_CHARS_MAX) return null;
  return name.isWellFormed() && !name.includes("\0") ? name : null;
}

/** [CT-10] However many answers race, the first is the decision. */
export function decide(state: ApprovalState, answer: ApprovalAnswer): Decision {
  return state.phase === "pending" ? { kind: "decided", answer } : { kind: "already-decided", answer: state.answer };
}
