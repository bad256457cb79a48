/**
 * A command that is waited for: until it ends, its time is over or the turn is interrupted. Whatever ends it, the
 * result says how, and holds what was printed until then.
 */
import { unreachable } from "#base/errors.js";
import type { ToolContext, ToolResult } from "../tool.js";
import type { Ending, Group } from "./group.js";
import type { Processes, ProcessRequest } from "./processes.js";

export interface ForegroundParts {
  readonly context: ToolContext;
  readonly processes: Processes;
  readonly stdin: string | undefined;
  readonly timeoutS: number;
}

export async function runForeground(request: ProcessRequest, parts: ForegroundParts): Promise<ToolResult> {
  const { clock, signal } = parts.context;
  const startedMs = clock.monotonicMs();
  const started = parts.processes.foreground(request);
  if (started.kind === "too-many") return { kind: "error", text: `Not started: ${started.why}.` };
  const group = started.process;
  if (parts.stdin !== undefined) void group.write(parts.stdin).then(() => group.closeInput());
  const end = await firstOf(group, parts.timeoutS * 1000, { clock, signal });
  if (end.kind !== "ended") await group.end();
  const ending = end.kind === "ended" ? end.ending : await group.ended;
  return result(request, {
    end,
    ending,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
    timeoutS: parts.timeoutS,
  });
}

type End =
  | { readonly kind: "ended"; readonly ending: Ending }
  | { readonly kind: "out-of-time" }
  | { readonly kind: "interrupted" };

function firstOf(
  group: Group,
  limitMs: number,
  { clock, signal }: Pick<ToolContext, "clock" | "signal">,
): Promise<End> {
  return new Promise((resolve, reject) => {
    const settle = (end: End): void => {
      forget();
      signal.removeEventListener("abort", interrupted);
      resolve(end);
    };
    const interrupted = (): void => settle({ kind: "interrupted" });
    const forget = clock.after(limitMs, () => settle({ kind: "out-of-time" }));
    signal.addEventListener("abort", interrupted, { once: true });
    if (signal.aborted) interrupted();
    group.ended.then((ending) => settle({ kind: "ended", ending }), reject);
  });
}

interface Outcome {
  readonly end: End;
  readonly ending: Ending;
  readonly durationMs: number;
  readonly timeoutS: number;
}

function result({ output }: ProcessRequest, outcome: Outcome): ToolResult {
  const { end, ending, durationMs } = outcome;
  const shown = output.shown();
  const spool = output.spool();
  const code = ending.kind === "exited" ? ending.code : null;
  return {
    kind: end.kind === "ended" && code === 0 ? "ok" : "error",
    text: `${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}[${how(outcome)}]`,
    body: { exitCode: code, durationMs, ended: end.kind, ...(spool === undefined ? {} : { spool }) },
  };
}

function how({ end, ending, durationMs, timeoutS }: Outcome): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  switch (end.kind) {
    case "out-of-time":
      return `ended after its time limit of ${timeoutS} s; for longer work use background: true`;
    case "interrupted":
      return `interrupted after ${seconds}; it may have done part of its work`;
    case "ended":
      return `${describeEnding(ending)}, ${seconds}`;
    default:
      return unreachable(end);
  }
}

/** Also how the process tool tells it. */
export function describeEnding(ending: Ending): string {
  if (ending.kind === "not-started") return `not run: ${ending.why}`;
  const left = ending.leftovers ? "; something it started still runs and ends with this turn" : "";
  const signal = ending.code > 128 && ending.code <= 128 + 64 ? ` (signal ${ending.code - 128})` : "";
  return `exit code ${ending.code}${signal}${left}`;
}
