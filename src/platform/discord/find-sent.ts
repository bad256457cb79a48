/**
 * Whether a message of ours arrived. Discord does not keep the nonce with a message: it is seen in the answer, in the event
 * that tells of the message, and by Discord itself for some minutes. So what the gateway told us comes first; then the
 * channel is read, and our messages are compared by what they say.
 */
import type { Clock } from "#base/clock.js";
import type { FoundSent, Outgoing } from "../platform.js";
import { toDiscord } from "./markdown.js";
import { fileName, nonceOf } from "./outgoing.js";
import type { Call } from "./rest.js";
import { isNewer, timeOf, type WireMessage, wireMessage } from "./wire.js";

/** Discord says "a few minutes"; within this a second attempt certainly shows the first one's message. */
export const NONCE_WINDOW_MS = 60_000;
/** How far Discord's clock and ours may differ. */
const SKEW_MS = 5 * 60_000;
const PAGE = 100;
const PAGES_MAX = 5;
const ECHOES_MAX = 10_000;

/** Which of our messages came about in this life, by nonce; a message that is one's is not another's. */
export class Echoes {
  readonly #byNonce = new Map<string, string>();
  readonly #messages = new Set<string>();

  note(nonce: string, messageId: string): void {
    if (this.#byNonce.has(nonce)) return;
    this.#byNonce.set(nonce, messageId);
    this.#messages.add(messageId);
    const oldest = this.#byNonce.entries().next();
    if (this.#byNonce.size <= ECHOES_MAX || oldest.done === true) return;
    this.#byNonce.delete(oldest.value[0]);
    this.#messages.delete(oldest.value[1]);
  }

  of(nonce: string): string | undefined {
    return this.#byNonce.get(nonce);
  }

  isAnothers(messageId: string, nonce: string): boolean {
    return this.#messages.has(messageId) && this.#byNonce.get(nonce) !== messageId;
  }
}

export interface FindParts {
  readonly call: Call;
  readonly clock: Clock;
  readonly echoes: Echoes;
  readonly selfId: string | undefined;
}

export async function findSent(
  outgoing: Outgoing,
  sinceMs: number,
  parts: FindParts,
  signal: AbortSignal,
): Promise<FoundSent> {
  const nonce = nonceOf(outgoing);
  const echoed = parts.echoes.of(nonce);
  if (echoed !== undefined) return { kind: "found", receipt: echoed };
  const read = await readBack(outgoing.place.chat.id, sinceMs - SKEW_MS, parts.call, signal);
  const later = parts.echoes.of(nonce);
  if (later !== undefined) return { kind: "found", receipt: later };
  const named = read.messages.find((one) => one.nonce === nonce);
  if (named !== undefined) return { kind: "found", receipt: named.id };
  const ours = read.messages.filter((one) => isSame(one, outgoing, parts) && !parts.echoes.isAnothers(one.id, nonce));
  return judge({
    candidatesMs: ours.map((one) => ({ receipt: one.id, atMs: timeOf(one.id) })),
    isWhole: read.isWhole,
    sinceMs,
    nowMs: parts.clock.nowMs(),
  });
}

export interface ReadBack {
  /** Our messages with the same words that are not known to be another delivery's. */
  readonly candidatesMs: readonly { readonly receipt: string; readonly atMs: number }[];
  /** Everything since then was read. */
  readonly isWhole: boolean;
  readonly sinceMs: number;
  readonly nowMs: number;
}

/**
 * Pure. While Discord remembers the nonce, `absent` is safe even when it is wrong: the attempt that follows is answered with
 * the message that is there. After that only what is certain is said.
 */
export function judge({ candidatesMs, isWhole, sinceMs, nowMs }: ReadBack): FoundSent {
  const after = candidatesMs.filter((one) => one.atMs >= sinceMs);
  const [only] = after;
  if (after.length === 1 && only !== undefined) return { kind: "found", receipt: only.receipt };
  // A clock set back or forward must not stretch the window.
  const ageMs = nowMs - sinceMs;
  if (ageMs >= 0 && ageMs < NONCE_WINDOW_MS) return { kind: "absent" };
  return candidatesMs.length === 0 && isWhole ? { kind: "absent" } : { kind: "unsure" };
}

/** Newest first, down to this time, within a bound. */
async function readBack(
  channelId: string,
  downToMs: number,
  call: Call,
  signal: AbortSignal,
): Promise<{ readonly messages: readonly WireMessage[]; readonly isWhole: boolean }> {
  const messages: WireMessage[] = [];
  let before: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { limit: String(PAGE), ...(before === undefined ? {} : { before }) };
    const answer = await call({ method: "GET", route: `/channels/${channelId}/messages`, query }, signal);
    const rows = (Array.isArray(answer) ? answer : []).flatMap((row) => wireMessage.safeParse(row).data ?? []);
    messages.push(...rows);
    for (const { id } of rows) if (before === undefined || isNewer(before, id)) before = id;
    if (rows.length < PAGE || before === undefined || timeOf(before) < downToMs) return { messages, isWhole: true };
  }
  return { messages, isWhole: false };
}

function isSame(message: WireMessage, outgoing: Outgoing, { selfId }: FindParts): boolean {
  if (selfId === undefined ? message.author.bot !== true : message.author.id !== selfId) return false;
  const names = message.attachments.map((attachment) => attachment.filename).join();
  const name = outgoing.media === undefined ? "" : fileName(outgoing.media);
  return names === name && message.content.trim() === toDiscord(outgoing.text).trim();
}
