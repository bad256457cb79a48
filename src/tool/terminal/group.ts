/**
 * One command in its own process group: started only once the watchdog knows it, watched until its shell ends, and
 * ended as a whole. Knows nothing of conversations, limits of time or tools.
 *
 * A thin shell stands between us and the command. It waits for our word on descriptor 3 (none comes when we die first,
 * so that nothing ran), tells the exit code there, and gives the command true pipes: what Node hands to a child are
 * sockets, which cannot be opened as /dev/stdout or /dev/stdin.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Duplex, Readable } from "node:stream";
import type { Clock } from "#base/clock.js";
import { InvariantError } from "#base/errors.js";
import type { Output } from "./output.js";
import { hasSurvivors, signalGroup } from "./survivors.js";
import type { Watchdog } from "./watchdog.js";

/** How long whatever was polite gets to end by itself. */
export const GRACE_MS = 2000;
/** The shell has ended and nothing came for this long: somebody who was left behind holds the pipe, silently. */
export const QUIET_MS = 400;
/** Time alone is no silence: a host that got none itself has not listened. */
const QUIET_LOOKS = 6;
/** The same for one who goes on printing. */
export const DRAIN_MS_MAX = 5000;
const POLL_MS = 5;
const POLL_MS_MAX = 100;
/** Even a killed process may hang in the kernel; nobody waits longer for it. */
const KILLED_WAIT_MS = 1000;

export interface GroupRequest {
  readonly command: string;
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: "closed" | "open";
  /** Ended here, when nothing more can come. */
  readonly output: Output;
  /** What it says on standard error. Without one, that stands in the output, in the order in which it came. */
  readonly errors?: Output;
}

export type Ending =
  /** Its shell ended; `leftovers` when something it started still runs. 128 + n for a signal n. */
  | { readonly kind: "exited"; readonly code: number; readonly leftovers: boolean }
  | { readonly kind: "not-started"; readonly why: string };

export interface Group {
  readonly pid: number | undefined;
  readonly ended: Promise<Ending>;
  /** Whether any process of it is left. */
  isAlive(): Promise<boolean>;
  /** False when nobody can read it any more. */
  write(text: string): Promise<boolean>;
  closeInput(): void;
  /** Asks all of it to end, then makes it. Resolves when nothing is left, or nothing more can be done. */
  end(): Promise<void>;
}

export interface GroupParts {
  readonly clock: Clock;
  readonly watchdog: Watchdog;
}

