/**
 * SQLite keeps the store contract: in memory, on a file in this thread, and on a file behind worker threads.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { describeSessionStore } from "#session/store.contract.js";
import type { SessionStore } from "#session/store.js";
import type { StoreSettings, StoreUnderTest } from "../../../test/support/scenario.js";
import { Connection } from "./connection.js";
import { openInlineStore } from "./inline-store.js";
import { openWorkerStore } from "./worker-store.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-store-"));
let files = 0;
let opened: SessionStore[] = [];
const newPath = (): string => join(folder, `${++files}.db`);
const kept = (store: SessionStore): SessionStore => {
  opened.push(store);
  return store;
};

afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  opened = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Titles are refused by a trigger, as they would be by a constraint that a later version adds. */
function refuseTitles(db: Connection): () => void {
  db.exec("CREATE TRIGGER refuse_titles BEFORE UPDATE OF title ON session BEGIN SELECT RAISE(ABORT, 'not now'); END");
  return () => db.exec("DROP TRIGGER refuse_titles");
}

async function inMemory(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const { store, db } = openInlineStore(settings);
  return { store: kept(store), refuseTitles: () => refuseTitles(db) };
}

async function onFile(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const path = newPath();
  const { store, db } = openInlineStore({ ...settings, path });
  let current = kept(store);
  const reopen = async (): Promise<SessionStore> => {
    await current.close();
    current = kept(openInlineStore({ ...settings, path }).store);
    return current;
  };
  return { store: current, reopen, refuseTitles: () => refuseTitles(db) };
}

async function behindThreads(settings: StoreSettings = {}): Promise<StoreUnderTest> {
  const path = newPath();
  let current = kept(await openWorkerStore({ ...settings, path }));
  const reopen = async (): Promise<SessionStore> => {
    await current.close();
    current = kept(await openWorkerStore({ ...settings, path }));
    return current;
  };
  return { store: current, reopen, refuseTitles: () => refuseTitles(new Connection({ path })) };
}

describeSessionStore("SQLite in memory", inMemory);
describeSessionStore("SQLite on a file", onFile);
describeSessionStore("SQLite behind threads", behindThreads);
