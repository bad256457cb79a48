/**
 * What tools did, in one line each: what was done and what came of it. An edit adds the first lines of its diff.
 * Pure. Secrets are taken out and nothing that could move the cursor passes.
 */
import { redact } from "#base/redact.js";
import { textWidth, truncate, visible } from "#base/text-width.js";
import { formatPlural } from "../format.js";
import type { Paint } from "../paint.js";
import type { Glimpse } from "./glimpse.js";

type Finished = Extract<Glimpse, { type: "call-finished" }>;

export interface LineStyle {
  readonly columns: number;
  readonly paint: Paint;
}

const INDENT = "  ";
const GAP = "  ";
const DIFF_LINES_MAX = 10;
/** Of a text that only its first line is shown of. */
const GLANCE_CHARS_MAX = 2_000;
/** Of the line, for what was done; what came of it gives way first. */
const SUMMARY_SHARE = 0.6;

export function callLines(call: Finished, style: LineStyle): string[] {
  const { paint, columns } = style;
  const mark = call.outcome === "ok" ? paint.green("✓") : paint.red("✗");
  const room = columns - INDENT.length - 1;
  const done = safe(call.summary);
  const wanted = Math.min(textWidth(done), Math.floor(room * SUMMARY_SHARE));
  const result = truncate(resultText(call), room - wanted - GAP.length);
  const summary = truncate(done, room - textWidth(result) - GAP.length);
  const line = `${mark} ${summary}${GAP}${call.outcome === "ok" ? paint.dim(result) : paint.red(result)}`;
  return [line, ...diffLines(call, style)];
}

/** What is under way, for a line that is drawn again and again. */
export function progressLine(summary: string, line: string | undefined, columns: number): string {
  const text = line === undefined || line.trim() === "" ? safe(summary) : `${safe(summary)}  ${safe(line)}`;
  return truncate(`… ${text}`, columns - 1);
}

/** One line without controls and secrets. */
export function safe(text: string): string {
  return visible(redact(text.slice(0, GLANCE_CHARS_MAX))).trim();
}

function resultText({ outcome, text, body }: Finished): string {
  switch (outcome) {
    case "ok":
      return isDiff(body) ? `+${body.added} −${body.removed}` : sizeText(text);
    case "error":
      return `error: ${safe(firstLine(text))}`;
    case "denied":
      return deniedText(safe(firstLine(text)));
    case "interrupted":
      return "interrupted";
    case "unknown":
      return "interrupted; its outcome is unknown";
  }
}

/** The floor refuses whatever anybody says; that is not a person's no. */
function deniedText(text: string): string {
  const [, why] = /^Refused: (.*?)(?:\. |\.?$)/.exec(text) ?? [];
  return why === undefined ? "denied by you" : `refused: ${why}`;
}

function sizeText(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === "" ? "ok" : `ok, ${formatPlural(trimmed.split("\n").length, "line")}`;
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

interface DiffBody {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

function isDiff(body: Finished["body"]): body is Finished["body"] & DiffBody {
  return typeof body?.["diff"] === "string" && typeof body["added"] === "number" && typeof body["removed"] === "number";
}

/** The changed lines, without the header that repeats the file's name. */
function diffLines({ outcome, body }: Finished, { paint, columns }: LineStyle): string[] {
  if (outcome !== "ok" || !isDiff(body)) return [];
  const lines = redact(body.diff)
    .split("\n")
    .filter((line) => /^[+-](?!(\+\+|--) )/.test(line));
  const shown = lines.slice(0, DIFF_LINES_MAX).map((line) => {
    const text = `${INDENT}${truncate(visible(line), columns - INDENT.length - 1)}`;
    return line.startsWith("+") ? paint.green(text) : paint.red(text);
  });
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, paint.dim(`${INDENT}… ${formatPlural(left, "more changed line")}`)] : shown;
}
