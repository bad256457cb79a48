/** What became of an edit, in words that tell a model what to do next. */
import { unreachable } from "#base/errors.js";
import { REDACTED } from "#base/redact.js";
import type { EditPlan } from "./edit.js";
import type { Strategy } from "./match.js";

const LINES_SHOWN_MAX = 10;
const NEAR_CHARS_MAX = 200;

export interface PlanWords {
  /** The edit can be made, or has been. */
  readonly isFitting: boolean;
  /** Empty when there is nothing to say. */
  readonly words: string;
}

export function describePlan(plan: EditPlan, where: string): PlanWords {
  switch (plan.kind) {
    case "edited":
      return { isFitting: true, words: [...leniency(plan.strategy, where), ...left(plan.left)].join("; ") };
    case "already":
      return { isFitting: true, words: `already applied in ${where}: line ${plan.line} reads as wanted` };
    case "missing":
      return { isFitting: false, words: `${where}: the old text is not in the file.${nearWords(plan.near)}` };
    case "ambiguous": {
      const shown = plan.lines.slice(0, LINES_SHOWN_MAX).join(", ");
      const more = plan.lines.length > LINES_SHOWN_MAX ? ", …" : "";
      return {
        isFitting: false,
        words:
          `${where}: the old text stands in ${plan.lines.length} places (lines ${shown}${more}). ` +
          "Quote more lines around the one that is meant, or set all.",
      };
    }
    case "unclear-secret":
      return {
        isFitting: false,
        words:
          `${where}: it cannot be told which secret a ${REDACTED} stands for. ` +
          "Quote the line that holds it in the old text, and keep what stands before it on its line.",
      };
    default:
      return unreachable(plan);
  }
}

function nearWords(near: Extract<EditPlan, { kind: "missing" }>["near"]): string {
  if (near === undefined) return " Read the file and quote it exactly.";
  return ` Closest is line ${near.line}: ${JSON.stringify(near.text.slice(0, NEAR_CHARS_MAX))}. Read the file and quote it exactly.`;
}

function leniency(strategy: Strategy, where: string): string[] {
  return strategy === "exact" ? [] : [`found in ${where} only when ${LENIENCY[strategy]}; check the diff`];
}

function left(places: number): string[] {
  return places === 0 ? [] : [`${places} more read so already and were left`];
}

const LENIENCY: Readonly<Record<Exclude<Strategy, "exact">, string>> = {
  "trailing-space": "spaces at the ends of lines are ignored",
  punctuation: "typographic quotes, dashes and spaces are taken as plain ones",
  indentation: "indentation is ignored; the new text was indented to fit",
  whitespace: "runs of spaces are taken as one",
  drift: "small differences within lines are forgiven",
};
