/**
 * SQLite stores for contract suites: in memory, on a file in this thread, on a file behind threads. Each is fresh, and
 * closed when its test is over.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { SessionStore } from "../../src/session/store.js";
import { Connection } from "../../src/store/sqlite/connection.js";
import { openInlineStore } from "../../src/store/sqlite/inline-store.js";
import { openWorkerStore } from "../../src/store/sqlite/worker-store.js";
import type { StoreSettings, StoreUnderTest } from "./scenario.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-store-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A path in a folder that goes away with the test file. */
export function newPath(): string {
  return join(folder, `${++files}.db`);
}

export async function inMemory(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const { store, db } = openInlineStore(settings);
  return { store: closedAfterTest(store), refuseTitles: () => refuseTitles(db) };
}

export async function onFile(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const path = newPath();
  const { store, db } = openInlineStore({ ...settings, path });
  let current = closedAfterTest(store);
  const reopen = async (): Promise<SessionStore> => {
    await current.close();
    current = closedAfterTest(openInlineStore({ ...settings, path }).store);
    return current;
  };
  return { store: current, reopen, refuseTitles: () => refuseTitles(db) };
}

export async function behindThreads(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const path = newPath();
  let current = closedAfterTest(await openWorkerStore({ ...settings, path }));
  const reopen = async (): Promise<SessionStore> => {
    await current.close();
    current = closedAfterTest(await openWorkerStore({ ...settings, path }));
    return current;
  };
  return { store: current, reopen, refuseTitles: () => refuseTitles(new Connection({ path })) };
}

function closedAfterTest(store: SessionStore): SessionStore {
  onTestFinished(() => store.close());
  return store;
}

/** Titles are refused by a trigger, as they would be by a constraint that a later version adds. */
function refuseTitles(db: Connection): () => void {
  db.exec("CREATE TRIGGER refuse_titles BEFORE UPDATE OF title ON session BEGIN SELECT RAISE(ABORT, 'not now'); END");
  return () => db.exec("DROP TRIGGER refuse_titles");
}
