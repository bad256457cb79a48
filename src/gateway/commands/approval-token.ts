/** What a button of a question says when it is pressed: which question, and which answer. */
import type { ApprovalId } from "#base/ids.js";
import { BUTTON_TOKEN_MAX } from "#platform/platform.js";
import type { ApprovalAnswer } from "#session/approval.js";

export interface ApprovalToken {
  readonly approval: ApprovalId;
  readonly answer: ApprovalAnswer;
}

export function approvalToken(approval: ApprovalId, answer: ApprovalAnswer): string {
  return `ap:${approval}:${answer}`;
}

/** Undefined for anything else: what comes with a press may be anybody's text. */
export function parseApprovalToken(text: string): ApprovalToken | undefined {
  if (text.length > BUTTON_TOKEN_MAX) return undefined;
  const [, approval, answer] = /^ap:([0-9a-z]{1,40}):(once|session|always|deny)$/.exec(text) ?? [];
  if (approval === undefined || answer === undefined) return undefined;
  return { approval: approval as ApprovalId, answer: answer as ApprovalAnswer };
}
