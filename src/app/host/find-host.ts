/**
 * A home's host, seen from a command: whether one runs and answers, whether something else has the home, and the way to
 * end one that does not answer. Signals go only to a process that is known to be this home's host.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { type Greeted, greetHost, type HostPlace } from "#client/start-host.js";
import type { HomePaths } from "#config/home.js";
import { hostRecord, isHostLocked } from "#store/sqlite/host-lock.js";
import { isAlive } from "../open-store.js";
import { NO_CRASHES, readCrashRecord, writeCrashRecord } from "./crash-record.js";
import { crashRecordPath } from "./open-home.js";
import { marksOf } from "./variable-marks.js";

/** How long a host may take to answer before it counts as one that does not. */
export const ANSWER_MS = 3_000;
/** What a host that was told to end by a signal gets before it is killed. */
export const FORCE_AFTER_MS = 8_000;
const LOOK_EVERY_MS = 50;
const KILLED_MS = 5_000;

export type HostFinding =
  | { readonly kind: "none" }
  | { readonly kind: "answers"; readonly greeted: Greeted }
  /** It has the home and does not answer. With its door closed it is about to leave, or has just come. */
  | { readonly kind: "silent"; readonly pid: number; readonly isDoorClosed: boolean }
  /** Something that is no host has the home, or nobody can tell what. */
  | { readonly kind: "other"; readonly pid: number | undefined };

export interface FindWish {
  readonly home: HomePaths;
  readonly clock: Clock;
  readonly version: string;
  /** With it the hello names what the host has otherwise. */
  readonly env?: NodeJS.ProcessEnv;
}

export async function findHost({ home, clock, version, env }: FindWish): Promise<HostFinding> {
  try {
    const variables = env === undefined ? {} : { variables: marksOf(env) };
    const wish = { place: hostPlace(home), clock, client: "talaria-cli", version, ...variables };
    return { kind: "answers", greeted: await greetHost(wish, ANSWER_MS) };
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
  }
  if (!isHostLocked(home.run)) return { kind: "none" };
  const pid = hostRecord(home.run)?.pid;
  if (pid === undefined || !isAlive(pid)) return { kind: "other", pid: undefined };
  if (!isHostProcess(pid, home)) return { kind: "other", pid };
  return { kind: "silent", pid, isDoorClosed: !existsSync(home.hostSocket) };
}

/** What a person is told of one that does not answer: a host that drains is in order, and is not to be ended. */
export function silentText(
  { pid, isDoorClosed }: Extract<HostFinding, { readonly kind: "silent" }>,
  home: HomePaths,
): { readonly text: string; readonly hint: string } {
  const force = "talaria host stop --force ends it at once; what it had stored is kept";
  return isDoorClosed
    ? {
        text: `process ${pid}, the host of ${home.root}, is stopping; running turns get their time`,
        hint: `look again in a moment; ${force}`,
      }
    : { text: `process ${pid} is the host of ${home.root} and does not answer`, hint: force };
}

/** Whether anything has the home; a look at the lock, nobody is asked. */
export function hasHost(home: HomePaths): boolean {
  return isHostLocked(home.run);
}

export function hostPlace(home: HomePaths): HostPlace {
  return { socketPath: home.hostSocket, logPath: home.logFile, homePath: home.root };
}

/** True once nobody has the home any more. */
export async function waitUntilFree({ home, clock }: FindWish, limitMs: number): Promise<boolean> {
  const giveUpMs = clock.monotonicMs() + limitMs;
  while (isHostLocked(home.run)) {
    if (clock.monotonicMs() >= giveUpMs) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
  return true;
}

/** Asks by a signal, then makes it. Answers how it went; the end that was wanted counts as no crash. */
export async function forceEnd(wish: FindWish, pid: number): Promise<"ended" | "killed"> {
  process.kill(pid, "SIGTERM");
  if (await waitUntilFree(wish, FORCE_AFTER_MS)) return "ended";
  // Time has passed: it may be another process by now.
  if (isAlive(pid) && isHostProcess(pid, wish.home)) process.kill(pid, "SIGKILL");
  if (!(await waitUntilFree(wish, KILLED_MS))) {
    throw new OperationalError("home-locked", "after-delay", `process ${pid} was killed and the home is still in use`);
  }
  await noteWanted(wish.home);
  return "killed";
}

/** The host was ended on purpose: the next one does not take it for a crash. */
async function noteWanted(home: HomePaths): Promise<void> {
  const path = crashRecordPath(home.run);
  await writeCrashRecord(path, { ...readCrashRecord(path), running: null });
}

/** A person says that the crashes are dealt with. */
export function forgetCrashes(home: HomePaths): Promise<void> {
  return writeCrashRecord(crashRecordPath(home.run), NO_CRASHES);
}

/** Whether the process runs a host and has this home's lock open, as far as this machine lets us look. */
export function isHostProcess(pid: number, home: HomePaths): boolean {
  const words = commandWords(pid);
  if (words === undefined) return true;
  const isHost = words.some((word, at) => (word === "host" || word === "gateway") && words[at + 1] === "run");
  return isHost && holdsLock(pid, home.hostLock);
}

/** Undefined where the system does not tell. */
function commandWords(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return undefined;
  }
}

function holdsLock(pid: number, lockPath: string): boolean {
  try {
    const real = realpathSync(lockPath);
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => linkOf(join(folder, name)) === real);
  } catch {
    // Not ours to look at: the record in the home is what is left.
    return true;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
