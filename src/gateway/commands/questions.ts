/**
 * Questions of turns, answered in chats: by a button, or by a message that is nothing but the answer. Decided once, by
 * whoever said what the turn works on or by an owner [CT-10] [GW-7]; everybody else learns that it is not theirs.
 */
import type { ApprovalId } from "#base/ids.js";
import { oneLine } from "#command/text.js";
import { mayAnswer } from "#command/whose.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { AskedQuestion } from "#session/verbs/chat.js";
import type { GatewayParts } from "../gateway.js";
import type { Heard, KnownPerson } from "../heard.js";
import { answerWords } from "./answer-words.js";
import { approvalToken, parseApprovalToken } from "./approval-token.js";

export type QuestionParts = Pick<GatewayParts, "store" | "live" | "approvals">;

/** The choice that a number names; more are not shown to anybody. */
const CHOICES_MAX = 99;

const DECIDED: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allowed once.",
  session: "Allowed in this conversation.",
  always: "Allowed always.",
  deny: "Denied.",
};

/**
 * What an answer to a question is kept as: a line that names the question, so that it never answers another one. Who asked
 * for something that owners alone may allow is told so when they try.
 */
export function answerLine(heard: Heard, question: AskedQuestion): string | undefined {
  const { text, media = [] } = heard.incoming;
  if (media.length > 0 || text.trim() === "" || !mayAnswer(heard.person, question, "author")) return undefined;
  if (question.question["kind"] === "clarify") return `${approvalToken(question.approval, "once")} ${text}`;
  const answer = answerWords(text);
  return answer === undefined ? undefined : approvalToken(question.approval, answer);
}

export interface KeptAnswer {
  readonly approval: ApprovalId;
  readonly answer: ApprovalAnswer;
  readonly reply?: string;
}

/** Undefined for a line that is a command. */
export function parseAnswerLine(line: string): KeptAnswer | undefined {
  const [, token = "", reply] = /^(ap:\S+)(?: (.*))?$/s.exec(line) ?? [];
  const parsed = parseApprovalToken(token);
  return parsed && { ...parsed, ...(reply === undefined ? {} : { reply }) };
}

/** In a few words. The question is judged again: who might answer then may not now. */
export async function decide(
  { store, live, approvals }: QuestionParts,
  person: KnownPerson,
  { approval, answer, reply }: KeptAnswer,
): Promise<string> {
  const asked = await store.question({ approval });
  if (asked === null) return "That question is gone.";
  if (asked.answer !== null) return alreadyText(asked.answer);
  if (!mayAnswer(person, asked, approvals)) {
    const isOwners = approvals === "owner" && asked.question["kind"] !== "clarify";
    return `Only ${isOwners ? "an owner" : `${nameOf(asked)} or an owner`} may answer this.`;
  }
  const words = reply === undefined ? {} : { reply: chosen(asked, reply) };
  const decision = await live.answer(asked.conversation, { approval, answer, ...words, by: person.id });
  switch (decision.kind) {
    case "decided":
      return asked.question["kind"] === "clarify" ? "Thank you, I go on." : DECIDED[decision.answer];
    case "already-decided":
      return alreadyText(decision.answer);
    case "too-long":
      return "That is too long for an answer.";
    case "unknown":
      return "That question is gone.";
  }
}

function alreadyText(answer: ApprovalAnswer): string {
  return `Already decided: ${DECIDED[answer].toLowerCase()}`;
}

function nameOf({ author }: AskedQuestion): string {
  return author.name === null ? "who asked for it" : oneLine(author.name);
}

function chosen({ question }: AskedQuestion, words: string): string {
  const place = /^\d{1,2}$/.test(words.trim()) ? Number(words) : CHOICES_MAX + 1;
  const choices: unknown = question["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[place - 1] : undefined;
  return typeof choice === "string" ? choice : words;
}
