/**
 * The messages of one session, or of one part of it, in pages bounded in number and in bytes. What an earlier run
 * stored is passed over; what is told by its neighbours (copies, pairs of calls and results) is read from the start.
 */
import type { ImportedMessage } from "#session/verbs/care.js";
import { type Copies, createCopies, digestOf, NO_COPIES } from "./copies.js";
import { decodeMessage } from "./decode.js";
import { type ImportContext, partId } from "./import-context.js";
import { createPairs, type Pairs } from "./pairs.js";
import type { PlanRow } from "./plan.js";
import { FIRST_ID, type HermesSource, type MessageRow } from "./source.js";

const PAGE_IDS = 20_000;
const PAGE_MESSAGES = 500;
const PAGE_BYTES = 2_000_000;

export interface MessagesWork {
  readonly plan: PlanRow;
  readonly part: number;
  readonly afterId: number;
  readonly upToId: number;
  /** What is not above it has been stored by an earlier run. */
  readonly stored: number;
  /** For messages without a time of their own. */
  readonly sinceMs: number;
}

export async function importMessages(context: ImportContext, work: MessagesWork): Promise<void> {
  const { source, ledger } = context;
  const { plan, stored, afterId, upToId } = work;
  if (stored >= upToId) return;
  const mayCopy =
    work.part > 1 || (plan.parentSource !== null && plan.kind !== "delegation" && plan.kind !== "detached");
  const copies = mayCopy ? createCopies(originalsFor(context, work)) : NO_COPIES;
  // Copies and pairs are told by what stands before them, so their reading begins at the beginning.
  const startId = mayCopy || stored < 0 ? afterId : Math.max(stored, afterId);
  const pairs = startId === FIRST_ID ? createPairs() : undefined;
  for (const rows of pages(source, plan.sourceId, startId, upToId))
    await sendPage(context, work, { rows, copies, pairs });
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
}

async function sendPage(context: ImportContext, work: MessagesWork, { rows, copies, pairs }: Page): Promise<void> {
  const { target, ledger } = context;
  const { plan } = work;
  const messages: ImportedMessage[] = [];
  let weight = 0;
  for (const row of rows) {
    const { message, oddities } = decodeMessage(row, work.sinceMs);
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
