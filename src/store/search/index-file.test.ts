/** Whatever lies at `search.db`, the store serves and search answers; at worst it says that it knows less [SR-6]. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { found, tell } from "../../../test/support/search.js";
import { Connection } from "../sqlite/connection.js";
import { type InlineStore, openInlineStore } from "../sqlite/inline-store.js";
import { TAIL_MAX } from "./candidates.js";
import { rebuildSearch } from "./rebuild.js";
import { SEARCH_APPLICATION_ID, SEARCH_VERSION } from "./schema.js";
import { RETRY_MS } from "./search-index.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Paths in a new folder, with a store of two conversations in it and no index. */
async function home(
  lines: readonly string[] = ["needle one"],
): Promise<{ path: string; searchPath: string; first: InlineStore }> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-index-"));
  folders.push(folder);
  const path = join(folder, "state.db");
  const first = openInlineStore({ path });
  await tell(first.store, "a", lines);
  return { path, searchPath: join(folder, "search.db"), first };
}

const WRONG: Readonly<Record<string, (path: string) => void>> = {
  "nothing at all": () => undefined,
  "an empty file": (path) => writeFileSync(path, ""),
  "a text file": (path) => writeFileSync(path, "not a database, ".repeat(1_000)),
  "a database of another program": (path) => make(path, "CREATE TABLE theirs(x); PRAGMA application_id = 7"),
  "an older index": (path) =>
    make(path, `CREATE TABLE x(y); PRAGMA application_id = ${SEARCH_APPLICATION_ID}; PRAGMA user_version = 0`),
  "a newer index": (path) =>
    make(
      path,
      `CREATE TABLE x(y); PRAGMA application_id = ${SEARCH_APPLICATION_ID}; PRAGMA user_version = ${SEARCH_VERSION + 1}`,
    ),
  "an index without its tables": (path) =>
    make(
      path,
      `CREATE TABLE x(y); PRAGMA application_id = ${SEARCH_APPLICATION_ID}; PRAGMA user_version = ${SEARCH_VERSION}`,
    ),
};

function make(path: string, sql: string): void {
  const db = new Connection({ path });
  db.exec(sql);
  db.release();
}

