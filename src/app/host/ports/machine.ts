/**
 * What a client asks of the machine beside its conversations: a command line of the person's own, a long paste kept in
 * a file, a file that was dropped or named. The floor of the tools holds here too: what would ruin the machine or this
 * home never runs.
 */
import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { type ConversationId, randomIds, type TurnId } from "#base/ids.js";
import { FOLDER_MODE, type HomePaths } from "#config/home.js";
import type { FoundFile, MachinePort, ShellAnswer } from "#server/parts.js";
import { toolEnvironment } from "#tool/terminal/environment.js";
import { createOutput } from "#tool/terminal/output.js";
import type { Processes } from "#tool/terminal/processes.js";
import { spoolDirOf } from "../../spool.js";

export const SHELL_TIME_MS = 30_000;
const SHELL_CHARS_MAX = 20_000;
const WORDS_CHARS_MAX = 4_096;
const IMAGES: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"]);

export interface MachineWish {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Ends the background commands of every conversation and answers how many there were. */
  stopProcesses(): Promise<number>;
}

export function createMachine(wish: MachineWish): MachinePort {
  const { home, stopProcesses } = wish;
  // Where long outputs are kept, too: the guard lets what stands there be read, and it is pruned.
  const pastes = spoolDirOf(home);
  return {
    shell: (command, cwd, signal) => shell(wish, { command, cwd, signal }),
    async keepPaste(text) {
      await mkdir(pastes, { recursive: true, mode: FOLDER_MODE });
      const path = join(pastes, `paste-${randomIds<string>()}.txt`);
      await replaceFile(path, text);
      return path;
    },
    findFile,
    stopProcesses,
    isDirectory: async (path) => (await statOf(path))?.isDirectory() ?? false,
  };
}

interface ShellWish {
  readonly command: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

async function shell(wish: MachineWish, { command, cwd, signal }: ShellWish): Promise<ShellAnswer> {
  const { home, env, clock, processes } = wish;
  const places = { cwd, home: home.root, personHome: homedir(), hostPid: process.pid };
  const { judgeCommandHere } = await import("#tool/guard/reality.js");
  const guard = await judgeCommandHere(command, places);
  if (guard.kind === "refuse") return { kind: "refused", why: guard.why };
  const turn = randomIds<TurnId>();
  const kept = (name: string) =>
    createOutput({ keepChars: SHELL_CHARS_MAX, spoolFile: join(home.run, "output", `${turn}${name}.txt`) });
  const [output, errors] = [kept(""), kept("-errors")];
  const started = processes.foreground({
    command,
    cwd,
    env: toolEnvironment(env, { session: "", conversation: "" }),
    input: "closed",
    output,
    errors,
    // Nobody's conversation: it belongs to a turn of its own and ends with it.
    conversation: turn as unknown as ConversationId,
    turn,
  });
  if (started.kind === "too-many") return { kind: "refused", why: started.why };
  const group = started.process;
  const late = new Promise<"late">((done) => {
    const forget = clock.after(SHELL_TIME_MS, () => done("late"));
    signal.addEventListener("abort", () => done("late"), { once: true });
    void group.ended.finally(forget);
  });
  const ending = await Promise.race([group.ended, late]);
  await processes.endTurn(turn);
  if (ending === "late") return { kind: "timed-out" };
  if (ending.kind === "not-started") return { kind: "refused", why: ending.why };
  return { kind: "ran", stdout: output.shown(), stderr: errors.shown(), code: ending.code };
}

/** A dropped file comes as a path, quoted, escaped or as an address; words may follow it. */
async function findFile(words: string, cwd: string): Promise<FoundFile | undefined> {
  const text = words.trim();
  if (text === "" || text.length > WORDS_CHARS_MAX) return undefined;
  for (const { path, rest } of candidates(text)) {
    const absolute = resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()));
    if ((await statOf(absolute))?.isFile() !== true) continue;
    const isImage = IMAGES.has(extname(absolute).toLowerCase());
    return { path: absolute, name: basename(absolute), isImage, rest };
  }
  return undefined;
}

function candidates(text: string): readonly { readonly path: string; readonly rest: string }[] {
  const [, quote, quoted, after = ""] = /^(["'])(.*?)\1\s*(.*)$/s.exec(text) ?? [];
  if (quote !== undefined && quoted !== undefined) return [{ path: quoted, rest: after }];
  if (!/^(?:[/~.]|file:)/.test(text)) return [];
  const [, first = text, rest = ""] = /^((?:\\.|[^\s\\])+)\s*(.*)$/s.exec(text) ?? [];
  const plain = (path: string): string => (path.startsWith("file:") ? fromAddress(path) : path.replace(/\\(.)/g, "$1"));
  return [
    { path: plain(text), rest: "" },
    { path: plain(first), rest },
  ];
}

function fromAddress(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
}

function statOf(path: string) {
  return stat(path).catch(() => undefined);
}
