/** Open questions as the wire has them. */
import type { ConversationId } from "#base/ids.js";
import type { Question as SpokenQuestion } from "#protocol/shapes.js";
import type { FeedEvent } from "#runtime/live/feed-event.js";
import type { OpenTurn } from "#session/verbs/turns.js";

export type Question = Extract<FeedEvent, { type: "question" }>["question"];

/** Of one open turn, the unanswered ones in their order. */
export function openQuestions(turn: Pick<OpenTurn, "conversation" | "approvals">): SpokenQuestion[] {
  return turn.approvals
    .filter(({ answer }) => answer === null)
    .map(({ id, question }) => spokenQuestion(turn.conversation, id, question as unknown as Question));
}

function spokenQuestion(conversation: ConversationId, approval: string, question: Question): SpokenQuestion {
  const base = { approval_id: approval, session_id: conversation, tool: question.tool };
  if (question.kind === "clarify") {
    return { ...base, kind: "clarify", text: question.text, choices: [...question.choices] };
  }
  return { ...base, kind: "permission", text: question.summary, why: question.why, grant: question.grant };
}
