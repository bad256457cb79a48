/**
 * What people ask for while the gateway is killed, by a word in their message: `tools` (one call of each effect, then the
 * answer), `long` (an answer of several messages), `risky` (a call that is asked about), anything else (an answer).
 */

import type { Reply, ScriptFunction } from "../../support/model-server/reply.js";
import { lastUserText, sinceUser } from "../../support/model-server/seen.js";
import { tokensIn } from "./echo.js";

export const EFFECTS = "effects.log";
export const LONG_PARTS = 3;
/** So that two of them do not fit into one message of any platform. */
const LONG_CHARS = 2_500;

export const deeds: ScriptFunction = (seen) => {
  const asked = lastUserText(seen.items);
  const token = tokensIn(asked).at(-1) ?? "none";
  const isAnswered = sinceUser(seen.items).some(({ kind }) => kind === "result");
  if (asked.includes("long")) return { text: longText(token) };
  if (asked.includes("tools") && !isAnswered) return threeCalls(token);
  if (asked.includes("risky") && !isAnswered) return risky(token);
  return { text: `answer ${token}` };
};

export function partsOf(token: string): readonly string[] {
  return Array.from({ length: LONG_PARTS }, (_, at) => `${token}.${at + 1}`);
}

function longText(token: string): string {
  return partsOf(token)
    .map((part) => `answer ${part} ${"words ".repeat(LONG_CHARS / 6)}`)
    .join("\n\n");
}

function threeCalls(token: string): Reply {
  return {
    text: "Working.",
    calls: [
      { name: "read_file", arguments: { path: "notes.txt" } },
      { name: "write_file", arguments: { path: `out-${token}.txt`, content: token } },
      { name: "terminal", arguments: { command: `echo ${token} >> ${EFFECTS}` } },
    ],
  };
}

/** A recursive delete is asked about; what stands before it counts how often it ran. */
function risky(token: string): Reply {
  return { calls: [{ name: "terminal", arguments: { command: `echo ${token} >> ${EFFECTS}; rm -rf ./old` } }] };
}
