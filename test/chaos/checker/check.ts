/** One recovered store against the ledger. The database is a copy: the home's own is first opened by its next writer. */
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import type { Journal, Violation } from "../journal.js";
import { findLosses } from "./facts.js";
import { findHalves } from "./halves.js";
import { findUnfinished, Ledger } from "./ledger.js";
import { findDamage, findDisorder } from "./order.js";
import { readRows } from "./rows.js";

export const DATABASE = "state.db";
export const LOG = "state.db-wal";
/** More of one kind says nothing more. */
const VIOLATIONS_MAX = 20;
const RESOLVED_MAX = 40;

export interface CheckOptions {
  /** The last writer said that nothing is left to do. */
  readonly isIdle?: boolean;
  /** Answers whose commit lies beyond it count as only sent. */
  readonly walBytes?: number;
}

export async function checkStore(folder: string, journal: Journal, options: CheckOptions = {}): Promise<Violation[]> {
  const path = join(folder, DATABASE);
  const ledger = new Ledger(journal, options.walBytes);
  if (!existsSync(path)) return ledger.acked.length === 0 ? [] : [{ kind: "loss", text: "the database is gone" }];
  if (isUnborn(path)) return ledger.acked.length === 0 ? [] : [{ kind: "loss", text: "the schema is gone" }];
  const { db, store } = openInlineStore({ path, isReadOnly: true });
  const damage = findDamage(db);
  if (damage.length > 0) return damage;
  const rows = readRows(db);
  const isCut = options.walBytes !== undefined;
  const found = [
    ...findHalves(db),
    ...findDisorder(db),
    ...findLosses(rows, ledger),
    ...ledger.findStrangers(rows),
    ...ledger.findUncounted(rows),
    ...ledger.findLostDrafts(rows),
    ...(isCut ? [] : [...ledger.findBadPosts(rows), ...ledger.findAbandoned(rows), ...ledger.findUntold(rows)]),
    ...(options.isIdle ? findUnfinished(rows, journal) : []),
    ...(await findUnresolved(store, ledger)),
  ];
  // The connection stays open for the process's life; the pages it read need not.
  db.exec("PRAGMA shrink_memory");
  return found.slice(0, VIOLATIONS_MAX);
}

/** INV-17: ids that were shown lead back through the port itself, not only through rows. */
async function findUnresolved(
  store: ReturnType<typeof openInlineStore>["store"],
  ledger: Ledger,
): Promise<Violation[]> {
  const shown = ledger.acked.flatMap((entry) => {
    const value = entry.value as { conversation?: string; session?: string } | null;
    return entry.verb === "admit" || entry.verb === "reset" || entry.verb === "branch"
      ? [value?.session ?? value?.conversation]
      : [];
  });
  const found: Violation[] = [];
  for (const text of [...new Set(shown)].slice(-RESOLVED_MAX)) {
    if (text === undefined) continue;
    const { kind } = await store.resolve({ text });
    if (kind !== "found" && kind !== "deleted")
      found.push({ kind: "loss", text: `INV-17 id ${text} resolves to nothing` });
  }
  return found;
}

/** A file whose schema was never committed: legal as long as nobody was answered. */
function isUnborn(path: string): boolean {
  return new Connection({ path, isReadOnly: true }).scalar("PRAGMA user_version") === 0;
}

export function copyStore(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of [DATABASE, LOG]) if (existsSync(join(from, file))) cpSync(join(from, file), join(to, file));
}
