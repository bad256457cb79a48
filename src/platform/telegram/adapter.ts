/**
 * One bot's account at work: the port's verbs put together from the parts of this folder. Loaded, with grammY, when an
 * account is opened and not before. The library has no retries of its own unless a plugin adds them; none does here.
 */
import { Api, type ApiClientOptions } from "grammy";
import type { Platform, PlatformParts } from "../platform.js";
import { createIntake } from "./intake.js";
import type { TelegramSettings } from "./kind.js";
import { createLine } from "./line.js";
import { fileFetcher } from "./media.js";
import { createMender, poll } from "./poll.js";
import { edit, type SendParts, send } from "./send.js";
import { setMenu, showReaction, showTyping } from "./signs.js";
import { answerCall, watchWebhook } from "./webhook.js";

const PUBLIC_API_ROOT = "https://api.telegram.org";

export function openTelegram(settings: TelegramSettings, { clock, log, receiver }: PlatformParts): Platform {
  const { token, webhook, api_root: ownRoot, poll_seconds: pollSeconds } = settings;
  const apiRoot = ownRoot ?? PUBLIC_API_ROOT;
  const line = createLine();
  const fetch = line.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>;
  const api = new Api(token, { apiRoot, fetch });
  const fetchFile = fileFetcher({ api, line, clock, apiRoot, token, isOwnServer: ownRoot !== undefined });
  const parts = { api, clock, log };
  const sending: SendParts = { api, log, moved: new Map(), ahead: new Map() };
  const { identify, take } = createIntake({ ...parts, receiver, fetchFile });

  return {
    async run(signal) {
      const mend = createMender({ ...parts, receiver });
      await identify(mend, signal);
      if (signal.aborted) return;
      if (webhook) await watchWebhook({ ...parts, settings: webhook, mend }, signal);
      else await poll({ ...parts, receiver, pollSeconds, take }, mend, signal);
    },
    send: (outgoing, signal) => send(sending, outgoing, signal),
    edit: (place, receipt, outgoing, signal) => edit(sending, { receipt, outgoing: { ...outgoing, place } }, signal),
    typing: (place, signal) => showTyping(parts, place, signal),
    react: (place, messageId, emoji, signal) => showReaction(parts, { place, messageId, emoji }, signal),
    setMenu: (entries, signal) => setMenu(parts, entries, signal),
    ...(webhook ? { http: (request) => answerCall({ settings: webhook, log, take }, request) } : {}),
  };
}
