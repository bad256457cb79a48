/**
 * Runs one tool within its limits [TC-2]: a time limit that ends it, a text limit that shortens what it said, and
 * an interrupt it gets a moment to obey. Whatever a tool throws is a result the model can read; only a bug of
 * ours passes through.
 */
import { InvariantError } from "#base/errors.js";
import type { Tool, ToolContext, ToolResult } from "#tool/tool.js";
import { recall } from "./compaction/recall.js";
import type { CallName, TurnParts } from "./turn-parts.js";

/** How long a tool may take to end after its time is up. */
export const TOOL_GRACE_MS = 3_000;
/** The same after an interrupt: the person waits, and the turn has to be settled before their patience ends. */
export const INTERRUPTED_TOOL_GRACE_MS = 500;
/** Kept of a text that is too long: its beginning and its end. */
const HEAD_SHARE = 0.6;

export interface ToolRun extends CallName {
  readonly prepared: { readonly tool: Tool; readonly input: unknown };
  readonly reply: string | undefined;
}

/** Undefined: it did not end in time after an interrupt, and nobody knows what it did. */
export async function runTool(turn: TurnParts, run: ToolRun): Promise<ToolResult | undefined> {
  const { tool, input } = run.prepared;
  turn.glimpse({ type: "call-started", call: run.id, name: run.name, summary: tool.summary(input), input });
  const end = new AbortController();
  const done = new AbortController();
  const interrupt = (): void => end.abort(turn.signal.reason);
  // Passed on by hand: what AbortSignal.any makes, and all that listens to it, outlives the call for long.
  if (turn.signal.aborted) interrupt();
  turn.signal.addEventListener("abort", interrupt, { once: true });
  // A sleep, not a bare timer: it keeps the process alive for a tool that waits for nothing the system knows of.
  void turn.clock.sleep(tool.limits.timeMs, done.signal).then(
    () => end.abort(new Error("time limit")),
    () => undefined,
  );
  const { signal } = end;
  const running = attempt(tool, input, toolContext(turn, run, signal));
  try {
    const result = await Promise.race([running, graceAfter(turn, signal, done.signal)]);
    if (result !== undefined) return { ...result, text: shorten(result.text, tool.limits.outputChars) };
    if (turn.signal.aborted) return undefined;
    return {
      kind: "error",
      text: `${tool.name} did not end within its time limit of ${tool.limits.timeMs / 1000} s. Its outcome is unknown.`,
    };
  } finally {
    turn.signal.removeEventListener("abort", interrupt);
    done.abort();
  }
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(input, context);
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { kind: "error", text: `${tool.name} failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function toolContext(turn: TurnParts, run: ToolRun, signal: AbortSignal): ToolContext {
  const { environment, ...surroundings } = turn.toolSurroundings;
  return {
    ...surroundings,
    signal,
    clock: turn.clock,
    call: run.id,
    conversation: turn.conversation,
    session: turn.session(),
    turn: turn.turn,
    // Made for the tools that start something; most only look at a file.
    get env() {
      return environment();
    },
    reply: run.reply,
    report: (line) => turn.glimpse({ type: "call-progress", call: run.id, name: run.name, line }),
    async recall(name) {
      const { messages } = await turn.journal.history();
      return recall(messages, name)?.["result"] as Readonly<Record<string, unknown>> | undefined;
    },
  };
}

/** Resolves to undefined a moment after the signal; never before. */
function graceAfter(turn: TurnParts, signal: AbortSignal, done: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const wait = (): void =>
      void turn.clock.sleep(turn.signal.aborted ? INTERRUPTED_TOOL_GRACE_MS : TOOL_GRACE_MS, done).then(
        () => resolve(undefined),
        () => undefined,
      );
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true, signal: done });
  });
}

function shorten(text: string, charsMax: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= charsMax) return whole;
  const head = Math.floor(charsMax * HEAD_SHARE);
  const tail = charsMax - head;
  const left = whole.length - charsMax;
  return `${whole.slice(0, head)}\n[… ${left} characters left out …]\n${whole.slice(-tail)}`.toWellFormed();
}
