/**
 * Brings one session of the source into the store, or what is new of it [IM-2]. Every act here may be cut by a
 * kill: ids are derived from the source's, and messages go in by their growing numbers, so that the next run
 * goes on where this one stopped and ends with the same store.
 *
 * A session that was compacted in place becomes several: what was put aside, and what is live (`id~2`, `id~3`, …),
 * as if the source had made a new session each time. The originals stay readable, the live part is what goes on.
 */
import type { ImportCursor, ImportedMessage, ImportedSession } from "#session/verbs/care.js";
import { toMs, toText } from "./columns.js";
import { type Copies, createCopies, digestOf, NO_COPIES } from "./copies.js";
import { decodeMessage } from "./decode.js";
import { createPairs, type Pairs } from "./pairs.js";
import type { PlanRow } from "./plan.js";
import type { Ledger } from "./report.js";
import {
  conversationOf,
  endOf,
  type ReadSession,
  readSession,
  type SessionExtras,
  strayConversation,
} from "./session-fields.js";
import type { HermesSource, MessageRow, SessionRow } from "./source.js";
import type { Target } from "./target.js";

export interface ImportContext {
  readonly source: HermesSource;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly nowMs: number;
  extrasOf(sourceId: string): Omit<SessionExtras, "schema">;
  onMessages(count: number): void;
}

const PAGE_IDS = 20_000;
const PAGE_MESSAGES = 500;
const PAGE_BYTES = 2_000_000;
const FIRST_ID = Number.MIN_SAFE_INTEGER;

/** `known` and `parent` are what the store knew of the session and of its parent before. */
export async function importSession(
  context: ImportContext,
  plan: PlanRow,
  known: ImportCursor | null,
  parent: ImportCursor | null,
): Promise<void> {
  const { source, ledger } = context;
  if (plan.row !== null) ledger.count("sessions", "found");
  if (known?.isDeleted || (known === null && plan.kind === "continuation" && parent?.isDeleted)) {
    leaveDeleted(context, plan);
    return;
  }
  const parts = await knownParts(context, plan, known);
  const stored = Math.max(-1, ...parts.map((part) => part.cursor));
  const row = plan.row === null ? undefined : source.session(plan.row);
  const read = row && readSession(plan, row, extrasFor(context, plan), ledger);
  const home = known?.conversation ?? (await begin(context, plan, read, parent));
  const knownCount = stored < 0 ? 0 : source.messageCount(plan.sourceId, stored);
  ledger.count("messages", "found", knownCount);
  ledger.count("messages", "known", knownCount);
  context.onMessages(knownCount);
  if (known !== null) {
    if (plan.row !== null) ledger.count("sessions", "known");
    await takeChanges(context, plan, parts, row);
  }
  await importParts(context, { plan, read, parts, stored, home, tip: known?.tip ?? plan.id });
}

/** Answers the conversation that the session is, or will be, a part of. */
async function begin(
  context: ImportContext,
  plan: PlanRow,
  read: ReadSession | undefined,
  parent: ImportCursor | null,
): Promise<string> {
  const { target, ledger, source } = context;
  const outcome = {
    weight: 1_000,
    done: ({ title }: { readonly title: string }): void => {
      if (plan.row !== null) ledger.count("sessions", "added");
      if (title === "dropped") ledger.odd("title-not-taken", plan.sourceId, read?.session.title);
    },
    refused: (why: string): void => {
      if (plan.row !== null) ledger.count("sessions", "left");
      ledger.odd("not-stored", plan.sourceId, why);
    },
  };
  if (read === undefined) {
    const firstMs = extrasFor(context, plan).firstMs ?? 0;
    await target.add({ verb: "importConversation", args: strayConversation(plan, firstMs), ...outcome });
    return plan.id;
  }
  if (plan.kind === "continuation" && plan.parent !== null && parent !== null) {
    if (isPartOf(parent.tip, plan.parent)) {
      const session = { ...firstPart(source, plan, read), continues: parent.tip };
      await target.add({ verb: "importSession", args: { conversation: parent.conversation, session }, ...outcome });
      return parent.conversation;
    }
    ledger.odd("not-at-the-tip", plan.sourceId, `of ${plan.parentSource}`);
  }
  const conversation = { ...conversationOf(plan, read), first: firstPart(source, plan, read) };
  await target.add({ verb: "importConversation", args: conversation, ...outcome });
  return plan.id;
}

function extrasFor({ source, extrasOf }: ImportContext, plan: PlanRow): SessionExtras {
  const [first] = source.messages(source.messageIds(plan.sourceId, FIRST_ID, 1), 1);
  const firstMs = first && toMs(first.timestamp);
  return { schema: source.schema, ...extrasOf(plan.sourceId), ...(firstMs != null && { firstMs }) };
}

