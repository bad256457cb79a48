/**
 * SQLite stores for contract suites: in memory, on a file in this thread, on a file behind threads. Each is fresh, and
 * closed when its test is over.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { SessionStore } from "../../src/session/store.js";
import { Connection } from "../../src/store/sqlite/connection.js";
import { openInlineStore } from "../../src/store/sqlite/inline-store.js";
import { openWorkerStore } from "../../src/store/sqlite/worker-store.js";
import { removeFolder } from "./remove-folder.js";
import type { StoreSettings, StoreUnderTest } from "./scenario.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-store-"));
let files = 0;
afterAll(() => removeFolder(folder));

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

export async function behindThreads(settings?: StoreSettings): Promise<StoreUnderTest> {
  const fresh = await (settings === undefined ? takeSpare() : openThreads(settings));
  const { path } = fresh;
  let current = closedAfterTest(fresh.store);
  const reopen = async (): Promise<SessionStore> => {
    await current.close();
    current = closedAfterTest((await openThreads(settings, path)).store);
    return current;
  };
  return { store: current, reopen, refuseTitles: () => refuseTitles(new Connection({ path })) };
}

interface Threads {
  readonly path: string;
  readonly store: SessionStore;
}

/** Threads take a while to start, so those of the next test do it while this one runs. */
let spare: Promise<Threads> | undefined;
function takeSpare(): Promise<Threads> {
  const taken = spare ?? openThreads();
  spare = openThreads();
  return taken;
}
afterAll(async () => (await spare)?.store.close());

/** Both threads run when this resolves: the one that reads starts with the first question. */
async function openThreads(settings: StoreSettings = {}, path = newPath()): Promise<Threads> {
  const store = await openWorkerStore({ ...settings, path });
  await store.routeVersion({});
  return { path, store };
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
