/**
 * Conversations on their way out: which ones, in which order, and their messages page by page, so that memory
 * stays flat however long one is. With `isRedacted` everything a person or a tool wrote passes the redaction rules.
 */
import type { ConversationId } from "#base/ids.js";
import { redact, redactValue } from "#base/redact.js";
import type { MessageBody } from "#session/message.js";
import type { SessionStore } from "#session/store.js";
import type { OutlineRow } from "#session/verbs/care.js";
import type { ConversationCard, HistoryRow, SessionRow } from "#session/verbs/reading.js";

const PAGE_CONVERSATIONS = 200;
const PAGE_MESSAGES = 200;

export interface Selection {
  /** Only these; everything when absent. */
  readonly only?: readonly ConversationId[];
  readonly source?: string;
}

export interface Leaving {
  readonly card: ConversationCard;
  readonly owner: OutlineRow["owner"];
}

/** In the order in which they were made: parents before what was branched from them. */
export async function* selected(
  store: SessionStore,
  selection: Selection,
  isRedacted: boolean,
): AsyncGenerator<Leaving> {
  let after: ConversationId | undefined;
  for (;;) {
    const page = await store.outline({ ...selection, ...(after && { after }), limit: PAGE_CONVERSATIONS });
    for (const { id, owner } of page) {
      const card = await store.show({ conversation: id });
      // Deleted since the page was read.
      if (card !== null) yield { card: isRedacted ? redactedCard(card) : card, owner };
    }
    after = page.at(-1)?.id;
    if (after === undefined) return;
  }
}

export interface MessageOptions {
  readonly withSuperseded: boolean;
  readonly isRedacted: boolean;
}

export async function* messagePages(
  store: SessionStore,
  conversation: ConversationId,
  { withSuperseded, isRedacted }: MessageOptions,
): AsyncGenerator<readonly HistoryRow[]> {
  let afterSeq = 0;
  for (;;) {
    const page = await store.history({ conversation, afterSeq, limit: PAGE_MESSAGES, withSuperseded });
    const last = page.at(-1);
    if (last === undefined) return;
    yield isRedacted ? page.map(redactedMessage) : page;
    afterSeq = last.seq;
  }
}

function redactedMessage({ body, ...message }: HistoryRow): HistoryRow {
  return {
    ...message,
    text: redact(message.text),
    ...(body && { body: redactValue(body) as MessageBody }),
  };
}

function redactedCard(card: ConversationCard): ConversationCard {
  const text = (value: string | null): string | null => (value === null ? null : redact(value));
  const session = (row: SessionRow): SessionRow => ({
    ...row,
    title: text(row.title),
    prompt: text(row.prompt),
    settings: redactValue(row.settings) as SessionRow["settings"],
    origin: redactValue(row.origin) as SessionRow["origin"],
  });
  return { ...card, title: text(card.title), preview: text(card.preview), sessions: card.sessions.map(session) };
}
