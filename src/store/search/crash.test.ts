/** A real process, killed between the store's file and the index's: what is left agrees with itself [SR-6]. */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import type { SessionStore } from "#session/store.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { openInlineStore } from "../sqlite/inline-store.js";

const folders: string[] = [];
let script: string;
beforeAll(async () => {
  script = await bundleTs(join(packageRoot(), "test", "support", "feed-search.ts"));
});
afterAll(() => {
  for (const folder of folders) removeFolder(folder);
});

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "talaria-search-crash-"));
  folders.push(folder);
  return join(folder, "state.db");
}

function feed(path: string, fault?: string, mode = "feed"): { readonly signal: string | null; readonly said: string } {
  const env = { ...process.env, ...(fault !== undefined && { TALARIA_FAULT: fault }) };
  const { signal, stdout } = spawnSync(process.execPath, [script, path, "6", mode], { env, encoding: "utf8" });
  return { signal, said: stdout.trim() };
}

describe("an index whose feeder is killed", () => {
  it.each(["search.before-commit:1", "search.before-commit:3", "search.after-commit:1", "search.after-commit:4"])(
    "[SR-6] [SR-4] at %s agrees with its store, and goes on",
    async (fault) => {
      const path = newPath();
      expect(feed(path, fault).signal).toBe("SIGKILL");
      await expectAgreement(path);
      // Once more over what was left, killed again, and then to the end.
      expect(feed(path, fault).signal).toBe("SIGKILL");
      await expectAgreement(path);
      expect(feed(path)).toEqual({ signal: null, said: "done" });
      const opened = openInlineStore({ path });
      expect(await opened.catchUpSearch()).toBe(0);
      await expectAgreement(path);
    },
  );

  it("[SR-6] before a new index takes the old one's place keeps the old one", async () => {
    const path = newPath();
    expect(feed(path).signal).toBe(null);
    expect(feed(path, "search.before-rename:2", "rebuild").signal).toBe("SIGKILL");
    await expectAgreement(path);
    expect(feed(path, undefined, "rebuild")).toEqual({ signal: null, said: "done" });
    await expectAgreement(path);
  });
});

/** With the index as it was left, and without any, the same is found; nothing that is hidden is. */
async function expectAgreement(path: string): Promise<void> {
  const withIndex = openInlineStore({ path, isReadOnly: true }).store;
  const without = openInlineStore({ path, searchPath: `${path}.none`, isReadOnly: true }).store;
  for (const text of ["needle", "answer", "~eedl"]) {
    const expected = await conversations(without, text);
    expect(await conversations(withIndex, text), text).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  }
}

async function conversations(store: SessionStore, text: string): Promise<string[]> {
  const { hits } = await store.search({ text, limit: 100 });
  return hits.map(({ conversation, seq, more }) => `${conversation} ${seq} ${more}`).sort();
}
