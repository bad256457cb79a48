/**
 * The `process` tool: what became of the commands that were left running. Only this conversation's are seen.
 * Reading says from which character on, so that asking twice changes nothing.
 */

import { homedir } from "node:os";
import { z } from "zod";
import { unreachable } from "#base/errors.js";
import type { Effect } from "#session/tool-call.js";
import { type CommandPlaces, JUDGED_CHARS_MAX, judgeCommand } from "../guard/commands.js";
import { judgeCommandHere } from "../guard/reality.js";
import { defineTool, type Guard, type GuardContext, type Tool, type ToolContext, type ToolResult } from "../tool.js";
import { describeEnding } from "./foreground.js";
import type { BackgroundProcess, Processes } from "./processes.js";

export const WAIT_S = 30;
export const WAIT_S_MAX = 600;
export const POLL_CHARS = 20_000;
const WRITE_CHARS_MAX = 100_000;

const ACTIONS = ["list", "poll", "wait", "write", "kill"] as const;

/** One flat object: not every provider takes a choice of shapes as a tool's input. */
const input = z.object({
  action: z.enum(ACTIONS),
  id: z.string().max(64).optional().describe("The process, as the terminal tool named it; not for list."),
  since: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("poll, wait: show what came after this character; the end unless given."),
  timeout_s: z.number().int().min(1).max(WAIT_S_MAX).optional().describe(`wait: ${WAIT_S} unless given.`),
  text: z
    .string()
    .max(WRITE_CHARS_MAX)
    .optional()
    .describe("write: goes to its standard input as it is; a line ends with \\n."),
  close: z.boolean().optional().describe("write: nothing more will come, it sees the end of its input."),
});

type ProcessInput = z.infer<typeof input>;

const EFFECTS: Readonly<Record<ProcessInput["action"], Effect>> = {
  list: "read-only",
  poll: "read-only",
  wait: "read-only",
  write: "at-most-once",
  kill: "idempotent",
};

export function createProcessTool(processes: Processes): Tool {
  return defineTool<ProcessInput>({
    name: "process",
    description:
      "Look after background processes started with the terminal tool: list them, poll one for its state and output, wait for " +
      "its end, write to its standard input, kill it.",
    input,
    effect: ({ action }) => EFFECTS[action],
    limits: { timeMs: WAIT_S_MAX * 1000 + 5000, outputChars: POLL_CHARS + 2000 },
    guard: (given, context) => guardProcess(given, context, processes),
    run: (given, context) => run(given, context, processes),
    summary: ({ action, id }) => (action === "list" ? "list processes" : `${action} process ${id ?? "?"}`),
  });
}

async function guardProcess(given: ProcessInput, context: GuardContext, processes: Processes): Promise<Guard> {
  if (given.action !== "write") return { kind: "allow" };
  return judgeWritten(given.text ?? "", given.id === undefined ? undefined : processes.any(given.id), context);
}

/** [AP-23] What reads it may be a shell, and may put together what was written in pieces. */
async function judgeWritten(text: string, to: BackgroundProcess | undefined, context: GuardContext): Promise<Guard> {
  const places = { cwd: to?.cwd ?? context.cwd, home: context.home, personHome: homedir(), hostPid: process.pid };
  const fed = to?.fed() ?? "";
  const isForeign = to !== undefined && isInterpreter(to, places);
  // The floor holds for all of it together; a person is asked about what this text completes, not about old lines.
  const whole = await judgeCommandHere((fed + text).slice(-JUDGED_CHARS_MAX), places, { isForeign: true });
  if (whole.kind === "refuse") return whole;
  return judgeCommandHere(fed.slice(fed.lastIndexOf("\n") + 1) + text, places, { isForeign });
}

function isInterpreter({ command }: BackgroundProcess, places: CommandPlaces): boolean {
  const guard = judgeCommand(command, places, { isInputOpen: true });
  return guard.kind === "ask" && guard.grant.includes("open-interpreter");
}

const NOT_HERE = "in this conversation. Processes end when Talaria does; list shows those that are there.";

