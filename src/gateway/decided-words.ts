/** What a question's message says once it is decided: its own words, and one line with what was decided and by whom. Pure. */
import type { ApprovalAnswer } from "#session/approval.js";
import { HOME_OWNER } from "#session/person.js";
import type { QuestionMessage, QuestionStanding } from "#session/verbs/chat.js";
import { HOW_TO_ANSWER, plainName, SECOND_COPY } from "./words.js";

export type DecidedQuestion = Extract<QuestionStanding, { readonly kind: "decided" }>;

const DECIDED: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allowed once",
  session: "Allowed in this conversation",
  always: "Allowed always",
  deny: "Denied",
};
/** With a name it fits into the room that every message has left. */
const CHOICE_CELLS_MAX = 30;

export function decidedText(
  decided: DecidedQuestion,
  { text, isMarked }: Pick<QuestionMessage, "text" | "isMarked">,
  { isIdempotent }: { readonly isIdempotent: boolean },
): string {
  const hint = HOW_TO_ANSWER.find((words) => text.endsWith(words)) ?? "";
  const asked = text.slice(0, text.length - hint.length).trimEnd();
  const mark = isMarked && !isIdempotent ? `${SECOND_COPY}\n` : "";
  return `${mark}${asked}\n\n→ ${decidedLine(decided)}`;
}

function decidedLine({ question, answer, reply, by }: DecidedQuestion): string {
  if (by === null) return "Not answered: its turn was ended.";
  const who = by.name === null ? (by.id === HOME_OWNER ? "the owner" : "somebody") : plainName(by.name);
  if (question["kind"] !== "clarify") return `${DECIDED[answer]}, by ${who}.`;
  if (answer === "deny") return `Left unanswered, by ${who}.`;
  // Words of one's own may have been said elsewhere, to fewer people; a choice stands above.
  const choices: unknown = question["choices"];
  const isChoice = reply !== null && Array.isArray(choices) && choices.includes(reply);
  return isChoice ? `${plainName(reply, CHOICE_CELLS_MAX)}, says ${who}.` : `Answered, by ${who}.`;
}
