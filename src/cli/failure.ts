/**
 * The boundary where a command's failure becomes words and an exit code. A mistake or an outage is told as
 * it is; a bug is told shortly, and its stack goes to the log, where it can be found for a report.
 */
import type { CommanderError } from "commander";
import { OperationalError, UserError } from "#base/errors.js";
import { visibleLines } from "#base/text-width.js";
import { EXIT, exitCodeOf, exitName } from "./exit-codes.js";
import { wrap } from "./format.js";
import type { Paint } from "./paint.js";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly exitCode: number;
  /** The number with which a host refused a call. */
  readonly rpcCode?: number;
  /** Present for a bug: goes to the log, never to the person unless asked for. */
  readonly stack?: string;
}

/** `helpCommand` is what to run to learn how the command is used. */
export function toFailure(error: unknown, helpCommand: string): Failure {
  if (error instanceof UserError) {
    const { message, hint, exitCode } = error;
    const { rpcCode } = error as { rpcCode?: number };
    return {
      code: exitName(exitCode),
      message,
      exitCode,
      ...(hint === undefined ? {} : { hint }),
      ...(rpcCode === undefined ? {} : { rpcCode }),
    };
  }
  if (error instanceof OperationalError) {
    return { code: error.code, message: error.message, exitCode: exitCodeOf(error) };
  }
  if (isUsageError(error)) return usageFailure(error, helpCommand);
  const refusal = systemRefusal(error);
  if (refusal !== undefined) return refusal;
  const known = error instanceof Error ? error : new Error(String(error));
  return {
    code: "bug",
    message: `something is wrong inside the program: ${known.message}`,
    exitCode: EXIT.failed,
    stack: known.stack ?? String(known),
  };
}

/** What the operating system refused to anybody is not a bug of ours, wherever it surfaced. */
function systemRefusal(error: unknown): Failure | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : REFUSALS[code];
  if (reason === undefined) return undefined;
  const message = path === undefined ? reason : `${path}: ${reason}`;
  return { code: `file-${code}`, message, exitCode: EXIT.storage };
}

const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many files are open; raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine",
};

export function isUsageError(error: unknown): error is CommanderError {
  // By its code: the class may have another name in the bundle.
  return error instanceof Error && "code" in error && String(error.code).startsWith("commander.");
}

/** What goes to stderr: two lines for people, one JSON object for programs. */
export function renderFailure(
  failure: Failure,
  { json, paint, columns }: { readonly json: boolean; readonly paint: Paint; readonly columns?: number | undefined },
): string {
  const { code, message, hint, rpcCode } = failure;
  if (json) return `${JSON.stringify({ error: { code, message, hint, rpcCode } })}\n`;
  // A terminal would break words and ids; a file gets its lines whole.
  const fitted = (text: string, indent: string): string[] =>
    visibleLines(text)
      .split("\n")
      .flatMap((line) => (columns === undefined ? [line] : wrap(line, columns - indent.length - 1)));
  const [first = "", ...more] = fitted(`talaria: ${message}`, "");
  const lines = [`${paint.red("talaria:")}${first.slice("talaria:".length)}`, ...more];
  if (hint !== undefined) lines.push(...fitted(hint, HINT_INDENT).map((line) => `${HINT_INDENT}${line}`));
  return `${lines.join("\n")}\n`;
}

const HINT_INDENT = "  ";

/** Commander says `error: unknown command 'x'`, then perhaps `(Did you mean y?)` on a second line. */
function usageFailure(error: CommanderError, helpCommand: string): Failure {
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const suggestion = rest
    .join(" ")
    .trim()
    .replace(/^\((.*)\)$/, "$1");
  return {
    code: "usage",
    message: first,
    hint: suggestion === "" ? `see ${helpCommand}` : suggestion,
    exitCode: EXIT.usage,
  };
}
