import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { openWorkerStore } from "./worker-store.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-start-"));
afterAll(() => removeFolder(folder));

describe("a store behind threads that cannot be opened", () => {
  it("says why to whoever opens it, and tells no second failure when its thread then ends", async () => {
    const path = join(folder, "state.db");
    writeFileSync(path, "this is no database, and never was one".repeat(200));
    const failures: string[] = [];
    const opening = openWorkerStore({ path, onFailure: (error) => failures.push(error.message) });
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining(path) });
    // The thread ends a moment after it has said why.
    await systemClock.sleep(300);
    expect(failures).toEqual([]);
  });
});
