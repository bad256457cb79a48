/**
 * One bot's account at work: the port's verbs put together from the parts of this folder. Loaded, with grammY, when an
 * account is opened and not before.
 */

import type { ApiClientOptions } from "grammy";
import { Api } from "grammy";
import type { Update } from "grammy/types";
import { withDeadline } from "#base/deadline.js";
import { OperationalError, unreachable } from "#base/errors.js";
import type { MenuEntry, Place, Platform, PlatformParts, Press } from "../platform.js";
import { arrivalOf, GENERAL_TOPIC } from "./incoming.js";
import type { TelegramSettings } from "./kind.js";
import { createLine, forLibrary } from "./line.js";
import { fileFetcher } from "./media.js";
import { inWords } from "./outcome.js";
import { createMender, type Mender, poll } from "./poll.js";
import { edit, numbered, type SendParts, send } from "./send.js";
import { answerCall, watchWebhook } from "./webhook.js";
import type { Me } from "./words.js";

const PUBLIC_API_ROOT = "https://api.telegram.org";
/** For the small requests around messages. */
const REQUEST_TIME_MS_MAX = 10_000;
const PRESS_ANSWER_CHARS_MAX = 200;
const MENU_MAX = 100;
const MENU_ABOUT_CHARS_MAX = 256;

export function openTelegram(settings: TelegramSettings, parts: PlatformParts): Platform {
  const { clock, log, receiver } = parts;
  const apiRoot = (settings.api_root ?? PUBLIC_API_ROOT).replace(/\/+$/, "");
  const line = createLine();
  const fetch = line.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>;
  const api = new Api(settings.token, { apiRoot, fetch });
  const { token, webhook } = settings;
  const fetchFile = fileFetcher({ api, line, clock, apiRoot, token, isOwnServer: settings.api_root !== undefined });
  const sending: SendParts = { api, log, moved: new Map(), ahead: new Map() };
  let me: Me | undefined;

  async function identify(mend: Mender, signal: AbortSignal): Promise<void> {
    while (me === undefined && !signal.aborted) {
      try {
        me = await withDeadline({ clock, timeMs: REQUEST_TIME_MS_MAX, signal }, (limited) =>
          api.getMe(forLibrary(limited)),
        );
      } catch (error) {
        if (!signal.aborted) await mend.failed(error, signal);
      }
    }
  }

  async function take(update: Update): Promise<void> {
    if (me === undefined) throw new OperationalError("telegram.starting", "after-delay", "not connected yet");
    const arrival = readable(update, me);
    if (arrival.kind === "message") await receiver.message(arrival.incoming);
    else if (arrival.kind === "press") await answerPress(arrival.press, arrival.queryId);
    else if (arrival.kind !== "nothing") unreachable(arrival);
  }

  /** What cannot be read now never can be: it would hold up everything behind it for as long as Telegram keeps it. */
  function readable(update: Update, self: Me): ReturnType<typeof arrivalOf> {
    try {
      return arrivalOf(update, self, fetchFile);
    } catch (error) {
      log.error("an update cannot be read and is left out", { update: update.update_id, why: inWords(error) });
      return { kind: "nothing" };
    }
  }

  async function answerPress(press: Press, queryId: string): Promise<void> {
    const text = await receiver.press(press).catch((error) => {
      log.error("a button could not be followed", { why: inWords(error) });
      return "That did not work. Please try again.";
    });
    const shown = text.slice(0, PRESS_ANSWER_CHARS_MAX).toWellFormed();
    await quietly("answer a button", (signal) =>
      api.answerCallbackQuery(queryId, shown ? { text: shown } : {}, forLibrary(signal)),
    );
  }

  /** For what nobody waits for: within its time, and a failure is a line in the log. */
  async function quietly(
    what: string,
    act: (signal: AbortSignal) => Promise<unknown>,
    outer?: AbortSignal,
  ): Promise<void> {
    const signal = outer ?? new AbortController().signal;
    await withDeadline({ clock, timeMs: REQUEST_TIME_MS_MAX, signal }, act).catch((error) =>
      log.debug(`could not ${what}`, { why: inWords(error) }),
    );
  }

  return {
    async run(signal) {
      const mend = createMender({ api, clock, log, receiver });
      await identify(mend, signal);
      if (signal.aborted) return;
      if (webhook) await watchWebhook({ api, clock, log, settings: webhook, mend }, signal);
      else await poll({ api, clock, log, receiver, pollSeconds: settings.poll_seconds, take }, mend, signal);
    },
    send: (outgoing, signal) => send(sending, outgoing, signal),
    edit: (place, receipt, outgoing, signal) => edit(sending, { receipt, outgoing: { ...outgoing, place } }, signal),
    typing: (place, signal) =>
      quietly(
        "show typing",
        (limited) => api.sendChatAction(numbered(place.chat.id), "typing", topic(place), forLibrary(limited)),
        signal,
      ),
    react: (place, messageId, emoji, signal) =>
      quietly("react", (limited) => react(api, { place, messageId, emoji }, limited), signal),
    setMenu: (entries, signal) => setMenu(api, entries, signal),
    ...(webhook ? { http: (request) => answerCall({ settings: webhook, log, take }, request) } : {}),
  };
}

function topic({ chat: { threadId } }: Place): { readonly message_thread_id?: number } {
  return threadId === undefined || threadId === GENERAL_TOPIC ? {} : { message_thread_id: Number(threadId) };
}

type Emoji = Extract<Parameters<Api["setMessageReaction"]>[2][number], { type: "emoji" }>["emoji"];

/** Telegram takes a list of emoji of its own and refuses others; none at all takes ours away. */
function react(
  api: Api,
  { place, messageId, emoji }: { readonly place: Place; readonly messageId: string; readonly emoji: string },
  signal: AbortSignal,
): Promise<true> {
  const reaction = emoji === "" ? [] : [{ type: "emoji" as const, emoji: emoji as Emoji }];
  return api.setMessageReaction(numbered(place.chat.id), Number(messageId), reaction, {}, forLibrary(signal));
}

/** Commands whose names Telegram does not take are left out of the menu; people can still write them. */
async function setMenu(api: Api, entries: readonly MenuEntry[], signal: AbortSignal): Promise<void> {
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
