/**
 * A line to the home's host, started where none runs. Several clients may do this at once: the home's lock lets one
 * host live, the others exit, and everybody connects to the one. A host is its own process in its own session, so that
 * a closed terminal or a Ctrl-C here does not reach it. What it says on its own streams goes to a file beside the log,
 * which has nothing but its entries, and is shown when it dies at once.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { PROTOCOL_NUMBER, Result } from "#protocol/methods.js";
import { connect } from "./connect.js";
import type { HostEvent, HostLine } from "./host-line.js";

/** From the first try to a host that answers; a first start may have to bring the store up to date. */
export const START_TIME_MS = 15_000;
/** Written out, and held to the host's own by the compiler: its file brings every schema with it. */
export const PROTOCOL_SPOKEN: typeof PROTOCOL_NUMBER = 1;
const HELLO_TIME_MS = 5_000;
const LOOK_EVERY_MS = 25;
const LAST_WORDS_BYTES_MAX = 4_000;
const LAST_WORDS_LINES_MAX = 10;
const WORDS_BYTES_MAX = 256_000;
/** As in the table of exit codes: another process has the home. */
const EXIT_LOCKED = 4;
/** The same table: the disk or the database failed. */
const EXIT_STORAGE = 5;

export interface HostPlace {
  readonly socketPath: string;
  readonly logPath: string;
  readonly homePath: string;
}

export interface HostWish {
  readonly place: HostPlace;
  /** The program and its arguments that run a host in the foreground. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** This client, for the host's list of who is there. */
  readonly client: string;
  readonly version: string;
  /** Where sessions that name no folder work. */
  readonly cwd?: string;
  /**
   * Marks of this person's variables. A host that has others, and that nobody else needs, makes room for one that is
   * started with these; one that is needed stays, and its hello names what differs.
   */
  readonly variables?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onEvent?: (event: HostEvent) => void;
}

export interface Greeted {
  readonly line: HostLine;
  readonly hello: Result<"host.hello">;
}

/** Connects and says hello; rejects with `no-host` when none runs. */
export async function greetHost(wish: Omit<HostWish, "command" | "env">, timeoutMs = HELLO_TIME_MS): Promise<Greeted> {
  const { place, clock, client, version, cwd, variables, onEvent } = wish;
  const line = await connect({ to: place, clock, ...(onEvent !== undefined && { onEvent }) });
  try {
    const params = {
      client,
      version,
      protocol: PROTOCOL_SPOKEN,
      ...(cwd !== undefined && { cwd }),
      ...(variables !== undefined && { variables: { ...variables } }),
    };
    return { line, hello: await line.call("host.hello", params, { timeoutMs, ...signalOf(wish) }) };
  } catch (error) {
    line.close();
    throw error;
  }
}

