/**
 * Hosts in tests. A client starts one where none runs, and it outlives the client: whoever used a home ends its host,
 * by its id, before the home is removed. And hosts that die: the n-th host of a home gets the n-th fault of a plan,
 * whoever starts it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 20;
const END_MS_MAX = 45_000;

/**
 * A host of tests stays for the next command, and goes by itself should a test die before it ends it. It makes no
 * backups: the process that does would go on writing to a home that is removed.
 */
export const LINGER: NodeJS.ProcessEnv = { TALARIA_HOST_LINGER_SECONDS: "20", TALARIA_BACKUP_SCHEDULE: "off" };

/** The host that has this home; undefined when none runs. */
export function hostPid(home: string): number | undefined {
  const pid = recordedPid(join(home, "run", "host.json"));
  if (pid === undefined) return undefined;
  // The number may belong to somebody else by now.
  const args = argumentsOf(pid);
  return args.includes("host run") && args.includes(home) ? pid : undefined;
}

/** A host that ends takes its record along, also while we look. */
function recordedPid(path: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Kills it; what was stored is kept, as after any death. False when none runs. */
export function killHost(home: string): boolean {
  const pid = hostPid(home);
  return pid !== undefined && process.kill(pid, "SIGKILL");
}

/** Resolves when no host has the home any more. */
export async function hostEnds(home: string): Promise<void> {
  for (let waited = 0; hostPid(home) !== undefined; waited += LOOK_MS) {
    if (waited > END_MS_MAX) throw new Error(`the host of ${home} does not end`);
    await sleep(LOOK_MS);
  }
}

/** Lets it go in order, and waits for its end. */
export async function stopHost(home: string): Promise<void> {
  const pid = hostPid(home);
  if (pid !== undefined) process.kill(pid, "SIGTERM");
  await hostEnds(home);
}

/** Kills what runs, also what still waits for the home, and waits for its end: the home can be removed. */
export async function endHost(home: string): Promise<void> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const pids = processesOf(home);
    if (pids.length === 0) return;
    if (waited > END_MS_MAX) throw new Error(`hosts of ${home} do not end: ${pids}`);
    for (const pid of pids) kill(pid);
    await sleep(LOOK_MS);
  }
}

/** Every host that was started for this home, whether it has it or not. */
function processesOf(home: string): readonly number[] {
  return everyProcess().filter((pid) => {
    const args = argumentsOf(pid);
    return args.endsWith("host run") && args.includes(`--home ${home} `);
  });
}

/** Where the system keeps its processes as files: reading those costs a hundredth of a `ps`, and we look often. */
const PROCESSES = "/proc";
const hasFiles = existsSync(`${PROCESSES}/self/cmdline`);

function everyProcess(): readonly number[] {
  if (hasFiles) return readdirSync(PROCESSES).map(Number).filter(Number.isInteger);
  const { stdout } = spawnSync("ps", ["-eo", "pid="], { encoding: "utf8" });
  return stdout.split("\n").map(Number).filter(Boolean);
}

/** What a process was started with; nothing of one that has ended, whether its parent has looked or not. */
function argumentsOf(pid: number): string {
  if (!hasFiles) return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  try {
    return readFileSync(`${PROCESSES}/${pid}/cmdline`, "utf8").split("\0").filter(Boolean).join(" ");
  } catch (error) {
    // It ended while we looked.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

/** It may have ended between the look and the blow. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export interface HostFaults {
  /** For whatever may start a host. */
  readonly env: NodeJS.ProcessEnv;
  /** For the next hosts, in their order: a fault point, with the time it is reached, or `dead` for none from here on. */
  plan(...faults: readonly string[]): void;
}

export function hostFaults(folder: string): HostFaults {
  const [plan, preload] = [join(folder, "host-faults"), join(folder, "host-faults.cjs")];
  writeFileSync(plan, "");
  writeFileSync(preload, PRELOAD);
  return {
    env: { NODE_OPTIONS: `--require ${preload}`, TEST_HOST_FAULTS: plan },
    plan: (...faults) => writeFileSync(plan, faults.join("\n")),
  };
}

/** Runs before the program does: a host takes its fault from the plan, everybody else takes none. */
const PRELOAD = `
const { readFileSync, writeFileSync } = require("node:fs");
const path = process.env.TEST_HOST_FAULTS;
const [role, verb] = process.argv.slice(-2);
if (path && role === "host" && verb === "run" && require("node:worker_threads").isMainThread) {
  const [next, ...rest] = readFileSync(path, "utf8").split("\\n").filter(Boolean);
  if (next === "dead") process.exit(1);
  writeFileSync(path, rest.join("\\n"));
  if (next !== undefined) process.env.TALARIA_FAULT = next;
}
`;
