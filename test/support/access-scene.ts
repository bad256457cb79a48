/** Access over a store in memory, whose tables a test may look into. */
import { seededIds } from "#base/ids.js";
import type { Access } from "#gateway/access/access.js";
import { createAccess } from "#gateway/access/create-access.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { ManualClock } from "./manual-clock.js";

export interface AccessScene {
  readonly clock: ManualClock;
  readonly store: SessionStore;
  readonly access: Access;
  all<T>(sql: string): readonly T[];
  rows(table: string): number;
}

export function openAccess(): AccessScene {
  const clock = new ManualClock();
  const { store, db } = openInlineStore({ newId: seededIds(1), clock });
  const access = createAccess({ store, clock });
  const rows = (table: string): number =>
    db.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? -1;
  return { clock, store, access, all: (sql) => db.all(sql), rows };
}
