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
import { isPassing, RestTrouble } from "./rest-failure.js";
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
  /** When this life began. */
  readonly openedMs: number;
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
  const read = await readBack(outgoing.place.chat.id, sinceMs - SKEW_MS, parts.call, signal).catch(unreadable);
  const receipt = parts.echoes.of(nonce) ?? read.messages.find((one) => one.nonce === nonce)?.id;
  if (receipt !== undefined) return { kind: "found", receipt };
  const isFree = (one: WireMessage): boolean =>
    // A preview has its own nonce and takes the text of another delivery at its end.
    !parts.echoes.isAnothers(one.id, nonce) || (editedOf(one) ?? 0) >= sinceMs;
  const ours = read.messages.filter((one) => isSame(one, outgoing, parts) && isFree(one));
  return judge({
    candidates: ours.map((one) => ({ receipt: one.id, atMs: timeOf(one.id), editedMs: editedOf(one) })),
    ...{ isWhole: read.isWhole, sinceMs, nowMs: parts.clock.nowMs(), openedMs: parts.openedMs },
  });
}

export interface ReadBack {
  /** Our messages with the same words that are not known to be another delivery's. */
  readonly candidates: readonly {
    readonly receipt: string;
    readonly atMs: number;
    readonly editedMs?: number | undefined;
  }[];
  /** Everything since then was read. */
  readonly isWhole: boolean;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly openedMs: number;
}

/**
 * Pure. While Discord remembers the nonce, `absent` is safe even when it is wrong: the attempt that follows is answered with
 * the message that is there. So words are trusted only where they cannot be another delivery's: in the life that said
 * everything since, or where a preview was given its last text, which no nonce stands for; and when the nonce is forgotten.
 */
export function judge({ candidates, isWhole, sinceMs, nowMs, openedMs }: ReadBack): FoundSent {
  // A clock that was set back must not stretch the window.
  const isNonceKnown = nowMs >= sinceMs && nowMs - sinceMs < NONCE_WINDOW_MS;
  const since = candidates.filter((one) => Math.max(one.atMs, one.editedMs ?? 0) >= sinceMs);
  const [only] = since;
  if (since.length === 1 && only !== undefined) {
    const isCertain = sinceMs >= openedMs || only.editedMs !== undefined;
    if (isCertain || !isNonceKnown) return { kind: "found", receipt: only.receipt };
  }
  if (isNonceKnown) return { kind: "absent" };
  return candidates.length === 0 && isWhole ? { kind: "absent" } : { kind: "unsure" };
}

interface Read {
  readonly messages: readonly WireMessage[];
  readonly isWhole: boolean;
}

/** Where nothing can be read nothing was found, and the next attempt says why; an outage says nothing at all. */
function unreadable(error: unknown): Read {
  const isClosed = error instanceof RestTrouble && !isPassing(error.failure);
  return { messages: [], isWhole: isClosed };
}

function editedOf(message: WireMessage): number | undefined {
  const editedMs = Date.parse(message.edited_timestamp ?? "");
  return Number.isNaN(editedMs) ? undefined : editedMs;
}

/** Newest first, down to this time, within a bound. */
async function readBack(channelId: string, downToMs: number, call: Call, signal: AbortSignal): Promise<Read> {
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
