/**
 * An approval: a question to a person that blocks a turn and survives a restart. It is bound to one call
 * and to the hash of its arguments, and decided once; every later answer learns what was decided.
 */

export type ApprovalAnswer = "once" | "session" | "always" | "deny";

export type ApprovalState =
  | { readonly phase: "pending" }
  | { readonly phase: "decided"; readonly answer: ApprovalAnswer };

export type Decision =
  | { readonly kind: "decided"; readonly answer: ApprovalAnswer }
  | { readonly kind: "already-decided"; readonly answer: ApprovalAnswer };

/** [CT-10] However many answers race, the first is the decision. */
export function decide(state: ApprovalState, answer: ApprovalAnswer): Decision {
  return state.phase === "pending" ? { kind: "decided", answer } : { kind: "already-decided", answer: state.answer };
}
