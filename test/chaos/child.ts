/** Child processes: started, listened to, and ended by their own id, always. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Answer, Request } from "./checker/main.js";
import type { Line } from "./journal.js";
import type { Program } from "./program.js";
import type { Plan } from "./writer/plan.js";

const living = new Set<ChildProcess>();
const STDERR_CHARS_MAX = 4_000;
/** Nothing that is checked takes this long; a checker that does is stuck. */
const ANSWER_MS_MAX = 120_000;

/** Ends every child that is still there: for an interrupt, and for the end of a run. */
export function endChildren(): void {
  for (const child of living) child.kill("SIGKILL");
}

export interface WriterEnd {
  readonly lines: readonly Line[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface WriterRun {
  readonly ended: Promise<WriterEnd>;
  kill(): void;
}

/** Starts a writer; `onLine` sees each line when it comes. A line that the kill cut in two was never told. */
export function startWriter(
  program: Program,
  use: { plan: Plan; planFile: string; fault?: string | undefined; onLine?: (line: Line) => void },
): WriterRun {
  writeFileSync(use.planFile, JSON.stringify(use.plan));
  const env = { ...process.env, ...(use.fault !== undefined && { TALARIA_FAULT: use.fault }) };
  const child = spawn(process.execPath, [program.writer, use.planFile], { env, stdio: ["ignore", "pipe", "pipe"] });
  living.add(child);
  const lines: Line[] = [];
  let rest = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const line = JSON.parse(part) as Line;
      lines.push(line);
      use.onLine?.(line);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(0, STDERR_CHARS_MAX);
  });
  const ended = new Promise<WriterEnd>((resolve, reject) => {
    child.on("error", reject);
    // `close` comes after the pipes are empty: by then everything that was told is here.
    child.on("close", (code, signal) => {
      living.delete(child);
      resolve({ lines, code, signal, stderr });
    });
  });
  return { ended, kill: () => child.kill("SIGKILL") };
}

/** One checker, for one home. */
export class Checker {
  readonly #child: ChildProcess;

  constructor(program: Program) {
    this.#child = fork(program.checker, {
      serialization: "advanced",
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    living.add(this.#child);
    this.#child.on("exit", () => living.delete(this.#child));
  }

  send(request: Request): void {
    if (this.#child.connected) this.#child.send(request);
  }

  /** Asks and waits for the answer; one question at a time. */
  async ask<K extends Answer["kind"]>(request: Request, kind: K): Promise<Extract<Answer, { kind: K }>> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      const late = systemClock.after(ANSWER_MS_MAX, () =>
        reject(new OperationalError("checker", "never", "the checker is stuck")),
      );
      const gone = (code: number | null): void =>
        reject(new OperationalError("checker", "never", `the checker ended with ${code}`));
      this.#child.once("exit", gone);
      this.#child.once("message", (message: Answer) => {
        late();
        this.#child.off("exit", gone);
        resolve(message);
      });
      if (this.#child.connected) this.#child.send(request);
      else gone(this.#child.exitCode);
    });
    if (answer.kind === kind) return answer as Extract<Answer, { kind: K }>;
    throw new OperationalError(
      "checker",
      "never",
      answer.kind === "failed" ? answer.message : `an answer of kind ${answer.kind}`,
    );
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
