import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TEMPORARY_STALE_MS } from "#base/atomic-file.js";
import { systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import { inMemory } from "../../../test/support/sqlite-stores.js";
import { createShelf } from "./shelf.js";

let folder: string;
let store: SessionStore;
beforeEach(async () => {
  folder = mkdtempSync("/tmp/shelf-");
  ({ store } = await inMemory());
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const FILE = { name: "a.txt", mediaType: "text/plain", bytesMax: 100 };
const HASH = createHash("sha256").update("hello world").digest("hex");

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("the shelf for received files", () => {
  it("[GW-48] keeps a file under its hash, closed to others, and known to the store", async () => {
    const shelf = createShelf({ folder, store, clock: systemClock });
    const kept = await shelf.keep(FILE, chunks("hello ", "world"));
    expect(kept).toEqual({ sha256: HASH, path: join(folder, HASH), bytes: 11 });
    expect(readFileSync(kept.path, "utf8")).toBe("hello world");
    expect(statSync(kept.path).mode & 0o777).toBe(0o600);
    expect(await store.addAttachment({ sha256: HASH, mediaType: "x", bytes: 11, nowMs: 1 })).toEqual({ kind: "known" });
  });

  it("[GW-48] keeps the same file once, also when it comes in twice at a time", async () => {
    const shelf = createShelf({ folder, store, clock: systemClock });
    await Promise.all([shelf.keep(FILE, chunks("hello world")), shelf.keep(FILE, chunks("hello", " world"))]);
    expect(readdirSync(folder)).toEqual([HASH]);
  });

  it("[GW-48] refuses what is longer than allowed while it comes in, and keeps nothing of it", async () => {
    const shelf = createShelf({ folder, store, clock: systemClock });
    let given = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      for (;;) {
        given++;
        yield Buffer.alloc(60);
      }
    }
    await expect(shelf.keep(FILE, endless())).rejects.toThrow(/larger than 100 bytes/);
    expect(given).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("[GW-48] keeps nothing of a file whose sender hangs up, and nothing that the store does not know", async () => {
    const cut = async function* (): AsyncIterable<Uint8Array> {
      yield Buffer.from("hal");
      throw new Error("the line is cut");
    };
    const shelf = createShelf({ folder, store, clock: systemClock });
    await expect(shelf.keep(FILE, cut())).rejects.toThrow("the line is cut");
    const refusing = { addAttachment: () => Promise.reject(new OperationalError("disk-full", "after-delay", "full")) };
    const other = createShelf({ folder, store: refusing, clock: systemClock });
    await expect(other.keep(FILE, chunks("hello world"))).rejects.toThrow("full");
    expect(readdirSync(folder).filter((name) => name !== HASH)).toEqual([]);
  });

  it("[GW-48] clears away what a host that died left half received; a guest touches nothing", async () => {
    writeFileSync(join(folder, "incoming-abc"), "hal");
    const guest = createShelf({ folder, store, clock: systemClock, isGuest: true });
    await guest.keep(FILE, chunks("hello world"));
    expect(readdirSync(folder)).toContain("incoming-abc");
    await createShelf({ folder, store, clock: systemClock }).keep(FILE, chunks("hello world"));
    expect(readdirSync(folder)).toEqual([HASH]);
  });

  it("[GW-48] clears away what other processes left for long, and nothing that one may still write", async () => {
    const longAgo = new Date(Date.now() - TEMPORARY_STALE_MS - 60_000);
    for (const name of ["outgoing-left", "outgoing-young", "other"]) writeFileSync(join(folder, name), "hal");
    for (const name of ["outgoing-left", "other"]) utimesSync(join(folder, name), longAgo, longAgo);
    await createShelf({ folder, store, clock: systemClock, isGuest: true }).keep(FILE, chunks("hello world"));
    expect(readdirSync(folder).sort()).toEqual([HASH, "other", "outgoing-young"].sort());
  });

  it("[GW-48] keeps files also where something that was left cannot be removed, or could not be looked at", async () => {
    // A folder is not removed with a file's means.
    mkdirSync(join(folder, "incoming-stuck"));
    writeFileSync(join(folder, "incoming-abc"), "hal");
    const shelf = createShelf({ folder: join(folder, "later"), store, clock: systemClock });
    await expect(shelf.keep(FILE, chunks("hello world"))).rejects.toThrow("ENOENT");
    renameSync(folder, `${folder}-aside`);
    mkdirSync(folder);
    renameSync(`${folder}-aside`, join(folder, "later"));
    await shelf.keep(FILE, chunks("hello world"));
    expect(readdirSync(join(folder, "later")).sort()).toEqual([HASH, "incoming-stuck"].sort());
  });
});