describe("search.db", () => {
  it.each(Object.entries(WRONG))("[SR-6] is made anew in the place of %s", async (_, put) => {
    const { path, searchPath } = await home();
    put(searchPath);
    const opened = openInlineStore({ path });
    expect(await found(opened.store, "needle")).toEqual(["a:1"]);
    expect(await opened.catchUpSearch()).toBe(1);
    expect(await opened.store.search({ text: "needle" })).toMatchObject({ isComplete: true, behind: 0 });
    expect(statSync(searchPath).mode & 0o777).toBe(0o600);
  });

  it.each(Object.entries(WRONG))("[SR-6] is left alone by a reader, who finds without it: %s", async (_, put) => {
    const { path, searchPath } = await home();
    put(searchPath);
    const before = existsSync(searchPath) ? readFileSync(searchPath) : undefined;
    const { store } = openInlineStore({ path, isReadOnly: true });
    expect(await store.search({ text: "needle" })).toMatchObject({ hits: [{ seq: 1 }], isComplete: false, behind: 1 });
    expect(existsSync(searchPath) ? readFileSync(searchPath) : undefined).toEqual(before);
  });

  it("[SR-6] keeps one damaged or foreign file aside, and no more", async () => {
    const { path, searchPath } = await home();
    for (const text of ["first", "second"]) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${searchPath}${suffix}`, { force: true });
      writeFileSync(searchPath, `${text} `.repeat(1_000));
      await openInlineStore({ path }).catchUpSearch();
    }
    expect(readdirSync(dirname(path)).filter((name) => name.includes("damaged"))).toEqual(["search.db.damaged"]);
    expect(readFileSync(`${searchPath}.damaged`, "utf8")).toMatch(/^second/);
  });

  it("[SR-6] that breaks while it is used makes room for a new one", async () => {
    const { path, searchPath, first } = await home(
      Array.from({ length: 3_000 }, (_, n) => `needle number${n} ${"hay ".repeat(40)}`),
    );
    await first.catchUpSearch();
    first.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const copy = join(dirname(path), "broken.db");
    checkpointed(searchPath);
    copyFileSync(searchPath, copy);
    scribble(copy);
    const opened = openInlineStore({ path, searchPath: copy });
    for (const text of ["needle", "number7", "~umber29", "hay -needle"])
      expect(Array.isArray((await opened.store.search({ text })).hits)).toBe(true);
    await opened.catchUpSearch();
    await opened.catchUpSearch();
    expect(existsSync(`${copy}.damaged`)).toBe(true);
    expect(await opened.store.search({ text: "number7" })).toMatchObject({
      hits: [{ seq: 8 }],
      isComplete: true,
      behind: 0,
    });
  });

  it("[SR-6] that cannot be opened leaves search without an index, and is tried again later", async () => {
    const { path, searchPath } = await home();
    mkdirSync(searchPath);
    const clock = new ManualClock();
    const opened = openInlineStore({ path, clock });
    expect(await opened.store.search({ text: "needle" })).toMatchObject({
      hits: [{ seq: 1 }],
      isComplete: false,
      behind: 1,
    });
    expect(await opened.catchUpSearch()).toBe(0);
    rmSync(searchPath, { recursive: true });
    expect(await opened.catchUpSearch()).toBe(0);
    clock.advance(RETRY_MS);
    expect(await opened.catchUpSearch()).toBe(1);
  });

  it("[SR-6] that was fed from another store is emptied and fed again", async () => {
    const one = await home(["alpha one", "needle one", "omega one"]);
    await one.first.catchUpSearch();
    const other = await home(["needle other"]);
    await tell(other.first.store, "b", ["x", "y", "z"]);
    const reader = openInlineStore({ path: other.path, searchPath: one.searchPath, isReadOnly: true });
    expect(await found(reader.store, "alpha")).toEqual([]);
    expect(await reader.store.search({ text: "needle" })).toMatchObject({ hits: [{ seq: 1 }], isComplete: false });
    const writer = openInlineStore({ path: other.path, searchPath: one.searchPath });
    await writer.catchUpSearch();
    expect(await found(writer.store, "alpha")).toEqual([]);
    expect(await writer.store.search({ text: "needle" })).toMatchObject({ isComplete: true, behind: 0 });
  });

  it("[SR-6] that is lost costs the old hits until it is made anew, and nothing else", async () => {
    const { path, searchPath } = await home([
      "needle old",
      ...Array.from({ length: TAIL_MAX }, () => "hay"),
      "needle new",
    ]);
    const lost = openInlineStore({ path, isReadOnly: true });
    expect(await lost.store.search({ text: "needle" })).toMatchObject({
      hits: [{ seq: TAIL_MAX + 2 }],
      isComplete: false,
    });
    const told: number[] = [];
    const { messages } = await rebuildSearch({ statePath: path, searchPath, onProgress: (done) => told.push(done) });
    expect(messages).toBe(TAIL_MAX + 2);
    expect(told.at(-1)).toBe(TAIL_MAX + 2);
    expect(statSync(searchPath).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path)).filter((name) => name.includes(".new"))).toEqual([]);
    const { store } = openInlineStore({ path, isReadOnly: true });
    expect(await store.search({ text: "needle" })).toMatchObject({ hits: [{ more: 1 }], isComplete: true, behind: 0 });
  });

  it("[SR-6] made anew goes on being fed", async () => {
    const { path, searchPath, first } = await home();
    await first.catchUpSearch();
    await rebuildSearch({ statePath: path, searchPath });
    const next = openInlineStore({ path });
    await tell(next.store, "b", ["needle two"]);
    expect(await next.catchUpSearch()).toBe(1);
    expect((await found(next.store, "needle")).sort()).toEqual(["a:1", "b:1"]);
  });
});

function checkpointed(path: string): void {
  const db = new Connection({ path });
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.release();
}

/** Overwrites the middle of every fourth page beyond the first few with nonsense. */
function scribble(path: string): void {
  const bytes = readFileSync(path);
  for (let page = 8; (page + 1) * 4096 <= bytes.length; page += 4)
    bytes.fill(0xa5, page * 4096 + 100, page * 4096 + 3_000);
  writeFileSync(path, bytes);
}
