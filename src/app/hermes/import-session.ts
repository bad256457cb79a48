/**
 * Brings one session of the source into the store, or what is new of it [IM-2]. Every act here may be cut by a
 * kill: ids are derived from the source's, and messages go in by their growing numbers, so that the next run
 * goes on where this one stopped and ends with the same store.
 *
 * A session that was compacted in place becomes several: what was put aside, and what is live (`id~2`, `id~3`, …),
 * as if the source had made a new session each time. The originals stay readable, the live part is what goes on.
 */
import type { ImportCursor, ImportedSession } from "#session/verbs/care.js";
import { toMs } from "./columns.js";
import { type ImportContext, partId } from "./import-context.js";
import { importMessages } from "./import-messages.js";
import type { PlanRow } from "./plan.js";
import {
  conversationOf,
  type ReadSession,
  readSession,
  type SessionExtras,
  strayConversation,
} from "./session-fields.js";
import { FIRST_ID, type HermesSource, type Probe } from "./source.js";
import { takeChanges } from "./take-changes.js";

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
  const probe = source.probe(plan.sourceId);
  const parts = await knownParts(context, plan, known, probe);
  const stored = Math.max(-1, ...parts.map((part) => part.cursor));
  const row = plan.row === null ? undefined : source.session(plan.row);
  const extras = extrasFor(context, plan);
  const read = row && readSession(plan, row, extras, ledger);
  const home = known?.conversation ?? (await begin(context, { plan, read, parent, probe }));
  const knownCount = countStored(source, plan, probe, stored);
  ledger.count("messages", "found", knownCount);
  ledger.count("messages", "known", knownCount);
  context.onMessages(knownCount);
  if (known !== null) {
    if (plan.row !== null) ledger.count("sessions", "known");
    await takeChanges(context, { plan, parts, row, probe, extras });
  }
  await importParts(context, { plan, read, parts, stored, home, probe, tip: known?.tip ?? plan.id });
}

function countStored(source: HermesSource, plan: PlanRow, { count, lastId }: Probe, stored: number): number {
  if (stored < 0 || lastId === null) return 0;
  return stored >= lastId ? count : source.messageCount(plan.sourceId, stored);
}

interface Beginning {
  readonly plan: PlanRow;
  readonly read: ReadSession | undefined;
  readonly parent: ImportCursor | null;
  readonly probe: Probe;
}

/** Answers the conversation that the session is, or will be, a part of. */
async function begin(context: ImportContext, { plan, read, parent, probe }: Beginning): Promise<string> {
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
    const firstMs = extrasFor(context, plan).firstMs() ?? 0;
    await target.add({ verb: "importConversation", args: strayConversation(plan, firstMs), ...outcome });
    return plan.id;
  }
  if (plan.kind === "continuation" && plan.parent !== null && parent !== null) {
    if (isPartOf(parent.tip, plan.parent)) {
      const session = { ...firstPart(source, plan, read, probe), continues: parent.tip };
      await target.add({ verb: "importSession", args: { conversation: parent.conversation, session }, ...outcome });
      return parent.conversation;
    }
    ledger.odd("not-at-the-tip", plan.sourceId, `of ${plan.parentSource}`);
  }
  const conversation = { ...conversationOf(plan, read), first: firstPart(source, plan, read, probe) };
  await target.add({ verb: "importConversation", args: conversation, ...outcome });
  return plan.id;
}

function extrasFor({ source, extrasOf }: ImportContext, plan: PlanRow): SessionExtras {
  const firstMs = (): number | null => {
    const [first] = source.messages(source.messageIds(plan.sourceId, FIRST_ID, 1), 1);
    return first === undefined ? null : toMs(first.timestamp);
  };
  return { schema: source.schema, ...extrasOf(plan.sourceId), firstMs };
}

/** Where a live part follows, the first one closes as any compacted session does. */
function firstPart(source: HermesSource, plan: PlanRow, read: ReadSession, probe: Probe): ImportedSession {
  const { lastArchived: archived, lastId } = probe;
  if (archived === null || lastId === null || lastId <= archived) return read.session;
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

function isPartOf(session: string, id: string): boolean {
  return session === id || session.startsWith(`${id}~`);
}

async function knownParts(
  { target }: ImportContext,
  plan: PlanRow,
  known: ImportCursor | null,
  probe: Probe,
): Promise<readonly ImportCursor[]> {
  if (known === null) return [];
  const parts = [known];
  if (probe.lastArchived === null) return parts;
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
  readonly probe: Probe;
}

/** What was put aside since belongs to the last known part; what is live after it, to a new one. */
async function importParts(context: ImportContext, work: PartsWork): Promise<void> {
  const { source, target, ledger } = context;
  const { plan, read, parts, stored, probe } = work;
  const { lastId, lastArchived: archived } = probe;
  if (lastId === null || (lastId <= stored && stored >= 0)) return;
  const sinceMs = read?.session.createdMs ?? 0;
  const last = Math.max(1, parts.length);
  const before = Math.max(-1, ...parts.slice(0, -1).map((part) => part.cursor));
  const isAtTip = parts.length === 0 || work.tip === partId(plan.id, last);
  const splits = archived !== null && archived > before && isAtTip && read !== undefined;
  const isLive = splits && lastId > archived;
  if (!isLive)
    return importMessages(context, {
      plan,
      part: last,
      afterId: FIRST_ID,
      upToId: Number.MAX_SAFE_INTEGER,
      stored,
      sinceMs,
    });
  await importMessages(context, { plan, part: last, afterId: FIRST_ID, upToId: archived, stored, sinceMs });
  const session = livePart(source, plan, read, { number: last + 1, archived });
  await target.add({
    verb: "importSession",
    args: { conversation: work.home as never, session },
    weight: 1_000,
    done: () => undefined,
    refused: (why) => ledger.odd("not-stored", session.id, why),
  });
  await importMessages(context, {
    plan,
    part: last + 1,
    afterId: archived,
    upToId: Number.MAX_SAFE_INTEGER,
    stored,
    sinceMs,
  });
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

function leaveDeleted({ source, ledger, onMessages }: ImportContext, plan: PlanRow): void {
  const count = source.messageCount(plan.sourceId);
  if (plan.row !== null) ledger.count("sessions", "left");
  ledger.count("messages", "found", count);
  ledger.count("messages", "left", count);
  ledger.odd("deleted-here", plan.sourceId, `${count} messages`);
  onMessages(count);
}
