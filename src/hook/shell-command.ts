/**
 * Runs a person's own command line for a hook: in a process group of its own, with a closed set of variables, what it is
 * told on standard input, and what it says kept up to a bound. When its time is up the whole group is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "#base/clock.js";

/** What is kept of each stream; the rest is read and dropped. */
export const HOOK_OUTPUT_BYTES_MAX = 256_000;
/** How long its pipes are read after it ended: what it left running may hold them for ever. */
const DRAIN_MS = 300;

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly clock: Clock;
}

export interface ShellEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output was longer than what is kept. */
  readonly isCut: boolean;
}

/** Rejects when it could not be started, or when the signal ended it. */
export function runShell(request: ShellCommand, signal: AbortSignal): Promise<ShellEnd> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn("/bin/sh", ["-c", request.command], {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    const stop = (): void => {
      killGroup(child);
      // What it left behind may hold the pipes; nobody waits for that.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", (error) => {
      signal.removeEventListener("abort", stop);
      reject(new Error(`it could not be started: ${error.message}`));
    });
    const settle = (): void => {
      forget();
      signal.removeEventListener("abort", stop);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code: child.exitCode, stdout: out.text(), stderr: err.text(), isCut: out.isCut() });
    };
    let forget: () => void = () => undefined;
    child.once("exit", () => {
      forget = request.clock.after(DRAIN_MS, settle);
    });
    child.once("close", settle);
    // A command that does not read what it is told is no failure.
    child.stdin.on("error", () => undefined);
    child.stdin.end(request.input);
  });
}

function collect(stream: NodeJS.ReadableStream): { text(): string; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    if (size < HOOK_OUTPUT_BYTES_MAX) chunks.push(chunk.subarray(0, HOOK_OUTPUT_BYTES_MAX - size));
    size += chunk.length;
  });
  stream.on("error", () => undefined);
  return { text: () => Buffer.concat(chunks).toString("utf8"), isCut: () => size > HOOK_OUTPUT_BYTES_MAX };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // It ended by itself a moment ago.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
