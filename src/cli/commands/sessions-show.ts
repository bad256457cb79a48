/** `talaria sessions show`: one conversation, its card and its last messages, in pages of bounded size. */
import { UserError } from "#base/errors.js";
import type { SessionId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatPlural } from "../format.js";
import { requireSession } from "./sessions-find.js";
import { cardDocument, showCard } from "./sessions-show-card.js";
import { messageDocument, messageLines } from "./sessions-show-messages.js";
import { withReader } from "./sessions-store.js";

export const SHOW_LIMIT_DEFAULT = 20;
const PAGE_MESSAGES = 200;

export interface ShowOptions {
  readonly limit: number;
  readonly all?: boolean;
  readonly session?: string;
  readonly raw?: boolean;
  readonly withSuperseded?: boolean;
}

export function showSession(context: CliContext, name: string, options: ShowOptions): Promise<void> {
  return withReader(context, async (store) => {
    const card = await requireSession(store, name);
    const part = options.session === undefined ? undefined : requirePart(card, options.session);
    const pages = messagePages(store, card, part, options);
    if (context.out.json) return writeDocument(context, card, pages);
    showCard(context, card);
    const shown = await showMessages(context, pages, options, card);
    const isCut = options.all !== true && shown >= options.limit;
    if (isCut) context.out.note(`The last ${formatPlural(shown, "message")}; -n 100 shows more, --all everything.`);
  });
}

/** The id of a session, or the beginning of one, among the conversation's own. */
function requirePart(card: ConversationCard, text: string): SessionId {
  const matching = card.sessions.filter(({ id }) => id.startsWith(text));
  const exact = matching.find(({ id }) => id === text);
  if (exact !== undefined) return exact.id;
  if (matching[0] !== undefined && matching.length === 1) return matching[0].id;
  const ids = card.sessions.map(({ id }) => id).slice(-5);
  throw new UserError(`this conversation has no session ${text}`, `it has ${ids.join(", ")}`, EXIT["not-found"]);
}

type Pages = AsyncIterable<readonly HistoryRow[]>;

async function* messagePages(
  store: SessionStore,
  card: ConversationCard,
  session: SessionId | undefined,
  options: ShowOptions,
): Pages {
  const conversation = card.id;
  const isWhole = session === undefined;
  if (options.all !== true && isWhole && options.withSuperseded !== true) {
    yield await store.recent({ conversation, limit: options.limit });
    return;
  }
  const range = { conversation, ...(isWhole ? {} : { session }), withSuperseded: options.withSuperseded === true };
  // Numbers have no gaps, so the last N begin N before the end; within one session they are found by reading it.
  let afterSeq = options.all !== true && isWhole ? Math.max(0, card.seq - options.limit) : 0;
  let tail: HistoryRow[] = [];
  for (;;) {
    const page = await store.history({ ...range, afterSeq, limit: PAGE_MESSAGES });
    const last = page.at(-1);
    if (last === undefined) break;
    afterSeq = last.seq;
    if (options.all === true) yield page;
    else tail = [...tail, ...page].slice(-options.limit);
  }
  if (options.all !== true) yield tail;
}

async function showMessages(
  context: CliContext,
  pages: Pages,
  options: ShowOptions,
  { superseded }: ConversationCard,
): Promise<number> {
  const { out } = context;
  let shown = 0;
  for await (const page of pages) {
    const lines = page.flatMap((row) => ["", ...messageLines(row, { out, isRaw: options.raw === true })]);
    if (lines.length > 0) await out.write(`${lines.join("\n")}\n`);
    shown += page.length;
    context.signal.throwIfAborted();
  }
  if (shown === 0) out.line(`\n${superseded.length === 0 ? "No messages." : ALL_UNDONE}`);
  return shown;
}

const ALL_UNDONE = "Every message was undone; --with-superseded shows them.";

/** Written in pages as well: a long conversation need not fit into memory to be printed. */
async function writeDocument({ out, signal }: CliContext, card: ConversationCard, pages: Pages): Promise<void> {
  await out.write(`{"session":${JSON.stringify(cardDocument(card))},"messages":[`);
  let isFirst = true;
  for await (const page of pages) {
    const items = page.map((row) => JSON.stringify(messageDocument(row)));
    if (items.length > 0) await out.write(`${isFirst ? "" : ","}${items.join(",")}`);
    isFirst &&= items.length === 0;
    signal.throwIfAborted();
  }
  await out.write("]}\n");
}
