import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HostId, randomIds } from "#base/ids.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { openWorkerStore } from "./worker-store.js";

/** Without the order in which its threads end, most closings leave the log behind. */
const CLOSINGS = 6;

describe("a store that was closed", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "talaria-close-"));
  });
  afterEach(() => removeFolder(home));

  it("has folded its log into the database, also when both threads were in use", async () => {
    for (let no = 0; no < CLOSINGS; no++) {
      const store = await openWorkerStore({ path: join(home, "state.db") });
      await store.beginHost({ id: randomIds<HostId>(), pid: process.pid, version: "1", nowMs: no });
      await store.openTurns({ limit: 1 });
      await store.close();
      expect(readdirSync(home).filter((file) => file.startsWith("state.db"))).toEqual(["state.db"]);
    }
  });
});
