/** `talaria sessions delete`: shows what goes, asks, hides it at once and then erases its bytes. */
import { UserError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatCount, formatDateTime, formatPlural } from "../format.js";
import { mention, nameOf, requireSession, sessionDocument } from "./sessions-find.js";
import { withReader, withWriter } from "./sessions-store.js";

export const DELETE_MAX = 1_000;

export interface DeleteOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export async function deleteSessions(
  context: CliContext,
  names: readonly string[],
  { yes, dryRun }: DeleteOptions,
): Promise<void> {
  if (names.length > DELETE_MAX) {
    throw new UserError(
      `at most ${DELETE_MAX} sessions at a time`,
      "talaria sessions prune deletes by age",
      EXIT.usage,
    );
  }
  // Every name is looked up before anything is asked: a slip in the last one must not cost the first.
  const cards = await withReader(context, (store) => requireAll(store, names));
  if (!context.out.json) showWhatGoes(context, cards);
  if (dryRun === true) return tellPlan(context, cards);
  const what = cards.length === 1 ? "this session" : `these ${formatPlural(cards.length, "session")}`;
  if (!(await context.out.confirm(`Delete ${what} for good?`, { yes: yes === true }))) {
    return context.out.note("Nothing was deleted.");
  }
  await withWriter(context, (store) => removeAll(context, store, cards));
}

async function requireAll(store: SessionStore, names: readonly string[]): Promise<ConversationCard[]> {
  const cards = new Map<string, ConversationCard>();
  for (const name of names) {
    const card = await requireSession(store, name);
    cards.set(card.id, card);
  }
  return [...cards.values()];
}

async function removeAll(context: CliContext, store: SessionStore, cards: readonly ConversationCard[]): Promise<void> {
  const removed: ConversationCard[] = [];
  const busy: ConversationCard[] = [];
  for (const card of cards) {
    context.signal.throwIfAborted();
    const outcome = await store.remove({ conversation: card.id, by: "cli", nowMs: context.clock.nowMs() });
    if (outcome.kind === "removed") removed.push(card);
    if (outcome.kind === "busy") busy.push(card);
  }
  const isErased = await eraseWithProgress(context, store, messagesOf(removed));
  if (context.out.json) {
    context.out.document({ deleted: removed.map(sessionDocument), busy: busy.map(({ id }) => id), erased: isErased });
  } else context.out.line(`Deleted ${formatPlural(removed.length, "session")}.`);
  if (busy.length > 0) throw refusedBusy(busy);
}

/** True when everything is gone; false when Ctrl-C left the rest for the next time. */
export async function eraseWithProgress(context: CliContext, store: SessionStore, messages: number): Promise<boolean> {
  const { eraseRemoved } = await import("#app/retention.js");
  const progress = context.out.progress("Erasing", messages);
  const { clock, signal } = context;
  const { isDone } = await eraseRemoved(store, {
    clock,
    signal,
    onErased: (rows) => progress.update(Math.min(rows, messages), messages),
  });
  progress.finish();
  if (!isDone) context.out.note("Interrupted: hidden for good, and the rest is erased by the next deletion or doctor.");
  return isDone;
}

function showWhatGoes(context: CliContext, cards: readonly ConversationCard[]): void {
  context.out.table<ConversationCard>(
    [
      { title: "ID", value: ({ id }) => id },
      { title: "TITLE", value: nameOf, flexible: true },
      { title: "MSGS", value: ({ messages }) => formatCount(messages), align: "right" },
      { title: "BEGUN", value: ({ createdMs }) => formatDateTime(createdMs) },
      { title: "ACTIVE", value: ({ activeMs }) => formatDateTime(activeMs) },
    ],
    cards,
  );
  const routes = cards.reduce((sum, card) => sum + card.routes.length, 0);
  if (routes > 0) context.out.line(`${formatPlural(routes, "chat")} will begin a new session with the next message.`);
}

function tellPlan(context: CliContext, cards: readonly ConversationCard[]): void {
  const { out } = context;
  if (out.json) out.document({ wouldDelete: cards.map(sessionDocument) });
  else
    out.line(
      `Would delete ${formatPlural(cards.length, "session")} with ${formatPlural(messagesOf(cards), "message")}; nothing was changed.`,
    );
}

function messagesOf(cards: readonly ConversationCard[]): number {
  return cards.reduce((sum, { messages }) => sum + messages, 0);
}

function refusedBusy(busy: readonly ConversationCard[]): UserError {
  return new UserError(
    `a turn is running in ${busy.map(mention).join(", ")}; ${busy.length === 1 ? "it was" : "they were"} not deleted`,
    "try again when it has ended",
  );
}
