/**
 * The death of a host takes its commands with it. Real processes and real signals: the watchdog is a shell that outlives
 * the host by a moment, and nothing in the host's own process could do its work.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { systemClock } from "../../src/base/clock.js";
import { removeFolder } from "../support/remove-folder.js";

let script: string;
let folder: string;
let host: ChildProcess | undefined;

beforeAll(async () => {
  script = await bundleTs("test/tool/host.ts");
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-kill-"));
});
afterEach(() => {
  host?.kill("SIGKILL");
  removeFolder(folder);
});

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 45_000; performance.now() < endMs; await systemClock.sleep(20)) {
    if (isTrue()) return;
  }
  throw new Error(`never: ${what}`);
}

function pidIn(name: string): number {
  return Number(readFileSync(join(folder, name), "utf8"));
}

function lives(pid: number): boolean {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return state !== "" && !state.startsWith("Z");
  } catch {
    return false;
  }
}

async function start(commands: readonly string[], files: readonly string[], env = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, folder, ...commands], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  host = child;
  await until("its commands run", () =>
    files.every((name) => existsSync(join(folder, name)) && readFileSync(join(folder, name), "utf8").endsWith("\n")),
  );
  return child;
}

const FOREGROUND = "sleep 300 & echo $! > child; echo $$ > shell; wait";
const BACKGROUND = "echo $$ > background; exec sleep 300";
const DEAF = "trap '' TERM HUP INT; echo $$ > deaf; while :; do sleep 0.2; done";

describe("[TC-22] no command outlives its host", () => {
  it.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)("that is ended by %s", async (signal) => {
    const child = await start([FOREGROUND, BACKGROUND, DEAF], ["child", "shell", "background", "deaf"]);
    const pids = ["child", "shell", "background", "deaf"].map(pidIn);
    expect(pids.every(lives)).toBe(true);
    child.kill(signal);
    await until("they are gone", () => !pids.some(lives));
  });

  it("that leaves by itself without a word", async () => {
    // The command may or may not have begun: what counts is that nothing of it is left.
    const child = await start([FOREGROUND], [], { LEAVE: "1" });
    await until("the host is gone", () => child.exitCode !== null);
    await until("nothing is left", () => !existsSync(join(folder, "child")) || !lives(pidIn("child")));
  });

  it("whose watchdog was killed first: another takes over", async () => {
    const child = await start([FOREGROUND, BACKGROUND], ["child", "shell", "background"]);
    const pids = ["child", "shell", "background"].map(pidIn);
    const before = watchdogsOf(child);
    expect(before).toHaveLength(1);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await until("there is a new one", () => watchdogsOf(child).some((pid) => !before.includes(pid)));
    expect(pids.every(lives)).toBe(true);
    child.kill("SIGKILL");
    await until("they are gone", () => !pids.some(lives));
  });
});

/** The children of the host that are shells reading groups. */
function watchdogsOf(child: ChildProcess): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/s.exec(line))
    .filter(
      (row) =>
        row !== null &&
        Number(row[2]) === child.pid &&
        !row[3]?.startsWith("Z") &&
        row[4]?.includes("trap '' HUP INT TERM PIPE"),
    )
    .map((row) => Number(row?.[1]));
}
