/**
 * A webhook at work. A request is answered 200 after what it brought is kept [CT-1], also when it was kept before. Ours carry
 * `Outgoing.id` as their idempotency key: the other side takes it once, so whatever becomes of a request without an answer it is
 * safe to send it again, and that is what `retry` says [CT-4].
 */
import type { Clock } from "#base/clock.js";
import type {
  HttpAnswer,
  HttpRequest,
  Incoming,
  Outgoing,
  Platform,
  PlatformParts,
  Press,
  SendOutcome,
} from "../platform.js";
import { answer, readInbound } from "./inbound.js";
import type { WebhookSettings } from "./kind.js";
import { type PostAnswer, post } from "./post.js";
import { KEY_HEADER, SIGNATURE_HEADER, signatureOf, TIMESTAMP_HEADER } from "./signature.js";

/** When the other side is in trouble and says nothing of when to come back. */
const RETRY_MS = 5_000;
/** A time that it names is believed up to here. */
const RETRY_MAX_MS = 3_600_000;
/** Ours to whoever calls. */
const COME_BACK_S = "5";

export function openWebhook(settings: WebhookSettings, parts: PlatformParts): Platform {
  return new WebhookAccount(settings, parts);
}

class WebhookAccount implements Platform {
  readonly #settings: WebhookSettings;
  readonly #parts: PlatformParts;
  #isRunning = false;

  constructor(settings: WebhookSettings, parts: PlatformParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#isRunning = true;
    this.#parts.receiver.up();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#isRunning = false;
  }

  async http(request: HttpRequest): Promise<HttpAnswer> {
    if (!this.#isRunning) return answer(503, { error: "not there right now" }, { "retry-after": COME_BACK_S });
    const inbound = readInbound(request, this.#settings.secret, this.#parts.clock.nowMs());
    switch (inbound.kind) {
      case "turned-away":
        return inbound.answer;
      case "said":
        return this.#keep(inbound.incoming);
      case "pressed":
        return this.#press(inbound.press);
    }
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const { out_url: url, secret } = this.#settings;
    if (url === undefined) return { kind: "refused", why: "platforms.webhook.out_url is not set" };
    if (signal.aborted) return { kind: "retry", afterMs: RETRY_MS, why: "there was no time left" };
    const { clock } = this.#parts;
    const body = Buffer.from(JSON.stringify(wordsOf(outgoing)));
    const timestamp = String(Math.floor(clock.nowMs() / 1000));
    const headers = {
      "content-type": "application/json",
      [KEY_HEADER]: outgoing.id,
      [TIMESTAMP_HEADER]: timestamp,
      [SIGNATURE_HEADER]: signatureOf({ timestamp, key: outgoing.id, body }, secret),
    };
    try {
      return outcomeOf(await post(url, { headers, body }, signal), outgoing.id, clock);
    } catch (error) {
      // The key makes a second attempt harmless, however far this one came.
      return { kind: "retry", afterMs: RETRY_MS, why: reason(error) };
    }
  }

  async #press(press: Press): Promise<HttpAnswer> {
    try {
      return answer(200, { text: await this.#parts.receiver.press(press) });
    } catch (error) {
      this.#parts.log.warn("a button pressed by webhook could not be seen to", { why: reason(error) });
      return answer(503, { error: "it did not work: press it again" }, { "retry-after": COME_BACK_S });
    }
  }

  async #keep(incoming: Incoming): Promise<HttpAnswer> {
    try {
      await this.#parts.receiver.message(incoming);
      return answer(200, { id: incoming.eventId });
    } catch (error) {
      this.#parts.log.warn("a message by webhook could not be kept", { event: incoming.eventId, why: reason(error) });
      return answer(503, { error: "it could not be kept: send it again" }, { "retry-after": COME_BACK_S });
    }
  }
}

function wordsOf({ id, place, text, buttons }: Outgoing) {
  const { chat, userId } = place;
  return {
    id,
    chat: chat.id,
    type: chat.type,
    thread: chat.threadId,
    user: userId,
    text: text.toWellFormed(),
    buttons: buttons?.map(({ label, token, look = "plain" }) => ({ label, token, look })),
  };
}

export function outcomeOf(given: PostAnswer, key: string, clock: Pick<Clock, "nowMs">): SendOutcome {
  const { status } = given;
  const why = `the other side answered ${status}`;
  if (status >= 200 && status < 300) return { kind: "sent", receipt: receiptIn(given.body) ?? key };
  // It has taken this key before.
  if (status === 409) return { kind: "sent", receipt: key };
  if (status === 429 || status === 503)
    return { kind: "retry", afterMs: waitOf(given.retryAfter, clock), why, scope: "platform" };
  if (status >= 500 || status === 408 || status === 425)
    return { kind: "retry", afterMs: waitOf(given.retryAfter, clock), why };
  return { kind: "refused", why };
}

function receiptIn(body: string): string | undefined {
  try {
    const found: unknown = JSON.parse(body);
    const id = typeof found === "object" && found !== null && "id" in found ? found.id : undefined;
    return typeof id === "string" && id !== "" ? id.slice(0, 200) : undefined;
  } catch {
    // Nobody has to answer in JSON.
    return undefined;
  }
}

/** Seconds, or a date. */
function waitOf(retryAfter: string | undefined, clock: Pick<Clock, "nowMs">): number {
  if (retryAfter === undefined) return RETRY_MS;
  const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - clock.nowMs();
  return Number.isFinite(waitMs) ? Math.min(RETRY_MAX_MS, Math.max(0, waitMs)) : RETRY_MS;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
