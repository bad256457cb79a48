/**
 * A person's answer to what a turn asks. At a terminal it is asked for, with closed choices and no default; from the
 * flags of a command it is taken for the questions that waited when the command started, each once. Where neither
 * answers, the question stays with its turn.
 */
import { UserError } from "#base/errors.js";
import { APPROVAL_REPLY_CHARS_MAX } from "#session/approval.js";
import { EXIT } from "../exit-codes.js";
import type { PendingQuestion, PersonsAnswer, Question } from "./glimpse.js";
import type { LineInput } from "./input/line-input.js";
import type { ChatOptions } from "./options.js";
import { choiceLines, questionLines } from "./question-lines.js";
import type { Screen } from "./screen.js";
import { isCommandLine } from "./slash-line.js";
import type { LineStyle } from "./tool-line.js";

/** Undefined: nobody answers, and the turn waits. Aborted when it was answered elsewhere, or the turn is over. */
export type Ask = (approval: string, question: Question, signal: AbortSignal) => Promise<PersonsAnswer | undefined>;

/** After so many lines that are no answer the question is left waiting. */
const TRIES_MAX = 20;

export interface AskingTerminal {
  readonly input: LineInput;
  readonly screen: Screen;
  readonly style: LineStyle;
  /** In a prompt Ctrl-C is a key; this makes it what it is elsewhere. */
  interrupt(): void;
  /** Runs a command that was typed instead of an answer; absent where there are none. */
  readonly command?: (line: string) => Promise<void>;
}

export function terminalAsk({ input, screen, style, interrupt, command }: AskingTerminal): Ask {
  return async (_approval, question, signal) => {
    screen.say(["", ...questionLines(question, style)]);
    if (question.kind === "permission") screen.say(choiceLines(question.grant, style));
    const prompt = question.kind === "permission" ? "Allow it? [o/s/a/d] " : "Your answer: ";
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const read = await input.ask(style.paint.bold(prompt), signal);
      if (read.kind === "interrupted" && !signal.aborted) interrupt();
      if (read.kind !== "line") return undefined;
      // Words may begin with a slash; a letter does not.
      if (question.kind === "permission" && command !== undefined && isCommandLine(read.text)) {
        await command(read.text);
        continue;
      }
      const answer = question.kind === "permission" ? permissionAnswer(read.text) : clarifyAnswer(read.text, question);
      if (answer !== undefined) return answer;
      screen.say([style.paint.dim(question.kind === "permission" ? ONLY_LETTERS : ONLY_WORDS)]);
    }
    return undefined;
  };
}

const ONLY_LETTERS = "Only o, s, a or d counts (words may follow d); Ctrl-D leaves it waiting.";
const ONLY_WORDS = "An empty line is no answer; Ctrl-D leaves it waiting.";

/** Only the letters and words themselves: Enter, `y` and everything else is no answer. */
export function permissionAnswer(text: string): PersonsAnswer | undefined {
  const [, letter = "", words = ""] = /^\s*(o|once|s|session|a|always|d|deny)(?:\s+(.*\S))?\s*$/is.exec(text) ?? [];
  if (letter === "") return undefined;
  const answer = ANSWERS[letter.charAt(0).toLowerCase() as keyof typeof ANSWERS];
  if (answer === "deny")
    return { answer, ...(words === "" ? {} : { reply: words.slice(0, APPROVAL_REPLY_CHARS_MAX) }) };
  return words === "" ? { answer } : undefined;
}

const ANSWERS = { o: "once", s: "session", a: "always", d: "deny" } as const;

type Clarify = Extract<Question, { kind: "clarify" }>;

/** The number of a choice stands for the choice; other words stand for themselves. */
export function clarifyAnswer(text: string, { choices }: Clarify): PersonsAnswer | undefined {
  const words = text.trim();
  if (words === "") return undefined;
  const chosen = /^\d{1,3}$/.test(words) ? choices[Number(words) - 1] : undefined;
  return { answer: "once", reply: (chosen ?? words).slice(0, APPROVAL_REPLY_CHARS_MAX) };
}

/** Answers by the flags, or undefined where they say nothing; `otherwise` is asked then. */
export function flagAsk(options: ChatOptions, pending: readonly PendingQuestion[], otherwise: Ask | undefined): Ask {
  const left = new Map(pending.map(({ approval, question }) => [approval, flagAnswer(options, question)]));
  return async (approval, question, signal) => {
    const answer = left.get(approval);
    left.delete(approval);
    return answer ?? otherwise?.(approval, question, signal);
  };
}

/** A flag that answers none of what waits is a mistake, and nothing is decided by it. */
export function checkAnswers(options: ChatOptions, pending: readonly PendingQuestion[]): void {
  if (pending.length === 0 || pending.some(({ question }) => flagAnswer(options, question) !== undefined)) return;
  const isPermission = pending[0]?.question.kind === "permission";
  throw new UserError(
    isPermission ? "what waits is a permission, not a question in words" : "what waits is a question in words",
    isPermission ? "answer with --approve or --deny" : "answer with --reply TEXT, or --deny to leave it unanswered",
    EXIT.usage,
  );
}

function flagAnswer({ approve, deny, reply }: ChatOptions, question: Question): PersonsAnswer | undefined {
  if (deny === true) return { answer: "deny", ...(reply === undefined ? {} : { reply }) };
  if (question.kind === "permission") return approve === undefined ? undefined : { answer: approve };
  return reply === undefined ? undefined : clarifyAnswer(reply, question);
}
