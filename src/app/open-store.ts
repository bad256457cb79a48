/**
 * A home's store, opened for one command. Reading works beside whoever writes, and in an empty home; writing
 * takes the home's lock first, so that two writers are never a matter of luck [ST-2].
 */
import { existsSync } from "node:fs";
import type { Clock } from "#base/clock.js";
import type { HomePaths } from "#config/home.js";
import type { SessionStore } from "#session/store.js";
import { backupBeforeMigration } from "#store/sqlite/backup.js";
import { takeHostLock } from "#store/sqlite/host-lock.js";
import { type InlineStore, openInlineStore } from "#store/sqlite/inline-store.js";
import { writeMirror } from "./mirror.js";

/** How long a short command waits for another one to finish before it is refused. */
export const LOCK_WAIT_MS = 2_000;

/** Never creates or changes a file of the home. */
export function openReader(home: HomePaths): SessionStore {
  if (!existsSync(home.stateDb)) return openInlineStore().store;
  return openInlineStore({ path: home.stateDb, isReadOnly: true }).store;
}

export interface WriterOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly waitMs?: number;
}

export interface Writer extends InlineStore {
  /** Brings what is derived (the mirror) up to date; call it after the last write. */
  finish(): Promise<void>;
}

export async function openWriter(home: HomePaths, options: WriterOptions): Promise<Writer> {
  await takeHostLock(home.run, options.version, options.clock, options.waitMs ?? LOCK_WAIT_MS);
  const opened = openInlineStore({
    path: home.stateDb,
    beforeMigration: (from) => backupBeforeMigration(home.stateDb, home.backups, from),
  });
  const versionAtStart = await opened.store.routeVersion({});
  return {
    ...opened,
    async finish() {
      if ((await opened.store.routeVersion({})) !== versionAtStart) await writeMirror(opened.store, home.mirror);
    },
  };
}
