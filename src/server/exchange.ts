/**
 * What became of a message: the exchange it began, read from history. A message that was said before is known by its
 * client's id, which is kept with it, so that a second text under that id is found out instead of being taken for the
 * first [CT-2].
 */
import type { ConversationId, InputId } from "#base/ids.js";
import { withoutReferences } from "#command/reference/attached.js";
import type { Exchange } from "#protocol/shapes.js";
import type { MessageBody } from "#session/message.js";
import type { TurnOutcome } from "#session/turn.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";

/** How far back an exchange is looked for; a turn with more messages shows its answer alone. */
export const RECENT_MESSAGES_MAX = 400;
const QUEUE_LOOKED_AT = 1_000;
const PAGE_MESSAGES = 500;
/** How far back the first message under an id is looked for; beyond it the id alone decides. */
const LOOKED_BACK_MAX = 20_000;

export function lastExchange(card: ConversationCard, rows: readonly HistoryRow[]): Exchange | null {
  const said = rows.findLast(({ role }) => role === "user");
  return said === undefined ? null : exchangeFrom(card, rows, said);
}

export interface Repeated {
  readonly conversation: ConversationId;
  readonly input: InputId;
  readonly messageId: string;
  readonly text: string;
}

/** Undefined while its turn is not over. A Refusal when the first message under this id said something else. */
export async function becameOf(server: ServerContext, repeated: Repeated): Promise<Exchange | undefined> {
  const { store } = server;
  const { conversation, input, messageId, text } = repeated;
  const queued = (await store.queue({ conversation, limit: QUEUE_LOOKED_AT })).find(({ id }) => id === input);
  if (queued !== undefined) {
    checkSame(repeated, queued.text);
    return undefined;
  }
  const first = await firstOf(server, repeated);
  checkSame(repeated, first?.text);
  const [open] = await store.openTurns({ limit: 1, conversation });
  if (open !== undefined && (first === undefined || first.turn === open.turn)) return undefined;
  const card = await store.show({ conversation });
  if (card === null) return undefined;
  const rows = await store.recent({ conversation, limit: RECENT_MESSAGES_MAX });
  const users = rows.filter(({ role }) => role === "user");
  const said =
    users.find(({ body }) => hasMessageId(body, messageId)) ??
    users.findLast((row) => row.text === text) ??
    users.at(-1);
  return said === undefined ? undefined : exchangeFrom(card, rows, said);
}

/** What was named with `@file:` and its like may have changed between the two; what the person wrote may not. */
function checkSame({ messageId, text, conversation }: Repeated, first: string | null | undefined): void {
  if (first === undefined || first === null) return;
  const written = (said: string): string => withoutReferences(said).toWellFormed();
  if (written(first) === written(text)) return;
  throw new Refusal(
    "badArgument",
    `${messageId} was the id of another message: it said something else in ${conversation}; nothing was stored`,
  );
}

async function firstOf(
  { store }: ServerContext,
  { conversation, messageId }: Repeated,
): Promise<HistoryRow | undefined> {
  const end = (await store.show({ conversation }))?.seq ?? 0;
  const oldest = Math.max(0, end - LOOKED_BACK_MAX);
  // Numbers have no gaps: the newest page first, since a script repeats what it said last.
  for (let afterSeq = end - PAGE_MESSAGES; afterSeq > oldest - PAGE_MESSAGES; afterSeq -= PAGE_MESSAGES) {
    const range = { afterSeq: Math.max(0, afterSeq), limit: PAGE_MESSAGES, withSuperseded: true };
    const rows = await store.history({ conversation, ...range });
    const found = rows.find(({ role, body }) => role === "user" && hasMessageId(body, messageId));
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasMessageId(body: MessageBody | undefined, messageId: string): boolean {
  return body?.["messageId"] === messageId;
}

function exchangeFrom(card: ConversationCard, rows: readonly HistoryRow[], said: HistoryRow): Exchange {
  const exchange = exchangeOf(rows, said);
  const answer = answerOf(exchange);
  const note = exchange.findLast(({ role, body }) => role === "note" && isOutcome(body?.["outcome"]));
  const outcome = note?.body?.["outcome"];
  const unknown = exchange.filter(({ role, body }) => role === "tool" && body?.["outcome"] === "unknown");
  return {
    user: said.text,
    assistant: answer?.text ?? null,
    ...(said.turn === undefined ? {} : { turn_id: said.turn }),
    outcome: isOutcome(outcome) ? outcome : answer === undefined ? "failed" : "completed",
    ...(note === undefined ? {} : { reason: reasonIn(note) }),
    ...(answer?.body?.interrupted === true ? { is_interrupted: true } : {}),
    ...(unknown.length === 0 ? {} : { unknown_calls: unknown.map(({ body }) => body?.toolName ?? "tool") }),
    tip_session_id: card.tip,
    ...(card.model === null ? {} : { model: card.model }),
  };
}

/** What stands between a message and the person's next one. */
function exchangeOf(rows: readonly HistoryRow[], said: HistoryRow): readonly HistoryRow[] {
  const from = rows.indexOf(said) + 1;
  const next = rows.findIndex(({ role }, at) => at >= from && role === "user");
  return rows.slice(from, next < 0 ? undefined : next);
}

/** The last words of an exchange, unless a tool had the last word. */
function answerOf(exchange: readonly HistoryRow[]): HistoryRow | undefined {
  const last = exchange.findLast(({ role }) => role === "assistant" || role === "tool");
  return last?.role === "assistant" && last.text !== "" ? last : undefined;
}

function reasonIn({ text, body }: HistoryRow): string {
  const reason = body?.["reason"];
  return typeof reason === "string" ? reason : text;
}

/** Every end without an answer leaves a note that says which it was. */
function isOutcome(value: unknown): value is TurnOutcome {
  return typeof value === "string" && value !== "completed" && Object.hasOwn(OUTCOMES, value);
}

const OUTCOMES: Readonly<Record<TurnOutcome, true>> = {
  completed: true,
  failed: true,
  "interrupted-by-user": true,
  "interrupted-by-crash": true,
};