async function run(given: ProcessInput, context: ToolContext, processes: Processes): Promise<ToolResult> {
  if (given.action === "list") return list(processes.list(context.conversation), context);
  if (given.id === undefined) return { kind: "error", text: `${given.action} needs the id of a process.` };
  const process = processes.find(context.conversation, given.id);
  if (process === undefined) return { kind: "error", text: `There is no process ${given.id} ${NOT_HERE}` };
  switch (given.action) {
    case "poll":
      return describe(process, given.since, context);
    case "wait":
      await ended(process, (given.timeout_s ?? WAIT_S) * 1000, context);
      return describe(process, given.since, context);
    case "write":
      return write(process, given, context);
    case "kill":
      await processes.kill(process);
      return { kind: "ok", text: `${process.id} has ended.` };
    default:
      return unreachable(given.action);
  }
}

function list(processes: readonly BackgroundProcess[], context: ToolContext): ToolResult {
  if (processes.length === 0) return { kind: "ok", text: "No background processes." };
  return { kind: "ok", text: processes.map((process) => headline(process, context)).join("\n") };
}

const COMMAND_CHARS = 200;

function headline(process: BackgroundProcess, { clock }: ToolContext): string {
  const command = process.command.replace(/\s+/g, " ").slice(0, COMMAND_CHARS).toWellFormed();
  return `${process.id}  ${stateOf(process, clock.nowMs())}  ${command}`;
}

function stateOf(process: BackgroundProcess, nowMs: number): string {
  const state = process.state();
  if (state.phase === "running") return `running for ${seconds(nowMs - process.startedAtMs)}`;
  const how = state.wasKilled ? "killed" : describeEnding(state.ending);
  return `${how} after ${seconds(state.atMs - process.startedAtMs)}`;
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}

function describe(process: BackgroundProcess, since: number | undefined, context: ToolContext): ToolResult {
  const { text, missing, next } = process.output.since(since ?? 0);
  const isCut = text.length > POLL_CHARS;
  // From a given character on, reading goes forward; without one the newest is wanted.
  const shown = since === undefined ? text.slice(-POLL_CHARS) : text.slice(0, POLL_CHARS);
  const upTo = since === undefined ? next : next - (text.length - shown.length);
  const spool = process.output.spool();
  const notes = [
    `next since: ${upTo}`,
    ...(missing > 0 || (isCut && since === undefined) ? [`${next - shown.length} characters before this`] : []),
    ...(isCut && since !== undefined ? ["more to read"] : []),
    ...(spool === undefined ? [] : [`whole output in ${spool}`]),
  ];
  const state = process.state();
  return {
    kind: "ok",
    text: `${headline(process, context)}\n${shown.toWellFormed()}\n[${notes.join("; ")}]`,
    body: { process: process.id, phase: state.phase, next: upTo },
  };
}

async function ended(process: BackgroundProcess, limitMs: number, { clock, signal }: ToolContext): Promise<void> {
  const waiting = new AbortController();
  const isOver = AbortSignal.any([signal, waiting.signal]);
  const limit = clock.sleep(limitMs, isOver).catch((error: unknown) => {
    if (!isOver.aborted) throw error;
  });
  await Promise.race([process.settled, limit]);
  waiting.abort();
}

async function write(process: BackgroundProcess, given: ProcessInput, context: ToolContext): Promise<ToolResult> {
  const { text = "", close: isLast = false } = given;
  // Another call of the same step may have written since this one was judged.
  const guard = await judgeWritten(text, process, context);
  if (guard.kind === "refuse") return { kind: "error", text: `Refused: ${guard.why}; nothing was written.` };
  const isWritten = process.state().phase === "running" && (await process.feed(text));
  if (isLast) process.group.closeInput();
  if (!isWritten) return { kind: "error", text: `${process.id} reads nothing any more; nothing was written.` };
  return { kind: "ok", text: `Written to ${process.id}${isLast ? ", and its input is closed" : ""}.` };
}
