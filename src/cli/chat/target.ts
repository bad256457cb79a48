/** Which conversation a chat goes on in, and what of it is still open. */
import type { Question } from "#app/chat-ports.js";
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { TurnOutcome } from "#session/turn.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import { requireSession } from "../commands/sessions-find.js";
import { EXIT } from "../exit-codes.js";
import type { PendingQuestion } from "./ask.js";
import type { Recalled } from "./display.js";
import { hasMessageId } from "./message-id.js";
import { type ChatOptions, workingDirectory } from "./options.js";

export const CLI_PLATFORM = "cli";
/** How far back the last exchange is looked for; a turn with more messages shows its answer alone. */
const RECENT_MESSAGES_MAX = 400;

/** Undefined: a new one. */
export async function findTarget(store: SessionStore, options: ChatOptions): Promise<ConversationCard | undefined> {
  const { resume, continue: continued } = options;
  const name = resume ?? (typeof continued === "string" ? continued : undefined);
  if (name === undefined && continued === undefined) return undefined;
  const card = name === undefined ? await newest(store) : await requireSession(store, name);
  const own = card.sessions.at(-1)?.cwd ?? null;
  if (options.cwd !== undefined && own !== null && own !== workingDirectory(options)) {
    throw new UserError(`this conversation works in ${own}`, "--cwd is for new conversations", EXIT.usage);
  }
  return card;
}

async function newest(store: SessionStore): Promise<ConversationCard> {
  const [row] = await store.list({ limit: 1, source: CLI_PLATFORM });
  const card = row === undefined ? null : await store.show({ conversation: row.id });
  if (card !== null) return card;
  throw new UserError(
    "there is no terminal conversation to go on in",
    "talaria chat begins one; talaria sessions list shows those of other places",
    EXIT["not-found"],
  );
}

export async function pendingQuestions(
  store: SessionStore,
  conversation: ConversationId,
): Promise<readonly PendingQuestion[]> {
  const [open] = await store.openTurns({ limit: 1, conversation });
  const pending = open?.approvals.filter(({ answer }) => answer === null) ?? [];
  return pending.map(({ id, question }) => ({ approval: id, question: question as unknown as Question }));
}

export interface RecallWish {
  readonly because: Recalled["because"];
  /** What the message said, and its id; without them the last one is meant. */
  readonly text?: string;
  readonly messageId?: string;
}

/** The last exchange; or, for a message that came before, the exchange of that message where it is found. */
export async function recall(
  store: SessionStore,
  conversation: ConversationId,
  asked: RecallWish,
): Promise<Recalled | undefined> {
  const card = await store.show({ conversation });
  if (card === null) return undefined;
  const rows = await store.recent({ conversation, limit: RECENT_MESSAGES_MAX });
  const users = rows.filter(({ role }) => role === "user");
  const { text, messageId } = asked;
  const said =
    (messageId === undefined ? undefined : users.find(({ body }) => hasMessageId(body, messageId))) ??
    users.findLast((row) => text === undefined || row.text === text) ??
    users.at(-1);
  const exchange = exchangeOf(rows, said);
  const answer = answerOf(exchange);
  const note = exchange.findLast(({ role, body }) => role === "note" && isOutcome(body?.["outcome"]));
  const outcome = note?.body?.["outcome"];
  return {
    conversation,
    session: card.tip,
    model: card.model,
    because: asked.because,
    turn: said?.turn ?? null,
    said: said?.text ?? null,
    outcome: isOutcome(outcome) ? outcome : answer === undefined ? "failed" : "completed",
    reason: note?.text ?? null,
    answer: answer?.text ?? null,
    isCut: answer?.body?.interrupted === true,
  };
}

/** What stands between a message and the person's next one. */
function exchangeOf(rows: readonly HistoryRow[], said: HistoryRow | undefined): readonly HistoryRow[] {
  const from = said === undefined ? 0 : rows.indexOf(said) + 1;
  const next = rows.findIndex(({ role }, at) => at >= from && role === "user");
  return rows.slice(from, next < 0 ? undefined : next);
}

/** The last words of an exchange, unless a tool had the last word. */
function answerOf(exchange: readonly HistoryRow[]): HistoryRow | undefined {
  const last = exchange.findLast(({ role }) => role === "assistant" || role === "tool");
  return last?.role === "assistant" && last.text !== "" ? last : undefined;
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
