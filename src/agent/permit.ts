/**
 * Whether a call may run [AP-1 … AP-4]: the floor first, then what the person has already allowed, then the
 * person. The question is stored with the call and the hash of its arguments before anybody is asked, and it is
 * decided once: a turn that was killed while it waited, or right after the answer, finds the row as it was.
 */
import { faultPoint } from "#base/fault.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { PlannedCall, PreparedCall } from "./calls.js";
import type { Question } from "./glimpse.js";
import type { TurnParts } from "./turn-parts.js";

export type Leave =
  | { readonly kind: "granted"; readonly reply: string | undefined }
  | { readonly kind: "denied"; readonly text: string }
  | { readonly kind: "parked" };

type ReadyCall = PlannedCall & { readonly prepared: Extract<PreparedCall, { kind: "ready" }> };

export async function permit(turn: TurnParts, call: ReadyCall): Promise<Leave> {
  const { guard, tool, input } = call.prepared;
  switch (guard.kind) {
    case "allow":
      return GRANTED;
    case "refuse":
      return {
        kind: "denied",
        text: `Refused: ${guard.why}. No setting opens this; do it another way or tell the person.`,
      };
    case "ask": {
      // Started before a death, so it had its leave then: the question cannot be asked about a call under way.
      if (call.phase === "started" || turn.isYolo) return GRANTED;
      if (call.approval === undefined && (await turn.journal.grants()).has(guard.grant)) return GRANTED;
      const { grant, why } = guard;
      return putQuestion(turn, call, { kind: "permission", tool: tool.name, summary: tool.summary(input), why, grant });
    }
    case "question":
      return putQuestion(turn, call, { kind: "clarify", tool: tool.name, text: guard.text, choices: guard.choices });
  }
}

const GRANTED: Leave = { kind: "granted", reply: undefined };

async function putQuestion(turn: TurnParts, call: ReadyCall, question: Question): Promise<Leave> {
  const known = call.approval;
  if (known !== undefined && known.answer !== null) return leaveOf(known.answer, known.reply ?? undefined, question);
  const approval = known?.id ?? (await turn.journal.ask(call.id, question));
  faultPoint("approval.asked");
  turn.glimpse({ type: "asking", approval, question });
  const person = await turn.decision(approval, question);
  if (person === undefined) return { kind: "parked" };
  const { answer, reply } = await turn.journal.decide(approval, person);
  faultPoint("approval.decided");
  turn.glimpse({ type: "answered", approval, answer });
  return leaveOf(answer, reply, question);
}

/** Stands for a person's words where there was no person. */
export const NOBODY_ASKED = "nobody could be asked";

function leaveOf(answer: ApprovalAnswer, reply: string | undefined, question: Question): Leave {
  if (answer !== "deny") return { kind: "granted", reply };
  if (reply === NOBODY_ASKED) {
    return { kind: "denied", text: "This needs a person's leave, and nobody could be asked. It was not done." };
  }
  const words = reply === undefined || reply === "" ? "" : ` They said: ${reply}`;
  return {
    kind: "denied",
    text:
      question.kind === "clarify"
        ? `The person did not answer the question.${words}`
        : `The person denied this.${words} Do not try the same by another way; go on without it or ask what they want.`,
  };
}