/** Where a live part follows, the first one closes as any compacted session does. */
function firstPart(source: HermesSource, plan: PlanRow, read: ReadSession): ImportedSession {
  const archived = source.lastArchived(plan.sourceId);
  if (archived === null || source.messageIds(plan.sourceId, archived, 1).length === 0) return read.session;
  const closedMs = liveSinceMs(source, plan, archived) ?? read.session.createdMs;
  return {
    ...read.session,
    openings: read.session.openings.map((opening) => ({ ...opening, closedMs, reason: "compression" })),
  };
}

function liveSinceMs(source: HermesSource, plan: PlanRow, archived: number): number | null {
  const [first] = source.messages(source.messageIds(plan.sourceId, archived, 1), 1);
  return first === undefined ? null : toMs(first.timestamp);
}

export function partId(id: string, number: number): string {
  return number === 1 ? id : `${id}~${number}`;
}

function isPartOf(session: string, id: string): boolean {
  return session === id || session.startsWith(`${id}~`);
}

async function knownParts(
  { source, target }: ImportContext,
  plan: PlanRow,
  known: ImportCursor | null,
): Promise<readonly ImportCursor[]> {
  if (known === null) return [];
  const parts = [known];
  if (source.lastArchived(plan.sourceId) === null) return parts;
  for (;;) {
    const next = await target.cursor(partId(plan.id, parts.length + 1));
    if (next === null) return parts;
    parts.push(next);
  }
}

interface PartsWork {
  readonly plan: PlanRow;
  readonly read: ReadSession | undefined;
  readonly parts: readonly ImportCursor[];
  readonly stored: number;
  readonly home: string;
  readonly tip: string;
}

/** What was put aside since belongs to the last known part; what is live after it, to a new one. */
async function importParts(context: ImportContext, work: PartsWork): Promise<void> {
  const { source, target, ledger } = context;
  const { plan, read, parts, stored } = work;
  const last = Math.max(1, parts.length);
  const archived = source.lastArchived(plan.sourceId);
  const before = Math.max(-1, ...parts.slice(0, -1).map((part) => part.cursor));
  const isAtTip = parts.length === 0 || work.tip === partId(plan.id, last);
  const splits = archived !== null && archived > before && isAtTip && read !== undefined;
  const isLive = splits && source.messageIds(plan.sourceId, Math.max(stored, archived), 1).length > 0;
  if (!isLive)
    return importMessages(context, { plan, part: last, afterId: FIRST_ID, upToId: Number.MAX_SAFE_INTEGER, stored });
  await importMessages(context, { plan, part: last, afterId: FIRST_ID, upToId: archived, stored });
  const session = livePart(source, plan, read, { number: last + 1, archived });
  await target.add({
    verb: "importSession",
    args: { conversation: work.home as never, session },
    weight: 1_000,
    done: () => undefined,
    refused: (why) => ledger.odd("not-stored", session.id, why),
  });
  await importMessages(context, { plan, part: last + 1, afterId: archived, upToId: Number.MAX_SAFE_INTEGER, stored });
}

function livePart(
  source: HermesSource,
  plan: PlanRow,
  read: ReadSession,
  part: { readonly number: number; readonly archived: number },
): ImportedSession {
  const { usage, origin, ...session } = read.session;
  const createdMs = liveSinceMs(source, plan, part.archived) ?? session.createdMs;
  return {
    ...session,
    id: partId(plan.id, part.number),
    continues: partId(plan.id, part.number - 1),
    createdMs,
    origin: { program: "hermes", sourceId: plan.sourceId, part: part.number },
    openings: session.openings.map((opening) => ({ ...opening, openedMs: createdMs })),
  };
}

interface MessagesWork {
  readonly plan: PlanRow;
  readonly part: number;
  readonly afterId: number;
  readonly upToId: number;
  /** What is not above it has been stored by an earlier run. */
  readonly stored: number;
}

async function importMessages(context: ImportContext, work: MessagesWork): Promise<void> {
  const { source, ledger } = context;
  const { plan, stored, afterId, upToId } = work;
  const [next] = source.messageIds(plan.sourceId, Math.max(stored, afterId), 1);
  if (next === undefined || next > upToId) return;
  const mayCopy =
    work.part > 1 || (plan.parentSource !== null && plan.kind !== "delegation" && plan.kind !== "detached");
  const copies = mayCopy ? createCopies(originalsFor(context, work)) : NO_COPIES;
  // Copies and pairs are told by what stands before them, so their reading begins at the beginning.
  const startId = mayCopy || stored < 0 ? afterId : Math.max(stored, afterId);
  const pairs = startId === FIRST_ID ? createPairs() : undefined;
  const state = { atMs: extrasFor(context, plan).firstMs ?? 0 };
  for (const rows of pages(source, plan.sourceId, startId, upToId))
    await sendPage(context, work, { rows, copies, pairs, state });
  const { callsOpen = [], resultsOpen = [] } = pairs?.unmatched() ?? {};
  if (callsOpen.length > 0)
    ledger.odd("call-without-result", plan.sourceId, callsOpen.join(", ").slice(0, 200), callsOpen.length);
  if (resultsOpen.length > 0)
    ledger.odd("result-without-call", plan.sourceId, resultsOpen.join(", ").slice(0, 200), resultsOpen.length);
}

