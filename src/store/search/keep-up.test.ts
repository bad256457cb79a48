/** The index follows its store by itself: by a clock in this thread, and behind the worker in a real one [SR-7]. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { found, tell } from "../../../test/support/search.js";
import { openInlineStore } from "../sqlite/inline-store.js";
import { openWorkerStore } from "../sqlite/worker-store.js";
import { keepUp, POLL_MS } from "./keep-up.js";
import { SearchIndex } from "./search-index.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) removeFolder(folder);
});

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "talaria-keep-up-"));
  folders.push(folder);
  return join(folder, "state.db");
}

describe("an index that is kept up", () => {
  it("[SR-7] holds a message within a second, and takes no more after it was stopped", async () => {
    const clock = new ManualClock();
    const { store, db } = openInlineStore();
    const index = new SearchIndex({ path: ":memory:", clock });
    const stop = keepUp(index, db, clock);
    await tell(store, "a", ["needle"]);
    expect(index.behind(db)).toBe(1);
    expect(POLL_MS).toBeLessThan(1_000);
    clock.advance(POLL_MS);
    expect(index.behind(db)).toBe(0);
    await tell(store, "b", ["needle"]);
    stop();
    clock.advance(10 * POLL_MS);
    expect(index.behind(db)).toBe(1);
  });

  it("[SR-7] takes a large backlog in slices, one after the other", async () => {
    const clock = new ManualClock();
    const { store, db } = openInlineStore();
    await tell(
      store,
      "a",
      Array.from({ length: 1_300 }, (_, n) => `needle ${n}`),
    );
    const index = new SearchIndex({ path: ":memory:", clock });
    keepUp(index, db, clock);
    clock.advance(POLL_MS);
    const afterOne = index.behind(db);
    expect(afterOne).toBeGreaterThan(0);
    expect(afterOne).toBeLessThan(1_300);
    clock.advance(10);
    expect(index.behind(db)).toBe(0);
  });

  it("[SR-7] behind the store's threads finds a message at once and indexes it by itself", async () => {
    const path = newPath();
    const store = await openWorkerStore({ path });
    await tell(store, "a", ["needle one"]);
    expect(await found(store, "needle")).toEqual(["a:1"]);
    await expect.poll(async () => (await store.search({ text: "needle" })).behind, { timeout: 30_000 }).toBe(0);
    await tell(store, "b", ["needle two"]);
    expect((await found(store, "needle")).sort()).toEqual(["a:1", "b:1"]);
    await store.close();
    const { behind, hits } = await openInlineStore({ path, isReadOnly: true }).store.search({ text: "one" });
    expect(hits).toHaveLength(1);
    expect(behind).toBeLessThanOrEqual(1);
  });

  it("[SR-7] starts with the first write, though nobody reads", async () => {
    const path = newPath();
    // Ahead of the threads' own clock, so that no request of this test is late for them.
    const clock = new ManualClock(Date.UTC(2200, 0, 1));
    const store = await openWorkerStore({ path, clock });
    await tell(store, "a", ["needle"]);
    clock.advance(1_000);
    await expect.poll(() => existsSync(join(path, "..", "search.db")), { timeout: 30_000 }).toBe(true);
    await store.close();
  });
});
