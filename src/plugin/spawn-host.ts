/** Starts the plugin host's process, in a group of its own, and ends that group. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { OperationalError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { HEAP_MB_MAX } from "./limits.js";

export interface HostPipes {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly down: Writable;
  readonly up: Readable;
  readonly leash: Readable;
}

export interface SpawnWish {
  readonly env: Readonly<Record<string, string>>;
  /** Where the process works: a plugin's relative paths begin there. */
  readonly cwd: string;
}

/** An OperationalError when the system has no process or no file left for it. */
export function spawnHost({ env, cwd }: SpawnWish): { readonly child: ChildProcess; readonly pipes: HostPipes } {
  const script = join(packageRoot(), "dist", "plugin-host.js");
  const args = [`--max-old-space-size=${HEAP_MB_MAX}`, "--no-warnings", script, cwd];
  const child = begin(args, {
    env,
    // It goes there by itself: in a folder that is gone Node's threads do not start, and whoever waits for one waits for ever.
    cwd: packageRoot(),
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", "pipe"],
    // Its own group: Ctrl-C in a terminal is not for it, and what it started goes when it goes.
    detached: true,
  });
  const [, stdout, stderr, down, up, leash] = child.stdio as unknown as PipeList;
  unref(child);
  return { child, pipes: { stdout, stderr, down, up, leash } };
}

function begin(args: readonly string[], options: SpawnOptions): ChildProcess {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, args, options);
  } catch (error) {
    throw notStarted((error as Error).message);
  }
  // With no file left there are not even pipes; the reason comes as an event that nobody else would hear.
  if ((child.stdio as readonly unknown[] | undefined)?.[LAST_PIPE] === undefined) {
    child.on("error", () => undefined);
    throw notStarted("too many files are open");
  }
  return child;
}

const LAST_PIPE = 5;

function notStarted(why: string): OperationalError {
  return new OperationalError("plugin-host", "after-delay", `the plugin host cannot be started: ${why}`);
}

type PipeList = readonly [null, Readable, Readable, Writable, Readable, Readable];

/** A command that has nothing else to wait for may end; calls under way hold it by their own timers. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const pipe of child.stdio) (pipe as unknown as { unref?(): void } | null)?.unref?.();
}

export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Gone already, which is what was wanted; macOS says EPERM of a group whose last process is not yet collected.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
