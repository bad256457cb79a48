/**
 * A call's arguments, strictly read: a JSON object or a reason why not. Nothing is repaired, because a repaired
 * argument is one that nobody asked for.
 */
import { ARGUMENTS_CHARS_MAX } from "./limits.js";
import type { ModelCall } from "./model.js";
import { wellFormedValue } from "./stream/well-formed.js";

/** Deeper arguments are refused: walking them would overflow the stack. */
export const ARGUMENTS_DEPTH_MAX = 100;

export function parseArguments(text: string): ModelCall["input"] {
  // Some models send nothing at all for a tool that takes nothing.
  if (text.trim() === "") return { kind: "parsed", value: {} };
  if (text.length > ARGUMENTS_CHARS_MAX) return malformed(`longer than ${ARGUMENTS_CHARS_MAX} characters`);
  if (isDeeperThan(text, ARGUMENTS_DEPTH_MAX)) return malformed(`nested deeper than ${ARGUMENTS_DEPTH_MAX} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(value)) return malformed("not a JSON object");
  return { kind: "parsed", value: wellFormedValue(value) as Readonly<Record<string, unknown>> };
}

/** The key under which arguments that are no JSON object are shown to a provider that insists on one. */
export const MALFORMED_KEY = "malformed_arguments";

/** The arguments as an object a provider takes back, whatever they were. */
export function sendableArguments(text: string): Readonly<Record<string, unknown>> {
  const input = parseArguments(text);
  return input.kind === "parsed" ? input.value : { [MALFORMED_KEY]: text.slice(0, ARGUMENTS_CHARS_MAX).toWellFormed() };
}

/** Cut arguments end so that no parser accepts them, today or when they are read back from history. */
export function boundArguments(text: string): string {
  return text.length <= ARGUMENTS_CHARS_MAX ? text : `${text.slice(0, 1_000)} [cut: ${text.length} characters]`;
}

function malformed(reason: string): ModelCall["input"] {
  return { kind: "malformed", reason };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside strings, so that it costs one pass and no recursion. */
function isDeeperThan(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > max) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
