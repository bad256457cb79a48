/**
 * Words that tell where they belong: every message names its chat and its number, and the model's answer repeats it. A
 * reply that turned up in another chat, or out of its order, shows.
 */

import type { ScriptFunction } from "../../support/model-server/reply.js";
import { lastUserText } from "../../support/model-server/seen.js";

const TOKEN = /\bc-?[0-9A-Za-z]+n\d+(?:\.\d+)?\b/g;

export function tokenOf(chat: number | string, number: number): string {
  return `c${chat}n${number}`;
}

export function tokensIn(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

export function chatOf(token: string): string {
  return /^c(.+)n\d+(?:\.\d+)?$/.exec(token)?.[1] ?? "";
}

/** Answers every message with its own token. */
export const echo: ScriptFunction = (seen) => ({
  text: `answer ${tokensIn(lastUserText(seen.items)).at(-1) ?? "none"}`,
});

/** The same, and who says `wait` is answered when the test says so. */
export const someWait: ScriptFunction = async (seen, index) => {
  const isHeld = /wait c\S+$/.test(lastUserText(seen.items).trim());
  return { ...(await echo(seen, index)), ...(isHeld ? { holdAfter: 1 } : {}) };
};
