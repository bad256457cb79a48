/** What a person is asked, as lines: what would be done, why, and what each answer covers. Pure. */
import { redact } from "#base/redact.js";
import { visibleLines } from "#base/text-width.js";
import { wrap } from "../format.js";
import type { Question } from "./glimpse.js";
import type { LineStyle } from "./tool-line.js";

const INDENT = "  ";
/** A command longer than this is shown by its beginning and its end. */
const SUMMARY_LINES_MAX = 12;
const TEXT_CHARS_MAX = 20_000;

export function questionLines(question: Question, style: LineStyle): string[] {
  const { paint } = style;
  if (question.kind === "permission") {
    return [
      paint.yellow(`May this be done? (${question.tool})`),
      ...shortened(block(question.summary, style)).map((line) => paint.bold(line)),
      ...block(`because ${question.why}`, style),
    ];
  }
  const choices = question.choices.flatMap((choice, at) => block(`${at + 1}. ${choice}`, style));
  return [paint.yellow("A question for you:"), ...block(question.text, style), ...choices];
}

/** What each letter means, told before the first answer. */
export function choiceLines(grant: string, style: LineStyle): string[] {
  return [
    "o  once: only this time",
    `s  session: “${grant}” in this conversation`,
    `a  always: “${grant}” in every conversation`,
    "d  deny: it is not done; words after it are told to the model",
  ].flatMap((line) => block(line, style));
}

/** How a question that waits is answered from a shell. */
export function answerLines(question: Question, conversation: string): string[] {
  const command = `talaria chat -r ${conversation}`;
  if (question.kind === "clarify") return [`${INDENT}${command} --reply TEXT`];
  return [`${INDENT}${command} --approve once   (or session, always)`, `${INDENT}${command} --deny`];
}

function block(text: string, { columns }: LineStyle): string[] {
  return visibleLines(redact(text.slice(0, TEXT_CHARS_MAX)))
    .replaceAll("\t", "  ")
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrap(line, columns - INDENT.length - 1))
    .map((line) => `${INDENT}${line}`);
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= SUMMARY_LINES_MAX) return [...lines];
  const half = SUMMARY_LINES_MAX / 2;
  return [...lines.slice(0, half), `${INDENT}… ${lines.length - 2 * half} more lines`, ...lines.slice(-half)];
}
