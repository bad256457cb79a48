import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { fingerprint } from "../../../test/support/storage.js";
import { hostRecord, takeHostLock } from "./host-lock.js";

const RACERS = 20;
const root = mkdtempSync(join(tmpdir(), "talaria-lock-"));
let runDir: string;
let homes = 0;
let script: string;
let children: ChildProcess[] = [];
beforeAll(async () => {
  script = await bundleTs(join(packageRoot(), "test", "support", "hold-lock.ts"));
});
beforeEach(() => {
  runDir = join(root, String(++homes), "run");
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
});
afterAll(() => removeFolder(root));

interface Holder {
  readonly pid: number | undefined;
  /** Its first words. */
  readonly said: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
  kill(): void;
}

function start(how: "hold" | "pass", waitMs = 0): Holder {
  const child = spawn(process.execPath, [script, runDir, String(waitMs), how], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stderr }));
  });
  const said = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    void ended.then(() => reject(new Error(`it said nothing: ${stderr}`)));
  });
  said.catch(() => undefined);
  return { pid: child.pid, said, ended, kill: () => child.kill("SIGKILL") };
}

async function refusal(waitMs = 0): Promise<OperationalError> {
  const error: unknown = await takeHostLock(runDir, "1", systemClock, waitMs).then(
    () => new Error("the lock was taken"),
    (reason: unknown) => reason,
  );
  if (error instanceof OperationalError) return error;
  throw error;
}

describe("the lock of a home", () => {
  it("[ST-2] refuses a second process, names the first one's pid, and writes nothing", async () => {
    const first = start("hold");
    expect(await first.said).toBe("held\n");
    const before = fingerprint(runDir);
    const error = await refusal();
    expect(error).toMatchObject({ code: "home-locked", retry: "after-delay" });
    expect(error.message).toContain(`process ${first.pid};`);
    const second = start("hold");
    expect(await second.said).toMatch(new RegExp(`^home-locked: .*process ${first.pid};`));
    expect(fingerprint(runDir)).toEqual(before);
    expect(hostRecord(runDir)).toMatchObject({ pid: first.pid, version: "1.2.3" });
  });

  it("[ST-2] is released by any death: after SIGKILL the next one has it at once", async () => {
    const first = start("hold");
    await first.said;
    first.kill();
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" });
    const lock = await takeHostLock(runDir, "2", systemClock);
    expect(hostRecord(runDir)).toMatchObject({ pid: process.pid, version: "2" });
    lock.release();
  });

  it("[ST-2] can be waited for", async () => {
    const first = start("hold");
    await first.said;
    const waiting = takeHostLock(runDir, "2", systemClock, 45_000);
    setTimeout(() => first.kill(), 150);
    const lock = await waiting;
    expect((await first.ended).signal).toBe("SIGKILL");
    lock.release();
  });

  it("[ST-2] is given up after the time that was allowed", async () => {
    await start("hold").said;
    const startedMs = systemClock.monotonicMs();
    expect((await refusal(300)).code).toBe("home-locked");
    const tookMs = systemClock.monotonicMs() - startedMs;
    expect(tookMs).toBeGreaterThanOrEqual(290);
    expect(tookMs).toBeLessThan(30_000);
  });

  it(`[ST-2] lets ${RACERS} processes that race for it through one at a time`, async () => {
    const racers = Array.from({ length: RACERS }, () => start("pass", 60_000));
    const ends = await Promise.all(racers.map((racer) => racer.ended));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, ""]));
    expect(existsSync(join(runDir, "..", "somebody-is-here"))).toBe(false);
  });

  it("[ST-2] holds against this very process too, until it is released", async () => {
    const lock = await takeHostLock(runDir, "1", systemClock);
    expect((await refusal()).message).toContain(`process ${process.pid};`);
    lock.release();
    (await takeHostLock(runDir, "1", systemClock)).release();
  });

  it.each([0o000, 0o022])("[ST-11] lies in a folder of its owner's, under umask %o", async (umask) => {
    const before = process.umask(umask);
    try {
      (await takeHostLock(runDir, "1", systemClock)).release();
    } finally {
      process.umask(before);
    }
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect(mode(runDir)).toBe(0o700);
    expect([mode(join(runDir, "host.lock")), mode(join(runDir, "host.json"))]).toEqual([0o600, 0o600]);
  });

  it("decides nothing by the record beside it: a stale, empty or broken one is in nobody's way", async () => {
    mkdirSync(runDir, { recursive: true });
    expect(hostRecord(runDir)).toBeUndefined();
    for (const record of ["", "{", '{"pid":1,"version":"0","startedMs":1}']) {
      writeFileSync(join(runDir, "host.json"), record);
      (await takeHostLock(runDir, "1", systemClock)).release();
      expect(JSON.parse(readFileSync(join(runDir, "host.json"), "utf8"))).toMatchObject({ pid: process.pid });
    }
  });

  it("says that somebody is just starting when there is no record yet", async () => {
    await start("hold").said;
    rmSync(join(runDir, "host.json"));
    expect((await refusal()).message).toContain("another process that is just starting");
  });

  it("tells a place that is no lock as what it is", async () => {
    mkdirSync(runDir, { recursive: true });
    writeFileSync(join(runDir, "host.lock"), "not a lock\n".repeat(500));
    expect((await refusal()).code).toBe("foreign-file");
  });
});
