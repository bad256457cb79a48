/**
 * `--message-id`: the same id twice is one message [CT-2]. The id is kept with the message, so that a second text under
 * it is found out instead of being taken for the first.
 */
import { UserError } from "#base/errors.js";
import type { ConversationId, InputId } from "#base/ids.js";
import { visible } from "#base/text-width.js";
import type { MessageBody } from "#session/message.js";
import type { SessionStore } from "#session/store.js";
import { EXIT } from "../exit-codes.js";

const QUEUE_LOOKED_AT = 1_000;
const PAGE_MESSAGES = 500;
/** How far back the first message is looked for; beyond it the id alone decides. */
const LOOKED_BACK_MAX = 20_000;

export function messageIdBody(messageId: string): MessageBody {
  return { messageId };
}

export function hasMessageId(body: MessageBody | undefined, messageId: string): boolean {
  return body?.["messageId"] === messageId;
}

export interface Repeated {
  readonly conversation: ConversationId;
  readonly input: InputId;
  readonly messageId: string;
  readonly text: string;
}

/** A UserError when the first message under this id said something else. */
export async function checkRepeated(store: SessionStore, repeated: Repeated): Promise<void> {
  const first = await firstText(store, repeated);
  if (first === undefined || first === repeated.text.toWellFormed()) return;
  throw new UserError(
    `${visible(repeated.messageId)} was the id of another message`,
    `it said something else in ${repeated.conversation}; nothing was stored: take a new --message-id`,
    EXIT.usage,
  );
}

async function firstText(
  store: SessionStore,
  { conversation, input, messageId }: Repeated,
): Promise<string | undefined> {
  const queued = await store.queue({ conversation, limit: QUEUE_LOOKED_AT });
  const waiting = queued.find(({ id }) => id === input)?.text;
  if (waiting !== undefined && waiting !== null) return waiting;
  const end = (await store.show({ conversation }))?.seq ?? 0;
  const oldest = Math.max(0, end - LOOKED_BACK_MAX);
  // Numbers have no gaps: the newest page first, since a script repeats what it said last.
  for (let afterSeq = end - PAGE_MESSAGES; afterSeq > oldest - PAGE_MESSAGES; afterSeq -= PAGE_MESSAGES) {
    const range = { afterSeq: Math.max(0, afterSeq), limit: PAGE_MESSAGES, withSuperseded: true };
    const rows = await store.history({ conversation, ...range });
    const found = rows.find(({ role, body }) => role === "user" && hasMessageId(body, messageId));
    if (found !== undefined) return found.text;
  }
  return undefined;
}
