/** What the demo model says after a call: true for what became of it, and never more than that. */
import type { ModelMessage, ModelResult } from "../model.js";
import { DEMO_LABEL, DEMO_TEXTS } from "./demo-texts.js";

type Ending = keyof (typeof DEMO_TEXTS)["endings"];

const QUOTED_CHARS_MAX = 400;
const QUOTED_LINES_MAX = 6;

export function reportOf({ results }: Extract<ModelMessage, { role: "tool" }>): string {
  const endings = results.map(endingOf);
  const told = results.map((result, at) => paragraph(result, endings[at] ?? "worked"));
  // One closing word for all: where anything ran, that is what there is to see.
  const closing = endings.find((ending) => ending === "worked") ?? endings[0] ?? "worked";
  return `${DEMO_LABEL} ${told.join("\n\n")}\n\n${DEMO_TEXTS.endings[closing].after} ${DEMO_TEXTS.setUp}`;
}

/** Whether a call was stopped in a way that lets it run again. */
export function isRepeatable(result: ModelResult): boolean {
  return endingOf(result) === "interrupted";
}

/** A result carries no reason but its words, so these are the words that the program itself writes. */
const ENDINGS: readonly { readonly pattern: RegExp; readonly ending: Ending }[] = [
  { pattern: /^\[interrupted before it finished/, ending: "interrupted" },
  { pattern: /outcome is unknown/, ending: "unknown" },
  { pattern: /^The person (?:denied|did not answer)/, ending: "denied" },
  { pattern: /nobody could be asked/, ending: "unasked" },
  { pattern: /^Refused: /, ending: "refused" },
];

function endingOf({ text, isError }: ModelResult): Ending {
  if (!isError) return "worked";
  return ENDINGS.find(({ pattern }) => pattern.test(text))?.ending ?? "failed";
}

function paragraph({ name, text }: ModelResult, ending: Ending): string {
  const { said, isQuoted } = DEMO_TEXTS.endings[ending];
  return isQuoted && text.trim() !== "" ? `${name}: ${said}\n${quote(text.replace(ADVICE, ""))}` : `${name}: ${said}`;
}

/** What the program tells a model to do next is nothing for a person. */
const ADVICE = / No setting opens this.{0,200}$/s;

/** The first lines as they are: their indentation is part of them. */
function quote(text: string): string {
  const whole = text
    .toWellFormed()
    .replace(/^(?:[ \t]{0,200}\n){1,200}/, "")
    .trimEnd();
  const lines = whole.slice(0, QUOTED_CHARS_MAX).toWellFormed().split("\n").slice(0, QUOTED_LINES_MAX);
  const shown = lines.join("\n");
  return [...lines, ...(shown.length < whole.length ? ["…"] : [])].map((line) => `> ${line}`.trimEnd()).join("\n");
}
