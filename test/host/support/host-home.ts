/** Hosts as real processes, each in a home of its own with a path short enough for a socket; all ended by their id. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { connect } from "#client/connect.js";
import type { HostLine } from "#client/host-line.js";
import { type HomePaths, homePaths } from "#config/home.js";
import { cleanEnv, finished, launcher, type Run, runCli } from "../../cli/support/run.js";
import { endHost } from "../../support/hosts.js";
import { removeFolder } from "../../support/remove-folder.js";

/** What a slow machine may need for a host to come up. */
const READY_MS = 45_000;
const LOOK_EVERY_MS = 20;

export interface HostProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly done: Promise<Run>;
}

export interface HostHome {
  readonly path: string;
  readonly paths: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  /** Starts `talaria host run`; does not wait for it. */
  spawn(env?: NodeJS.ProcessEnv, args?: readonly string[]): HostProcess;
  /** The same, and waits until it serves. */
  serve(env?: NodeJS.ProcessEnv, args?: readonly string[]): Promise<HostProcess>;
  cli(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Run>;
  /** The one JSON document of a command. */
  json<T = Record<string, unknown>>(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<T>;
  line(): Promise<HostLine>;
  /** Every line of the log: one that is no entry fails. */
  entries(): readonly Record<string, unknown>[];
  /** Entries of the log with this message. */
  logged(message: string): readonly Record<string, unknown>[];
  /** Ends every host of this home by its id, then removes the home. */
  remove(): Promise<void>;
}

/** Nothing that runs by itself disturbs a test; crashes are counted only where a test wants it. */
const QUIET = { TALARIA_BACKUP_SCHEDULE: "off", TALARIA_HOST_CRASHES_MAX: "0", TALARIA_HOST_DRAIN_SECONDS: "0" };

export function hostHome(own: NodeJS.ProcessEnv = {}): HostHome {
  const path = mkdtempSync("/tmp/th-");
  const env = { ...QUIET, ...own };
  const started: HostProcess[] = [];
  const paths = homePaths(path);
  const home: HostHome = {
    path,
    paths,
    env,
    spawn(more = {}, args = ["--stay"]) {
      const child = spawn(process.execPath, [launcher, "host", "run", ...args], {
        env: cleanEnv(path, { ...env, ...more }),
        cwd: path,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const host = { child, pid: child.pid ?? 0, done: finished(child) };
      started.push(host);
      return host;
    },
    async serve(more, args) {
      const host = home.spawn(more, args);
      await Promise.race([
        until(() => isServing(home), `host ${host.pid} serves`),
        host.done.then((run) => Promise.reject(new Error(`the host ended: ${JSON.stringify(run)}`))),
      ]);
      return host;
    },
    cli: (args, more = {}) => runCli(args, { home: path, env: { ...env, ...more } }),
    json: async (args, more) => JSON.parse((await home.cli([...args, "--json"], more)).stdout),
    line: () => connect({ to: { socketPath: paths.hostSocket }, clock: systemClock }),
    entries: () => logLines(paths.logFile).map((line) => JSON.parse(line) as Record<string, unknown>),
    logged: (message) => logEntries(paths.logFile).filter((entry) => entry["message"] === message),
    async remove() {
      const pids = [...started.map(({ pid }) => pid), recordedPid(paths)];
      const mine = new Set([0, process.pid]);
      for (const pid of pids) if (pid !== undefined && !mine.has(pid) && isThere(pid)) process.kill(pid, "SIGKILL");
      await Promise.all(started.map(({ done }) => done));
      // Also those that clients started: one that is about to end still writes.
      await endHost(path);
      removeFolder(path);
    },
  };
  return home;
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string, limitMs = READY_MS): Promise<void> {
  const giveUpMs = systemClock.monotonicMs() + limitMs;
  while (!(await isSo())) {
    if (systemClock.monotonicMs() > giveUpMs) throw new Error(`it did not happen that ${what}`);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A host that clients started by themselves is known from its record alone. */
function recordedPid({ hostFile }: HomePaths): number | undefined {
  try {
    return (JSON.parse(readFileSync(hostFile, "utf8")) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}

async function isServing(home: HostHome): Promise<boolean> {
  try {
    const line = await home.line();
    try {
      await line.call("host.status", {});
      return true;
    } finally {
      line.close();
    }
  } catch {
    return false;
  }
}

function logEntries(path: string): readonly Record<string, unknown>[] {
  return logLines(path)
    .filter((text) => text.startsWith("{") && text.endsWith("}"))
    .map((text) => JSON.parse(text) as Record<string, unknown>);
}

function logLines(path: string): readonly string[] {
  try {
    // What stands behind the last line's end is being written.
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.filter((text) => text !== "");
  } catch {
    return [];
  }
}

export function crashRecord(home: HostHome): {
  running: unknown;
  crashesMs: number[];
  lastEnd?: { reason: string; troubles: readonly string[] };
} {
  return JSON.parse(readFileSync(join(home.paths.run, "crashes.json"), "utf8"));
}

/** Steps of a stop that failed. One that was given up is in order: its time is short, and a disk may be slow. */
export function failedIn(troubles: readonly string[] = []): readonly string[] {
  return troubles.filter((trouble) => !/: given up after \d+ ms$/.test(trouble));
}
