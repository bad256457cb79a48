/** What was undone, ended or titled in the source since the last run [IM-2]. */
import type { ImportCursor } from "#session/verbs/care.js";
import { toText } from "./columns.js";
import { type ImportContext, partId } from "./import-context.js";
import type { PlanRow } from "./plan.js";
import { endOf, type SessionExtras } from "./session-fields.js";
import type { Probe, SessionRow } from "./source.js";

const UNDONE_PER_ACT = 5_000;

export interface Changed {
  readonly plan: PlanRow;
  /** The session as it is known here, part by part. */
  readonly parts: readonly ImportCursor[];
  readonly row: SessionRow | undefined;
  readonly probe: Probe;
  readonly extras: SessionExtras;
}

export async function takeChanges(context: ImportContext, { plan, parts, row, probe, extras }: Changed): Promise<void> {
  const { source, target, ledger, nowMs } = context;
  const act = {
    weight: 100,
    done: () => undefined,
    refused: (why: string) => ledger.odd("not-stored", plan.sourceId, why),
  };
  const upToId = Math.max(...parts.map((part) => part.cursor));
  const undone = probe.undone === 0 ? [] : source.undone(plan.sourceId, upToId);
  for (const number of parts.keys()) {
    for (let at = 0; at < undone.length; at += UNDONE_PER_ACT) {
      const session = partId(plan.id, number + 1);
      const args = { session, undone: undone.slice(at, at + UNDONE_PER_ACT), nowMs };
      await target.add({ verb: "importChanges", args, ...act });
    }
  }
  const last = parts.at(-1);
  if (row === undefined || last === undefined || last.tip !== partId(plan.id, parts.length)) return;
  const { closedMs, reason } = endOf(plan, row, extras);
  const title = toText(row.title);
  const changes = {
    ...(last.isOpen && closedMs !== null && reason !== null && { end: { closedMs, reason } }),
    ...(last.title === null && title && { title }),
  };
  if (Object.keys(changes).length === 0) return;
  await target.add({ verb: "importChanges", args: { session: last.tip, nowMs, ...changes }, ...act });
}
