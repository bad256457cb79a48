/**
 * The `terminal` tool: one command in a shell, waited for or left running in the background. [CT-5] What a command
 * does cannot be known, so that a call which was started and did not finish is never started again. What is judged
 * before it runs is what can be seen of it: the guard is no sandbox.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { judgePath } from "../guard/paths.js";
import { judgeCommandHere } from "../guard/reality.js";
import { defineTool, type Guard, type GuardContext, type Tool, type ToolContext, type ToolResult } from "../tool.js";
import { runForeground } from "./foreground.js";
import { createOutput } from "./output.js";
import { createProcessTool } from "./process-tool.js";
import type { Processes, ProcessRequest } from "./processes.js";

export const COMMAND_CHARS_MAX = 32_000;
export const STDIN_CHARS_MAX = 100_000;
export const TIMEOUT_S = 120;
export const TIMEOUT_S_MAX = 600;
export const OUTPUT_CHARS = 30_000;
/** A background process is asked about later, so that more of it is kept. */
export const BACKGROUND_CHARS = 200_000;
/** What ending a command that does not want to end may take on top of its time limit. */
const END_MS = 5000;

const input = z.object({
  command: z
    .string()
    .min(1)
    .max(COMMAND_CHARS_MAX)
    .refine((text) => !text.includes("\0"), "a command cannot hold a NUL character")
    .describe("What to run, as you would type it into bash."),
  cwd: z.string().optional().describe("Where to run it; the working directory unless given."),
  timeout_s: z
    .number()
    .int()
    .min(1)
    .max(TIMEOUT_S_MAX)
    .optional()
    .describe(`Seconds after which it is ended; ${TIMEOUT_S} unless given, at most ${TIMEOUT_S_MAX}.`),
  background: z
    .boolean()
    .optional()
    .describe("Leave it running and return its id at once; see the process tool. For servers and long work."),
  stdin: z
    .string()
    .max(STDIN_CHARS_MAX)
    .optional()
    .describe("What it reads on standard input, which is closed otherwise."),
});

export type TerminalInput = z.infer<typeof input>;

export function createTerminalTools({ processes }: { readonly processes: Processes }): readonly Tool[] {
  return [createTerminalTool(processes), createProcessTool(processes)];
}

function createTerminalTool(processes: Processes): Tool {
  return defineTool<TerminalInput>({
    name: "terminal",
    description:
      "Run a shell command and return what it printed (stdout and stderr in order) and its exit code. Each call is a new " +
      "shell: nothing but files carries over. There is no terminal and nobody to answer questions, so pass flags such as -y. " +
      "Prefer read_file, write_file, patch and search_files for files. Commands that go on for long belong in the background.",
    input,
    effect: "at-most-once",
    limits: { timeMs: TIMEOUT_S_MAX * 1000 + END_MS, outputChars: OUTPUT_CHARS + 2000 },
    guard: guardTerminal,
    run: (given, context) => run(given, context, processes),
    summary: ({ command, background }) => `$ ${oneLine(command)}${background ? " &" : ""}`,
  });
}

const SUMMARY_CHARS = 120;

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS - 1)}…` : line;
}

async function guardTerminal(given: TerminalInput, context: GuardContext): Promise<Guard> {
  const cwd = cwdOf(given, context);
  const places = { cwd, home: context.home, personHome: homedir(), hostPid: process.pid };
  const command = await judgeCommandHere(given.command, places, {
    stdin: given.stdin,
    isInputOpen: given.background === true,
  });
  if (command.kind === "refuse" || given.cwd === undefined) return command;
  const place = await judgePath(given.cwd, "write", context);
  if (place.kind === "allow" || place.kind === "question") return command;
  if (place.kind === "refuse" || command.kind !== "ask") return place;
  return { kind: "ask", grant: `${command.grant}, ${place.grant}`, why: `${command.why}; ${place.why}` };
}

function cwdOf(given: TerminalInput, context: GuardContext): string {
  if (given.cwd === undefined) return context.cwd;
  return resolve(context.cwd, given.cwd.replace(/^~(?=\/|$)/, homedir()));
}

async function run(given: TerminalInput, context: ToolContext, processes: Processes): Promise<ToolResult> {
  const cwd = cwdOf(given, context);
  if (!(await isFolder(cwd))) return { kind: "error", text: `There is no folder ${cwd}; nothing was run.` };
  if (context.signal.aborted) return { kind: "error", text: "Interrupted before it was started; nothing was run." };
  // Calls of one step are judged before the first of them runs, and that one may have made a link.
  const guard = await guardTerminal(given, context);
  if (guard.kind === "refuse") return { kind: "error", text: `Refused: ${guard.why}; nothing was run.` };
  const isBackground = given.background === true;
  const output = createOutput({
    keepChars: isBackground ? BACKGROUND_CHARS : OUTPUT_CHARS,
    spoolFile: join(context.spoolDir, `${context.call}.txt`),
    ...(isBackground ? {} : { onLine: throttled(context) }),
  });
  const { conversation, turn, env } = context;
  const request: ProcessRequest = {
    command: given.command,
    cwd,
    env,
    input: isBackground || given.stdin !== undefined ? "open" : "closed",
    output,
    conversation,
    turn,
  };
  if (isBackground) return startBackground(request, given.stdin, processes);
  return runForeground(request, { context, processes, stdin: given.stdin, timeoutS: given.timeout_s ?? TIMEOUT_S });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

const REPORT_EVERY_MS = 500;
const REPORT_CHARS = 200;

/** Progress is for eyes: the newest line, twice a second. */
function throttled({ clock, report }: ToolContext): (line: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    const nowMs = clock.monotonicMs();
    if (line === "" || nowMs - lastMs < REPORT_EVERY_MS) return;
    lastMs = nowMs;
    report(line.slice(0, REPORT_CHARS).toWellFormed());
  };
}

async function startBackground(
  request: ProcessRequest,
  stdin: string | undefined,
  processes: Processes,
): Promise<ToolResult> {
  const started = processes.background(request);
  if (started.kind === "too-many") return { kind: "error", text: `Not started: ${started.why}.` };
  const { process } = started;
  if (stdin !== undefined) await process.feed(stdin);
  return {
    kind: "ok",
    text: `Started in the background as ${process.id}. Ask the process tool about it; it ends with Talaria at the latest.`,
    body: { process: process.id, pid: process.pid ?? null },
  };
}