/** The same, and a host is started when none runs. */
export async function reachHost(wish: HostWish): Promise<Greeted> {
  const { clock, signal, timeoutMs = START_TIME_MS } = wish;
  const giveUpMs = clock.monotonicMs() + timeoutMs;
  let host: StartedHost | undefined;
  let wasTaken = false;
  let wasAsked = false;
  for (;;) {
    signal?.throwIfAborted();
    const greeted = await greetOrAbsent(wish, Math.max(1, Math.min(HELLO_TIME_MS, giveUpMs - clock.monotonicMs())));
    if (greeted !== undefined) {
      // Asked once: whoever answers then was started by somebody with variables of their own.
      if (wasAsked || host !== undefined || !(await makesRoom(greeted, wish))) return greeted;
      wasAsked = true;
      continue;
    }
    const exit = host?.exit();
    if (exit !== undefined && exit.code !== EXIT_LOCKED) throw diedAtStart(exit, host?.lastWords() ?? "");
    wasTaken ||= exit !== undefined;
    if (clock.monotonicMs() >= giveUpMs) throw wasTaken ? homeTaken(wish) : tooSlow(wish, timeoutMs);
    // The one that had the lock may be a short command, or a host that was on its way out: then it is our turn.
    if (host === undefined || exit !== undefined) host = startHost(wish);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** Undefined while nobody is there, or while a host that goes hangs up on us. */
async function greetOrAbsent(wish: HostWish, timeoutMs: number): Promise<Greeted | undefined> {
  try {
    return await greetHost(wish, timeoutMs);
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    if (error.code === "host-slow") throw silentHost(wish);
    if (!["no-host", "host-gone", "host-silent"].includes(error.code)) throw error;
    return undefined;
  }
}

/** True when the host has other variables and goes. */
async function makesRoom({ line, hello }: Greeted, wish: HostWish): Promise<boolean> {
  if (wish.variables === undefined || (hello.other_variables ?? []).length === 0) return false;
  const aside = { reason: "variables", if_idle: true, if_alone: true, keep_openings: true, drain_ms: 0 };
  try {
    const { stopping } = await line.call("host.stop", aside, { timeoutMs: HELLO_TIME_MS, ...signalOf(wish) });
    if (!stopping) return false;
  } catch (error) {
    // One that goes anyway has made room; one that cannot answer this is left as it is.
    if (!(error instanceof OperationalError)) return false;
    if (error.code !== "host-gone") throw error;
  }
  await line.closed;
  return true;
}

interface Exit {
  readonly code: number | null;
  readonly by: string | null;
}

interface StartedHost {
  exit(): Exit | undefined;
  /** What it wrote to the log since it was started. */
  lastWords(): string;
}

function startHost({ place, command, env }: HostWish): StartedHost {
  const path = wordsPath(place);
  const file = openWords(path);
  const { size: before } = fstatSync(file);
  const [program, ...args] = command;
  try {
    const child = spawn(program, args, { cwd: place.homePath, env, detached: true, stdio: ["ignore", file, file] });
    child.unref();
    return watchHost(child, path, before);
  } finally {
    closeSync(file);
  }
}

/** What hosts said on their own streams: a host that cannot start, or that the machine ended with a word. */
export function wordsPath({ logPath }: Pick<HostPlace, "logPath">): string {
  return join(dirname(logPath), "host.out");
}

/** Kept small by whoever starts the next one; several that do so at once lose nothing of each other. */
function openWords(path: string): number {
  const file = openSync(path, "a+", 0o600);
  if (fstatSync(file).size > WORDS_BYTES_MAX) ftruncateSync(file);
  return file;
}

function watchHost(child: ChildProcess, wordsFile: string, before: number): StartedHost {
  let exit: Exit | undefined;
  child.once("exit", (code, by) => {
    exit = { code, by };
  });
  child.once("error", (error) => {
    exit = { code: null, by: error.message };
  });
  return { exit: () => exit, lastWords: () => endOfWords(wordsFile, before) };
}

/** The end of what was written after `from`; all of the file when it was replaced meanwhile. */
function endOfWords(path: string, from: number): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const start = Math.max(size < from ? 0 : from, size - LAST_WORDS_BYTES_MAX);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString("utf8").trimEnd().split("\n").slice(-LAST_WORDS_LINES_MAX).join("\n");
  } finally {
    closeSync(file);
  }
}

function diedAtStart({ code, by }: Exit, words: string): OperationalError {
  if (code === EXIT_STORAGE && words === "") return diskFull();
  const how = code === null ? `was ended (${by ?? "unknown"})` : `ended with ${code}`;
  const said = words === "" ? "It said nothing; `talaria logs` may tell more." : `Its last words:\n${words}`;
  const kind = code === EXIT_STORAGE ? "storage-failed" : "host-start";
  return new OperationalError(kind, "after-delay", `the host ${how} before it was ready. ${said}`);
}

/** Whatever else fails in the storage is said; only a disk without a byte left takes the words as well. */
function diskFull(): OperationalError {
  const text = "the host could not start: the disk is full, or its storage failed before it could say why.";
  return new OperationalError("disk-full", "after-delay", `${text} Free some space, then try again.`);
}

function silentHost({ place }: HostWish): OperationalError {
  return new OperationalError(
    "host-slow",
    "after-delay",
    `the host of ${place.homePath} does not answer. \`talaria host stop --force\` ends it; what it had stored is kept.`,
  );
}

function tooSlow({ place }: HostWish, timeoutMs: number): OperationalError {
  return new OperationalError(
    "host-start",
    "after-delay",
    `the host was not ready within ${Math.round(timeoutMs / 1000)} s; it may still come. \`talaria logs\` (${place.logPath}) tells what it does.`,
  );
}

function homeTaken({ place }: HostWish): OperationalError {
  return new OperationalError(
    "home-locked",
    "after-delay",
    `${place.homePath} is in use by a process that answers no clients; only one process may write to a home. Nothing was stored.`,
  );
}

function signalOf({ signal }: { readonly signal?: AbortSignal }): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
