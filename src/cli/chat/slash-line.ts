/** A line that begins with a slash: the host runs the command; what it answered is said, and what the chat does next. */
import { textWidth, visibleLines } from "#base/text-width.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import type { Result } from "#protocol/methods.js";
import { wrap } from "../format.js";
import type { HostLink } from "./link.js";
import { Refused } from "./refused.js";

/** A command may ask a model, which may take its time. */
const COMMAND_MS_MAX = 900_000;
/** As the host reads it: what is not one word after the slash (`/usr/bin …`) is a message like any other. */
const COMMAND_LINE = /^\/[a-z?][\w-]*(?:\s[\s\S]*)?$/i;

export interface SlashOutcome {
  readonly next: SlashNextWire;
  /** Nothing was changed: the words asked for something that cannot be. */
  readonly isRefused: boolean;
}

export function isCommandLine(line: string): boolean {
  return COMMAND_LINE.test(line);
}

export interface SlashPlace {
  readonly link: HostLink;
  readonly columns: number;
  /** Aborted when the person does not want to wait any longer. */
  readonly signal: AbortSignal;
  /** Shows the answer, in lines that fit. */
  say(lines: readonly string[]): void;
}

/** A line that breaks meanwhile is told as an outage: the command may have had its effect, and is not sent again. */
export async function runSlash(line: string, sessionId: string, place: SlashPlace): Promise<SlashOutcome> {
  const { link, columns, signal } = place;
  const say = (text: string): void => {
    const lines = text === "" ? [] : visibleLines(text).split("\n");
    place.say(lines.flatMap((one) => fitted(one, columns)));
  };
  try {
    const params = { session_id: sessionId, command: line };
    const result = await link.callOnce("slash.exec", params, { timeoutMs: COMMAND_MS_MAX, signal });
    say(wordsOf(result));
    return { next: nextOf(result), isRefused: "is_refused" in result && result.is_refused === true };
  } catch (error) {
    if (!(error instanceof Refused) || !TOLD.has(error.code)) throw error;
    // An unknown name, or a turn that has to end first: said like any other answer.
    say(error.message);
    return { next: { kind: "stay" }, isRefused: false };
  }
}

const TOLD: ReadonlySet<number> = new Set([ERROR_CODES.unknownCommand, ERROR_CODES.busy]);

function wordsOf(result: Result<"slash.exec">): string {
  if ("output" in result) return result.output;
  return "notice" in result ? (result.notice ?? "") : "";
}

function nextOf(result: Result<"slash.exec">): SlashNextWire {
  return ("next" in result ? result.next : undefined) ?? { kind: "stay" };
}

const DESCRIPTION_CELLS_MIN = 20;

/** A line of two columns keeps them: what is too long in the second goes on below itself. */
function fitted(line: string, columns: number): string[] {
  const [, first = "", gap = "", second = line] = /^(\S.*?)( {2,})(.*)$/.exec(line) ?? [];
  const indent = textWidth(first) + gap.length;
  if (columns - indent < DESCRIPTION_CELLS_MIN) return wrap(line, columns - 1);
  const lines = wrap(second, columns - indent - 1);
  return lines.map((text, at) => (at === 0 ? `${first}${gap}${text}` : `${" ".repeat(indent)}${text}`));
}
