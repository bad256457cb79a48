/** What each glimpse looks like. Pure but for the names of calls under way, which their progress is shown with. */
import { unreachable } from "#base/errors.js";
import { formatCount, formatSpan } from "../format.js";
import type { Glimpse } from "./glimpse.js";
import { callLines, type LineStyle, progressLine, safe } from "./tool-line.js";

export type Drawing =
  | { readonly kind: "text"; readonly delta: string }
  /** What follows is the text of another step. */
  | { readonly kind: "step-over" }
  | { readonly kind: "retracted" }
  /** Drawn over by whatever comes next. */
  | { readonly kind: "status"; readonly text: string }
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "remark"; readonly text: string }
  | { readonly kind: "warning"; readonly text: string }
  | { readonly kind: "nothing" };

const FAILURE_CHARS_MAX = 160;
/** A turn has few calls under way; a name that was forgotten costs a word on a status line. */
const NAMES_MAX = 100;

export function createDrawer(style: LineStyle): (glimpse: Glimpse) => Drawing {
  const names = new Map<string, string>();
  return (glimpse) => {
    if (glimpse.type === "call-started" && names.size < NAMES_MAX) names.set(glimpse.call, glimpse.summary);
    if (glimpse.type === "call-finished") names.delete(glimpse.call);
    return draw(glimpse, { ...style, nameOf: (call) => names.get(call) ?? "" });
  };
}

type Style = LineStyle & { nameOf(call: string): string };

function draw(glimpse: Glimpse, style: Style): Drawing {
  switch (glimpse.type) {
    case "text":
      return { kind: "text", delta: glimpse.delta };
    case "reasoning":
      return { kind: "status", text: "thinking…" };
    case "step":
      return { kind: "step-over" };
    case "retracted":
      return { kind: "retracted" };
    case "call-started":
      return { kind: "status", text: progressLine(glimpse.summary, undefined, style.columns) };
    case "call-progress":
      return { kind: "status", text: progressLine(style.nameOf(glimpse.call), glimpse.line, style.columns) };
    case "call-finished":
      return { kind: "lines", lines: callLines(glimpse, style) };
    case "compacting":
      return { kind: "status", text: `making room: ${formatCount(glimpse.tokens)} tokens are much for this model…` };
    case "notice":
      return { kind: "warning", text: safe(glimpse.text) };
    // The surface asks and knows the answer, or the report says how to give one.
    case "asking":
    case "answered":
      return { kind: "nothing" };
    default:
      return { kind: "remark", text: remarkOn(glimpse) };
  }
}

type Remarked = Extract<Glimpse, { type: "retrying" | "fallback" | "steered" | "compacted" }>;

function remarkOn(glimpse: Remarked): string {
  switch (glimpse.type) {
    case "retrying": {
      const wait = glimpse.waitMs < 1000 ? "" : ` in ${formatSpan(glimpse.waitMs)}`;
      return `${glimpse.model}: ${failureWords(glimpse.failure.message)}; trying again${wait} (try ${glimpse.attempt + 1})`;
    }
    case "fallback":
      return `${glimpse.from} failed (${failureWords(glimpse.failure.message)}); asking ${glimpse.to}`;
    case "steered":
      return `added: ${safe(glimpse.text)}`;
    case "compacted":
      return `made room: ${formatCount(glimpse.tokensBefore)} → ${formatCount(glimpse.tokensAfter)} tokens`;
    default:
      return unreachable(glimpse);
  }
}

function failureWords(message: string): string {
  return safe(message).slice(0, FAILURE_CHARS_MAX);
}
