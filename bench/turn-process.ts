/**
 * The program as a person runs it, a process of its own: one prompt from the shell, and what a long chat keeps in
 * memory. `NODE_EXTRA_CA_CERTS` is left out, because reading certificates costs some machines more than the program.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { packageRoot } from "#base/package-root.js";
import { quantile, type Row } from "./report.js";
import { ANSWER, type CannedServer, fileName, modelEnvironment, startCanned, turnReplies } from "./turn-server.js";

const section = "turn";
const MEMORY_TURNS = 50;
const MEMORY_CHATS = 5;
const MEMORY_MAX_BYTES = 110e6;
const PROMPT_MAX_MS = 600;

type Emit = (row: Row) => void;

export async function benchProcesses(folder: string, isQuick: boolean, emit: Emit): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const plain = await startCanned(folder, turnReplies(0));
  await benchPrompt(folder, { server: plain, runs: isQuick ? 9 : 21 }, emit);
  await plain.stop();
  const reading = await startCanned(folder, turnReplies(1));
  await benchMemory(folder, reading, emit);
  await reading.stop();
}

interface PromptWish {
  readonly server: CannedServer;
  readonly runs: number;
}

async function benchPrompt(folder: string, { server, runs }: PromptWish, emit: Emit): Promise<void> {
  const program = [join(packageRoot(), "bin", "talaria.cjs"), "chat", "-q", "What is on the list?"];
  const raw = [join(packageRoot(), "bench", "raw-prompt.mjs"), join(folder, "raw-prompt.db")];
  const env = environment(folder, server);
  const [ours, bare]: [Timed[], Timed[]] = [[], []];
  // The first one makes the home and fills the caches; it is no measurement.
  await timedRun(program, env);
  await timedRun(raw, env);
  for (let run = 0; run < runs; run++) {
    ours.push(await timedRun(program, env));
    bare.push(await timedRun(raw, env));
  }
  const whole = quantile(
    ours.map(({ totalMs }) => totalMs),
    0.5,
  );
  const least = Math.min(...ours.map(({ totalMs }) => totalMs));
  const shown = quantile(
    ours.map(({ shownMs }) => shownMs),
    0.5,
  );
  const rawMs = quantile(
    bare.map(({ totalMs }) => totalMs),
    0.5,
  );
  emit({
    section,
    work: "one prompt from the shell, without a host",
    ours: `${whole.toFixed(0)} ms, least ${least.toFixed(0)}`,
    raw: `${rawMs.toFixed(0)} ms`,
    target: `≤ ${PROMPT_MAX_MS} ms (${(whole / rawMs).toFixed(1)} × raw; its answer stands after ${shown.toFixed(0)} ms)`,
    holds: whole <= PROMPT_MAX_MS,
  });
}

function environment(folder: string, server: CannedServer): NodeJS.ProcessEnv {
  const home = join(folder, "person");
  mkdirSync(home, { recursive: true });
  for (const at of [0, 1, 2, 3, 4]) writeFileSync(join(home, fileName(at)), "milk\neggs\nbread\n".repeat(10));
  return { PATH: process.env["PATH"], HOME: home, TALARIA_HOME: join(home, "talaria"), ...modelEnvironment(server) };
}

interface Timed {
  readonly totalMs: number;
  /** Until the answer is on stdout. */
  readonly shownMs: number;
}

async function timedRun(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Timed> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, cwd: env["HOME"], stdio: ["ignore", "pipe", "pipe"] });
  let shownMs = Number.NaN;
  let output = "";
  let complaints = "";
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString("utf8");
    if (Number.isNaN(shownMs) && output.includes(ANSWER.slice(-20))) shownMs = performance.now() - start;
  });
  child.stderr.on("data", (bytes: Buffer) => {
    complaints += bytes.toString("utf8");
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0 || Number.isNaN(shownMs)) throw new Error(`${args.join(" ")} ended with ${code}: ${complaints}`);
  return { totalMs: performance.now() - start, shownMs };
}

/** The second row has a small nursery: most of what a busy process holds is garbage that nobody asked back yet. */
const NURSERIES: readonly (readonly [work: string, flags: readonly string[]])[] = [
  [`memory after ${MEMORY_TURNS} turns with a call each`, []],
  ["the same with --max-semi-space-size=2", ["--max-semi-space-size=2"]],
];

async function benchMemory(folder: string, server: CannedServer, emit: Emit): Promise<void> {
  const env = environment(folder, server);
  for (const [work, flags] of NURSERIES) {
    const chats: number[] = [];
    for (let chat = 0; chat < MEMORY_CHATS; chat++) chats.push(await chatMemory(env, flags));
    const resident = quantile(chats, 0.5);
    emit({
      section,
      work,
      ours: `${(resident / 1e6).toFixed(0)} MB, at most ${(Math.max(...chats) / 1e6).toFixed(0)}`,
      target: `≤ ${MEMORY_MAX_BYTES / 1e6} MB`,
      holds: flags.length > 0 ? undefined : resident <= MEMORY_MAX_BYTES,
    });
  }
}

/** A chat through a pipe: a line, its answer, the next line; then its memory, as the kernel counts it. */
async function chatMemory(env: NodeJS.ProcessEnv, flags: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...flags, join(packageRoot(), "bin", "talaria.cjs"), "chat"], {
    env,
    cwd: env["HOME"],
    stdio: ["pipe", "pipe", "ignore"],
  });
  for (let turn = 0; turn < MEMORY_TURNS; turn++) await say(child, "What is on the list?");
  const resident = bytesOf(readFileSync(`/proc/${child.pid}/status`, "utf8"), "VmRSS");
  const gone = once(child, "exit");
  child.stdin.end();
  await gone;
  return resident;
}

async function say(child: ChildProcessByStdio<Writable, Readable, null>, text: string): Promise<void> {
  let output = "";
  child.stdin.write(`${text}\n`);
  for (;;) {
    const [bytes] = (await once(child.stdout, "data")) as [Buffer];
    output += bytes.toString("utf8");
    if (output.endsWith("\n") && output.includes(ANSWER.slice(-20))) return;
  }
}

function bytesOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
}
