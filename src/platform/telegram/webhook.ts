/**
 * Receiving by webhook: Telegram calls our HTTP door. The call is answered with 200 when the message has been kept [CT-1],
 * with 503 when it could not be: Telegram then gives it again.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import type { Logger } from "#base/log.js";
import { type HttpAnswer, type HttpRequest, PlatformRefusal } from "../platform.js";
import { ASKED_FOR } from "./incoming.js";
import { forLibrary } from "./line.js";
import { inWords } from "./outcome.js";
import type { Mender } from "./poll.js";

export const SECRET_HEADER = "x-telegram-bot-api-secret-token";
/** How often Telegram is asked whether it still calls us. */
export const WEBHOOK_CHECK_MS = 50_000;
const CHECK_TIME_MS_MAX = 10_000;
/** So many looks in a row that find another's webhook in place of ours are a fight, and nobody wins it. */
const TAKEOVERS_MAX = 4;

export interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
  readonly path: string;
}

export interface Door {
  readonly settings: WebhookSettings;
  readonly log: Logger;
  /** Rejects when the update could not be kept. */
  take(update: Update): Promise<void>;
}

export async function answerCall({ settings, log, take }: Door, request: HttpRequest): Promise<HttpAnswer> {
  if (trimmed(request.path) !== trimmed(settings.path)) return { status: 404 };
  if (request.method !== "POST") return { status: 405, headers: { allow: "POST" } };
  if (!isSame(request.headers[SECRET_HEADER] ?? "", settings.secret)) return { status: 401 };
  const update = parseUpdate(request.body);
  if (update === undefined) return { status: 400 };
  try {
    await take(update);
    return { status: 200 };
  } catch (error) {
    log.error("a message could not be kept; it stays with Telegram", { why: inWords(error) });
    return { status: 503 };
  }
}

export interface WatchParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: WebhookSettings;
  readonly mend: Mender;
}

/** Sets the webhook, and looks again and again whether Telegram still has it, until the signal is aborted. */
export async function watchWebhook(parts: WatchParts, signal: AbortSignal): Promise<void> {
  const { clock, mend, log } = parts;
  let lastFault = 0;
  let isSet = false;
  let takeovers = 0;
  while (!signal.aborted) {
    try {
      const info = await withDeadline({ clock, timeMs: CHECK_TIME_MS_MAX, signal }, (limited) =>
        check(parts, isSet, limited),
      );
      takeovers = info.isTakenBack ? takeovers + 1 : 0;
      if (takeovers >= TAKEOVERS_MAX) throw contested();
      isSet = true;
      mend.proven();
      mend.kept();
      if (info.last_error_date !== undefined && info.last_error_date > lastFault) {
        if (lastFault > 0) log.warn("Telegram could not call the webhook", { why: info.last_error_message });
        lastFault = info.last_error_date;
      }
      await clock.sleep(WEBHOOK_CHECK_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof PlatformRefusal) throw error;
      await mend.failed(error, signal);
    }
  }
}

/** The first time it is set anew, because the secret may be another one. What waits at Telegram is kept in every case. */
async function check({ api, settings, log }: WatchParts, isSet: boolean, signal: AbortSignal) {
  const info = await api.getWebhookInfo(forLibrary(signal));
  if (isSet && info.url === settings.url) return { ...info, isTakenBack: false };
  if (info.url && info.url !== settings.url) log.warn("another webhook was set for this bot; it is replaced");
  await api.setWebhook(
    settings.url,
    { secret_token: settings.secret, allowed_updates: ASKED_FOR, drop_pending_updates: false },
    forLibrary(signal),
  );
  return { ...(await api.getWebhookInfo(forLibrary(signal))), isTakenBack: isSet };
}

function contested(): PlatformRefusal {
  return new PlatformRefusal(
    "something else keeps taking this bot's webhook away",
    "stop the other program that uses this token, or make a bot of its own for it with BotFather",
  );
}

function trimmed(path: string): string {
  return path.replace(/\?.*$/s, "").replace(/\/+$/, "");
}

/** By their hashes, so that the time it takes tells nothing, not even the length. */
function isSame(offered: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(offered), digest(secret));
}

function parseUpdate(body: Uint8Array): Update | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    const isUpdate = typeof value === "object" && value !== null && "update_id" in value;
    return isUpdate ? (value as Update) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
