/** Small things around messages that nobody waits for: typing, reactions, answers to buttons, and the menu. */
import type { Api } from "grammy";
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import type { MenuEntry, Place } from "../platform.js";
import { GENERAL_TOPIC } from "./incoming.js";
import { forLibrary } from "./line.js";
import { inWords } from "./outcome.js";
import { numbered } from "./send.js";

/** For one small request. */
export const REQUEST_TIME_MS_MAX = 10_000;
const PRESS_ANSWER_CHARS_MAX = 200;
const MENU_MAX = 100;
const MENU_ABOUT_CHARS_MAX = 256;

export interface SignParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Logger;
}

export function showTyping(parts: SignParts, { chat }: Place, signal: AbortSignal): Promise<void> {
  const isTopic = chat.threadId !== undefined && chat.threadId !== GENERAL_TOPIC;
  const topic = isTopic ? { message_thread_id: Number(chat.threadId) } : {};
  return quietly(parts, "show typing", signal, (limited) =>
    parts.api.sendChatAction(numbered(chat.id), "typing", topic, forLibrary(limited)),
  );
}

export interface Reaction {
  readonly place: Place;
  readonly messageId: string;
  readonly emoji: string;
}

type Emoji = Extract<Parameters<Api["setMessageReaction"]>[2][number], { type: "emoji" }>["emoji"];

/** Telegram takes a list of emoji of its own and refuses others; none at all takes ours away. */
export function showReaction(
  parts: SignParts,
  { place, messageId, emoji }: Reaction,
  signal: AbortSignal,
): Promise<void> {
  const reaction = emoji === "" ? [] : [{ type: "emoji" as const, emoji: emoji as Emoji }];
  return quietly(parts, "react", signal, (limited) =>
    parts.api.setMessageReaction(numbered(place.chat.id), Number(messageId), reaction, {}, forLibrary(limited)),
  );
}

export function answerButton(parts: SignParts, queryId: string, words: string): Promise<void> {
  const text = words.slice(0, PRESS_ANSWER_CHARS_MAX).toWellFormed();
  return quietly(parts, "answer a button", new AbortController().signal, (limited) =>
    parts.api.answerCallbackQuery(queryId, text ? { text } : {}, forLibrary(limited)),
  );
}

/** Commands whose names Telegram does not take are left out of the menu; people can still write them. */
export async function setMenu({ api }: SignParts, entries: readonly MenuEntry[], signal: AbortSignal): Promise<void> {
  const commands = entries
    .filter(({ name, about }) => /^[a-z0-9_]{1,32}$/.test(name) && about !== "")
    .slice(0, MENU_MAX)
    .map(({ name, about }) => ({ command: name, description: about.slice(0, MENU_ABOUT_CHARS_MAX).toWellFormed() }));
  try {
    await api.setMyCommands(commands, {}, forLibrary(signal));
  } catch (error) {
    throw new OperationalError("telegram.menu", "after-delay", `the menu was not taken: ${inWords(error)}`);
  }
}

/** Within its time; a failure is a line in the log. */
async function quietly(
  { clock, log }: SignParts,
  what: string,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  await withDeadline({ clock, timeMs: REQUEST_TIME_MS_MAX, signal }, act).catch((error) =>
    log.debug(`could not ${what}`, { why: inWords(error) }),
  );
}
