/** Shell hooks: commands by the event they hear, in the reference's shape. Which events there are is the hooks' to know. */
import { z } from "zod";
import { part, structure } from "./key-notes.js";

/** Every hook may have a few processes at a time. */
export const HOOKS_MAX = 64;
const COMMAND_CHARS_MAX = 8_000;
const MATCHER_CHARS_MAX = 500;
const TIMEOUT_S_MAX = 300;

const entry = z.strictObject(
  {
    command: part<string>(
      (text) =>
        typeof text === "string" && text.trim() !== "" && text.length <= COMMAND_CHARS_MAX && !text.includes("\0"),
      "a command line",
    ),
    matcher: part<string>(isPattern, "a regular expression over tool names").optional(),
    timeout: part<number>(
      (value) => typeof value === "number" && value >= 1 && value <= TIMEOUT_S_MAX,
      `seconds from 1 to ${TIMEOUT_S_MAX}`,
    ).optional(),
    // The reference's word for what always holds here: a `pre_tool_call` that fails denies.
    fail_closed: part<boolean>((value) => typeof value === "boolean", "true or false").optional(),
  },
  { error: "expected a group with command, and perhaps matcher and timeout" },
);

export const hooks = structure(
  z
    .record(
      part<string>((name) => typeof name === "string" && /^[a-z][\w:*-]{0,63}$/.test(name), "an event's name"),
      z.array(entry, { error: "expected a list of hooks" }).nullable(),
      { error: "expected a map of events and lists of hooks" },
    )
    .refine((map) => Object.values(map).reduce((sum, list) => sum + (list?.length ?? 0), 0) <= HOOKS_MAX, {
      error: `expected at most ${HOOKS_MAX} hooks`,
    })
    .default({}),
  "a map of events to lists of command, matcher, timeout",
  "commands that hear of what happens and may step in; talaria hooks list",
);

function isPattern(text: unknown): boolean {
  if (typeof text !== "string" || text.length > MATCHER_CHARS_MAX) return false;
  try {
    return new RegExp(`^(?:${text})$`, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
