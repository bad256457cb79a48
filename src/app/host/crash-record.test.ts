import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  begun,
  CRASH_WINDOW_MS,
  ended,
  judgeCrashes,
  NO_CRASHES,
  readCrashRecord,
  writeCrashRecord,
} from "./crash-record.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-crashes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const END = { reason: "stop", atMs: 5, tookMs: 1, working: 0, cut: 0, openings: 0, troubles: [] };

describe("the record of crashes", () => {
  it("[HO-9] counts a host that began and never ended, when the next one begins", () => {
    const first = begun(NO_CRASHES, { pid: 1, nowMs: 10 });
    expect(first).toEqual({ running: { pid: 1, startedMs: 10 }, crashesMs: [] });
    expect(begun(first, { pid: 2, nowMs: 20 })).toEqual({ running: { pid: 2, startedMs: 20 }, crashesMs: [20] });
    expect(begun(ended(first, END), { pid: 2, nowMs: 20 }).crashesMs).toEqual([]);
  });

  it("is bounded, and keeps the newest", () => {
    let record = begun(NO_CRASHES, { pid: 1, nowMs: 0 });
    for (let at = 1; at <= 200; at++) record = begun(record, { pid: 1, nowMs: at });
    expect([record.crashesMs.length, record.crashesMs.at(-1)]).toEqual([50, 200]);
  });

  it("survives its file, and one that is missing or damaged knows of none", async () => {
    const path = join(folder, "crashes.json");
    expect(readCrashRecord(path)).toEqual(NO_CRASHES);
    const record = ended(begun(begun(NO_CRASHES, { pid: 1, nowMs: 1 }), { pid: 2, nowMs: 2 }), END);
    await writeCrashRecord(path, record);
    expect(readCrashRecord(path)).toEqual(record);
    for (const damaged of ["", "null", "[]", "{", '{"crashesMs":"x","running":7}', '{"crashesMs":[null,"1"]}']) {
      writeFileSync(path, damaged);
      expect(readCrashRecord(path)).toEqual(NO_CRASHES);
    }
  });
});

describe("the judgement of crashes", () => {
  const NOW_MS = 10_000_000;
  const at = (...agoMs: number[]) => ({ running: null, crashesMs: agoMs.map((ms) => NOW_MS - ms) });

  it.each([
    [at(), 3, "normal"],
    [at(1, 2), 3, "normal"],
    [at(3, 2, 1), 3, "safe"],
    [at(CRASH_WINDOW_MS, 2, 1), 3, "normal"],
    [at(CRASH_WINDOW_MS - 1, 2, 1), 3, "safe"],
    [at(4, 3, 2, 1), 0, "normal"],
    // A clock that was set back: times of the future count for as long as they would have.
    [at(-1_000, -2_000, -3_000), 3, "safe"],
    [at(-CRASH_WINDOW_MS, -CRASH_WINDOW_MS, -CRASH_WINDOW_MS), 3, "normal"],
  ] as const)("[HO-9] %# is %s", (record, max, kind) => expect(judgeCrashes(record, NOW_MS, max).kind).toBe(kind));

  it("[HO-9] ends when too few of them are recent", () => {
    const record = at(200_000, 100_000, 50_000, 10_000);
    const mode = judgeCrashes(record, NOW_MS, 3);
    expect(mode).toEqual({ kind: "safe", crashes: 4, untilMs: NOW_MS - 100_000 + CRASH_WINDOW_MS });
    if (mode.kind === "safe") expect(judgeCrashes(record, mode.untilMs, 3).kind).toBe("normal");
  });
});