interface Page {
  readonly rows: readonly MessageRow[];
  readonly copies: Copies;
  readonly pairs: Pairs | undefined;
  /** The time of the message before, for one without. */
  readonly state: { atMs: number };
}

async function sendPage(
  context: ImportContext,
  work: MessagesWork,
  { rows, copies, pairs, state }: Page,
): Promise<void> {
  const { target, ledger } = context;
  const { plan } = work;
  const messages: ImportedMessage[] = [];
  let weight = 0;
  for (const row of rows) {
    const { message, oddities } = decodeMessage(row, state.atMs);
    state.atMs = message.atMs;
    const isCarried = copies.isCopy(row);
    pairs?.see(message);
    if (row.id <= work.stored && row.id >= 0) continue;
    ledger.count("messages", "found");
    context.onMessages(1);
    if (row.id < 0 || !Number.isSafeInteger(row.id)) {
      ledger.count("messages", "left");
      ledger.odd("not-stored", plan.sourceId, `message ${row.id}: its number is not usable`);
      continue;
    }
    for (const kind of oddities) ledger.odd(kind, plan.sourceId, `message ${row.id}`);
    messages.push(isCarried ? { ...message, isCarried } : message);
    weight += row.bytes + 100;
  }
  if (messages.length === 0) return;
  await target.add({
    verb: "importMessages",
    args: { session: partId(plan.id, work.part), messages },
    weight,
    done: ({ added }) => ledger.count("messages", "added", added),
    refused: (why) => {
      ledger.count("messages", "left", messages.length);
      ledger.odd("not-stored", plan.sourceId, `${messages.length} messages: ${why}`, messages.length);
    },
  });
}

/** Everything a copy could be a copy of: the parent's messages, or those that were put aside before this part. */
function originalsFor({ source }: ImportContext, { plan, part, afterId }: MessagesWork): ReadonlySet<string> {
  const digests = new Set<string>();
  const add = (session: string, upToId: number): void => {
    for (const rows of pages(source, session, FIRST_ID, upToId)) for (const row of rows) digests.add(digestOf(row));
  };
  if (part > 1) add(plan.sourceId, afterId);
  else if (plan.parentSource !== null) add(plan.parentSource, Number.MAX_SAFE_INTEGER);
  return digests;
}

function* pages(
  source: HermesSource,
  session: string,
  afterId: number,
  upToId: number,
): Generator<readonly MessageRow[]> {
  let last = afterId;
  for (;;) {
    const ids = source.messageIds(session, last, PAGE_IDS).filter((id) => id <= upToId);
    if (ids.length === 0) return;
    for (let at = 0; at < ids.length; ) {
      const rows = source.messages(ids.slice(at, at + PAGE_MESSAGES), PAGE_BYTES);
      // Gone since their ids were read: somebody deleted them there.
      if (rows.length === 0) at += PAGE_MESSAGES;
      else {
        yield rows;
        const lastId = rows.at(-1)?.id ?? 0;
        while (at < ids.length && (ids[at] ?? 0) <= lastId) at++;
      }
    }
    last = ids.at(-1) ?? last;
  }
}

function leaveDeleted({ source, ledger, onMessages }: ImportContext, plan: PlanRow): void {
  const count = source.messageCount(plan.sourceId);
  if (plan.row !== null) ledger.count("sessions", "left");
  ledger.count("messages", "found", count);
  ledger.count("messages", "left", count);
  ledger.odd("deleted-here", plan.sourceId, `${count} messages`);
  onMessages(count);
}

const UNDONE_PER_ACT = 5_000;

/** Undone, ended or titled there since the last run. */
async function takeChanges(
  context: ImportContext,
  plan: PlanRow,
  parts: readonly ImportCursor[],
  row: SessionRow | undefined,
): Promise<void> {
  const { source, target, ledger, nowMs } = context;
  const act = {
    weight: 100,
    done: () => undefined,
    refused: (why: string) => ledger.odd("not-stored", plan.sourceId, why),
  };
  const undone = source.undone(plan.sourceId, Math.max(...parts.map((part) => part.cursor)));
  for (const number of parts.keys()) {
    for (let at = 0; at < undone.length; at += UNDONE_PER_ACT) {
      const session = partId(plan.id, number + 1);
      const args = { session, undone: undone.slice(at, at + UNDONE_PER_ACT), nowMs };
      await target.add({ verb: "importChanges", args, ...act });
    }
  }
  const last = parts.at(-1);
  if (row === undefined || last === undefined || last.tip !== partId(plan.id, parts.length)) return;
  const { closedMs, reason } = endOf(plan, row, extrasFor(context, plan));
  const title = toText(row.title);
  const changes = {
    ...(last.isOpen && closedMs !== null && reason !== null && { end: { closedMs, reason } }),
    ...(last.title === null && title && { title }),
  };
  if (Object.keys(changes).length === 0) return;
  await target.add({ verb: "importChanges", args: { session: last.tip, nowMs, ...changes }, ...act });
}
