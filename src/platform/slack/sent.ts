/** Looks for a message of ours in the channel's recent past, for a send whose answer was lost. */
import type { FoundSent, Outgoing } from "../platform.js";
import { SlackFault } from "./fault.js";
import type { SlackWeb } from "./web.js";

export const SENT_EVENT_TYPE = "talaria_delivery";
/** Our clock and Slack's may differ by this. */
const SKEW_MS = 120_000;
const PAGE_MESSAGES = 200;
const PAGES_MAX = 5;

export interface Sought {
  readonly outgoing: Outgoing;
  readonly sinceMs: number;
  /** Tells a message without metadata; its receipt when it is the one. */
  readonly matches?: ((entry: SentEntry) => string | undefined) | undefined;
}

export interface SentEntry {
  readonly ts?: string;
  readonly text?: string;
  readonly bot_id?: string;
  readonly files?: readonly { readonly id?: string; readonly name?: string }[];
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly id?: unknown } };
}

export async function searchSent(web: SlackWeb, sought: Sought, signal: AbortSignal): Promise<FoundSent> {
  try {
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const { entries, next } = await readPage(web, { sought, cursor }, signal);
      for (const entry of entries) {
        const receipt = receiptOf(entry, sought);
        if (receipt !== undefined) return { kind: "found", receipt };
      }
      if (next === undefined) return { kind: "absent" };
      cursor = next;
    }
    return { kind: "unsure" };
  } catch (error) {
    if (error instanceof SlackFault) return { kind: "unsure" };
    throw error;
  }
}

async function readPage(web: SlackWeb, at: { sought: Sought; cursor: string | undefined }, signal: AbortSignal) {
  const { id: channel, threadId } = at.sought.outgoing.place.chat;
  const oldest = Math.max(0, (at.sought.sinceMs - SKEW_MS) / 1_000).toFixed(6);
  const args = { channel, oldest, limit: PAGE_MESSAGES, include_all_metadata: true, cursor: at.cursor };
  const answer =
    threadId === undefined
      ? await web.call("conversations.history", args, signal)
      : await web.call("conversations.replies", { ...args, ts: threadId }, signal);
  return { entries: entriesOf(answer["messages"]), next: nextCursor(answer) };
}

export function entriesOf(messages: unknown): readonly SentEntry[] {
  return Array.isArray(messages) ? messages.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

export function nextCursor(answer: Readonly<Record<string, unknown>>): string | undefined {
  const { next_cursor: next } = (answer["response_metadata"] ?? {}) as { next_cursor?: unknown };
  return typeof next === "string" && next !== "" ? next : undefined;
}

function receiptOf(entry: SentEntry, { outgoing, matches }: Sought): string | undefined {
  if (matches !== undefined) return matches(entry);
  const { metadata, ts } = entry;
  const isIt = metadata?.event_type === SENT_EVENT_TYPE && metadata.event_payload?.id === outgoing.id;
  return isIt ? ts : undefined;
}