export function startGroup(request: GroupRequest, { clock, watchdog }: GroupParts): Group {
  const child = spawnWrapper(request);
  let lastMs = 0;
  const reading = readAll(child, request, () => {
    lastMs = clock.monotonicMs();
  });
  const status = readStatus(child);
  const exit = exitOf(child);
  let isGone = child.pid === undefined;

  const isAlive = async (): Promise<boolean> => {
    if (!isGone && child.pid !== undefined && !(await hasSurvivors(child.pid))) {
      isGone = true;
      watchdog.remove(child.pid);
    }
    return !isGone;
  };

  async function live(): Promise<Ending> {
    const failure = await release(child, watchdog);
    if (failure !== undefined) {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      await isAlive();
      return { kind: "not-started", why: failure };
    }
    const code = await Promise.race([status, exit]);
    child.stdin?.end();
    await drained(clock, Promise.all([reading, exit]), () => lastMs);
    return { kind: "exited", code, leftovers: await isAlive() };
  }

  return {
    pid: child.pid,
    ended: live(),
    isAlive,
    write: (text) => writeTo(child, text),
    closeInput: () => void child.stdin?.end(),
    async end() {
      if (child.pid === undefined || !(await isAlive())) return;
      signalGroup(child.pid, "SIGTERM");
      const isOver = async (): Promise<boolean> => !(await isAlive());
      if (!(await until(clock, isOver, GRACE_MS))) {
        signalGroup(child.pid, "SIGKILL");
        await until(clock, isOver, KILLED_WAIT_MS);
      }
      await Promise.race([reading, clock.sleep(QUIET_MS)]);
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

/** Resolves when all was read, or when nothing more comes from whoever was left behind. */
async function drained(clock: Clock, read: Promise<unknown>, lastMs: () => number): Promise<void> {
  let isDone = false;
  void read.then(() => {
    isDone = true;
  });
  let quietMs = clock.monotonicMs();
  let looks = 0;
  const isOver = async (): Promise<boolean> => {
    looks = lastMs() > quietMs ? 0 : looks + 1;
    quietMs = Math.max(quietMs, lastMs());
    return isDone || (looks > QUIET_LOOKS && clock.monotonicMs() - quietMs > QUIET_MS);
  };
  await until(clock, isOver, DRAIN_MS_MAX);
}

async function until(clock: Clock, isDone: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const endMs = clock.monotonicMs() + limitMs;
  for (let waitMs = POLL_MS; clock.monotonicMs() < endMs; waitMs = Math.min(2 * waitMs, POLL_MS_MAX)) {
    if (await isDone()) return true;
    await clock.sleep(waitMs);
  }
  return isDone();
}

const CAT = existsSync("/bin/cat") ? "/bin/cat" : "cat";
/** What passes the output on is not asked to end: it ends with the last one who writes, and loses nothing of that. */
const OUTPUT = `(trap '' TERM; exec ${CAT} 3>&-)`;
const ERRORS = `(trap '' TERM; exec ${CAT} >&2 3>&- 4>&-)`;
const COMMAND = `{ "$0" -c "$1" 3>&- 4>&-; echo "$?" >&3; }`;
const TOGETHER = `${COMMAND} 2>&1 | ${OUTPUT}`;
/** Two pipes: the inner one is standard error's, and the output goes around it on descriptor 4. */
const APART = `{ ${COMMAND} 2>&1 >&4 | ${ERRORS}; } 4>&1 | ${OUTPUT}`;
const INPUT = { closed: "", open: `${CAT} 3>&- | ` };

function spawnWrapper({ input, errors, shell, command, cwd, env }: GroupRequest): ChildProcess {
  const wrapper = `IFS= read -r go <&3 || exit 125; ${INPUT[input]}${errors === undefined ? TOGETHER : APART}`;
  const child = spawn("/bin/sh", ["-c", wrapper, shell, command], {
    cwd,
    env,
    detached: true,
    stdio: [input === "open" ? "pipe" : "ignore", "pipe", errors === undefined ? "ignore" : "pipe", "pipe"],
  });
  // A command that does not read what it is given is no failure of ours.
  child.stdin?.on("error", () => undefined);
  control(child).on("error", () => undefined);
  return child;
}

function control(child: ChildProcess): Duplex {
  const stream = child.stdio[3];
  if (stream == null || !("write" in stream))
    throw new InvariantError("a command was started without its control pipe");
  return stream as Duplex;
}

/** Undefined when the command may run: the watchdog has it, and it was told to go. */
async function release(child: ChildProcess, watchdog: Watchdog): Promise<string | undefined> {
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once("error", resolve));
    return `it could not be started: ${error.message}`;
  }
  if (!(await watchdog.add(pid))) return "it could not be watched, and nothing runs unwatched";
  control(child).write("go\n");
  return undefined;
}

/** The exit code as the thin shell tells it; never resolves when that was killed first. */
function readStatus(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    let text = "";
    control(child).on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      if (text.includes("\n")) resolve(Number.parseInt(text, 10));
    });
  });
}

const SIGNAL_EXIT = 128;
const UNKNOWN_EXIT = SIGNAL_EXIT + 15;

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? UNKNOWN_EXIT));
    child.on("error", () => resolve(UNKNOWN_EXIT));
  });
}

async function readAll(
  { stdout, stderr }: ChildProcess,
  { output, errors }: GroupRequest,
  onBytes: () => void,
): Promise<void> {
  const apart = errors === undefined ? undefined : readOutput(stderr, errors, onBytes);
  await Promise.all([readOutput(stdout, output, onBytes), apart]);
}

async function readOutput(stream: Readable | null, output: Output, onBytes: () => void): Promise<void> {
  if (stream === null) return;
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      onBytes();
      await output.add(bytes);
    }
  } catch (error) {
    // The stream is destroyed when its group was ended and somebody else still holds the pipe.
    if (!stream.destroyed) throw error;
  }
  await output.end();
}

function writeTo(child: ChildProcess, text: string): Promise<boolean> {
  const { stdin } = child;
  if (stdin === null || !stdin.writable) return Promise.resolve(false);
  return new Promise((resolve) => stdin.write(text, (error) => resolve(error == null)));
}
