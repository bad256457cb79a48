/**
 * What we say: messages, edits, files, reactions. Every message carries the delivery's id as metadata, so that one whose
 * answer was lost is found again in the channel [CT-4].
 */
import type { Clock } from "#base/clock.js";
import type { Button, FoundSent, Outgoing, Place, SendOutcome } from "../platform.js";
import type { Directory } from "./directory.js";
import { emojiName } from "./emoji.js";
import { SlackFault } from "./fault.js";
import { Memory } from "./memory.js";
import { escapeText, toMrkdwn } from "./mrkdwn.js";
import { outcomeOf } from "./outcome.js";
import { SENT_EVENT_TYPE, searchSent } from "./sent.js";
import { Uploads } from "./upload.js";
import type { Answer, SlackWeb } from "./web.js";

/** Beyond this nothing is formatted: it is far over the limit, and Slack says what it thinks of it. */
const FORMATTED_CHARS_MAX = 12_000;
/** A request whose answer was lost may still be at work over there; before this nothing is said to be absent. */
export const SETTLE_MS = 2_000;
const LOST_MAX = 1_000;
const BUTTONS_MAX = 25;
const LABEL_CHARS_MAX = 75;

export class Deliver {
  readonly #web: SlackWeb;
  readonly #directory: Directory;
  readonly #uploads: Uploads;
  readonly #clock: Clock;
  /** When the answer to a delivery was lost, on the clock that only goes forward. */
  readonly #lost = new Memory<number>(LOST_MAX);

  constructor(web: SlackWeb, directory: Directory, given: { clock: Clock; fileBytesMax: number }) {
    const { clock, fileBytesMax } = given;
    this.#web = web;
    this.#clock = clock;
    this.#directory = directory;
    this.#uploads = new Uploads(web, fileBytesMax);
  }

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const { chat } = outgoing.place;
    if (chat.threadId !== undefined) this.#directory.join(chat.id, chat.threadId);
    const sent = await outcome(() => this.#post(outgoing, signal));
    if (sent.kind === "unknown") this.#lost.set(outgoing.id, this.#clock.monotonicMs());
    return sent;
  }

  async edit(place: Place, receipt: string, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    if (!isTimestamp(receipt)) return { kind: "refused", why: "a file's message cannot be changed" };
    return outcome(async () => {
      const args = { channel: place.chat.id, ts: receipt, link_names: false, ...contentOf(outgoing) };
      return receiptOf(await this.#web.call("chat.update", args, signal));
    });
  }

  async findSent(outgoing: Outgoing, sinceMs: number, signal: AbortSignal): Promise<FoundSent> {
    const matches = outgoing.media === undefined ? undefined : this.#uploads.matcher(outgoing, wording(outgoing.text));
    const sought = { outgoing, sinceMs, matches };
    const found = await searchSent(this.#web, sought, signal);
    const waitMs = (this.#lost.get(outgoing.id) ?? -SETTLE_MS) + SETTLE_MS - this.#clock.monotonicMs();
    if (found.kind !== "absent" || waitMs <= 0) return found;
    const isSettled = await this.#clock.sleep(waitMs, signal).then(
      () => true,
      () => false,
    );
    return isSettled ? searchSent(this.#web, sought, signal) : { kind: "unsure" };
  }

  async react(place: Place, messageId: string, emoji: string, signal: AbortSignal): Promise<void> {
    const name = emojiName(emoji);
    if (name === undefined) return;
    try {
      await this.#web.call("reactions.add", { channel: place.chat.id, timestamp: messageId, name }, signal);
    } catch (error) {
      const isThere =
        error instanceof SlackFault && error.fault.kind === "answered" && error.fault.code === "already_reacted";
      if (!isThere) throw error;
    }
  }

  async #post(outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const { media, text } = outgoing;
    const { chat } = outgoing.place;
    if (media !== undefined) return this.#uploads.send(outgoing, media, { comment: wording(text), signal });
    const thread = chat.threadId === undefined ? {} : { thread_ts: chat.threadId };
    const quiet = { unfurl_links: false, unfurl_media: false, link_names: false };
    const args = { channel: chat.id, ...thread, ...quiet, ...contentOf(outgoing) };
    return receiptOf(await this.#web.call("chat.postMessage", args, signal));
  }
}

/** What is thrown inside is an outcome. */
async function outcome(act: () => Promise<SendOutcome>): Promise<SendOutcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SlackFault) return outcomeOf(error.fault);
    return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}

function receiptOf({ ts }: Answer): SendOutcome {
  if (typeof ts === "string" && ts !== "") return { kind: "sent", receipt: ts };
  return { kind: "unknown", why: "Slack took it and gave no receipt" };
}

/** Buttons stand in an attachment: a block of text would take 3,000 characters at most, a text takes it all. */
function contentOf({ id, text, buttons = [] }: Outgoing) {
  const words = wording(text);
  const attachments =
    buttons.length === 0 ? [] : [{ fallback: buttons.map(({ label }) => label).join(" / "), blocks: [rowOf(buttons)] }];
  const metadata = { event_type: SENT_EVENT_TYPE, event_payload: { id } };
  return { text: words, attachments, metadata };
}

function rowOf(buttons: readonly Button[]) {
  return { type: "actions", elements: buttons.slice(0, BUTTONS_MAX).map(elementOf) };
}

const STYLES = { good: { style: "primary" }, bad: { style: "danger" }, plain: {} } as const;

function elementOf({ label, token, look = "plain" }: Button, at: number) {
  const text = { type: "plain_text", text: label.slice(0, LABEL_CHARS_MAX).toWellFormed(), emoji: true };
  return { type: "button", action_id: `talaria:${at}`, value: token, text, ...STYLES[look] };
}

function wording(text: string): string {
  return text.length > FORMATTED_CHARS_MAX ? escapeText(text.toWellFormed()) : toMrkdwn(text);
}

/** Receipts of messages are their timestamps; those of files are the file's id. */
export function isTimestamp(receipt: string): boolean {
  return /^\d+\.\d+$/.test(receipt);
}
