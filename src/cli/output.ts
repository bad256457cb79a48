/**
 * Everything a command says. People get lines and tables on stdout; with `--json` stdout carries exactly
 * one JSON document and nothing else. Notes, warnings, questions and progress go to stderr in both cases.
 */
import type { Clock } from "#base/clock.js";
import { visible } from "#base/text-width.js";
import { confirm } from "./confirm.js";
import { formatTime, type TimeStyle, wrapHanging } from "./format.js";
import { createPaint, type Paint } from "./paint.js";
import { noProgress, type Progress, startProgress } from "./progress.js";
import { type Column, renderTable } from "./table.js";

export const COLUMNS_DEFAULT = 80;
const COLUMNS_MIN = 20;

export interface Output {
  /** True with `--json`: call `document` once and print no lines. */
  readonly json: boolean;
  readonly paint: Paint;
  /** For what goes to stderr. */
  readonly errorPaint: Paint;
  /** Terminal width; 80 when nobody knows. */
  readonly columns: number;
  /** Prints a line as it is: pass data through `visible` first. */
  line(text?: string): void;
  /** Prints prose: in a terminal broken between words, its further lines behind `indent`. */
  prose(text: string, indent?: string): void;
  /** Prints a table that fits; cells are made safe. Prints `empty` when there are no rows. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty?: string): void;
  /** The one JSON document of `--json`: indented in a terminal, compact otherwise. */
  document(value: unknown): void;
  /** Raw text for exports; resolves when the stream can take more. */
  write(chunk: string): Promise<void>;
  /** A remark on stderr, in a terminal broken between words; silent with `--json`. */
  note(text: string): void;
  /** A warning on stderr, in a terminal broken between words; a JSON line with `--json`. */
  warn(text: string): void;
  progress(label: string, total?: number): Progress;
  /** Asks y/N on the terminal; a UserError without one unless `yes`. */
  confirm(question: string, options: { readonly yes: boolean }): Promise<boolean>;
  /** A moment as the person likes to see it (`display.time`). */
  time(atMs: number): string;
}

export interface OutputSettings {
  readonly json: boolean;
  readonly color: boolean;
  readonly errorColor: boolean;
  readonly timeStyle: TimeStyle;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function createOutput(settings: OutputSettings): Output {
  const { json, clock } = settings;
  const paint = createPaint(settings.color);
  const errorPaint = createPaint(settings.errorColor);
  const columns = terminalColumns(process.stdout.columns);
  const line = (text = ""): void => void process.stdout.write(`${text}\n`);
  return {
    json,
    paint,
    errorPaint,
    columns,
    line,
    prose(text, indent = "") {
      for (const one of process.stdout.isTTY ? wrapHanging(text, columns, indent) : [text]) line(one);
    },
    table(tableColumns, rows, empty) {
      if (rows.length === 0 && empty !== undefined) return line(empty);
      for (const text of renderTable(tableColumns, rows, { columns, paint })) line(text);
    },
    document: (value) => line(process.stdout.isTTY ? JSON.stringify(value, null, 2) : JSON.stringify(value)),
    write: (chunk) => writeAll(chunk),
    note(text) {
      if (!json) remark(text);
    },
    warn(text) {
      const message = visible(text);
      if (json) process.stderr.write(`${JSON.stringify({ warning: { message } })}\n`);
      else remark(`${WARNING} ${message}`, (line) => line.replace(WARNING, errorPaint.yellow(WARNING)));
    },
    progress: (label, total) => (json ? noProgress : startProgress(label, total, progressSurface(clock))),
    confirm: (text, { yes }) => confirm({ text, yes, signal: settings.signal }),
    time: (atMs) => formatTime(atMs, { nowMs: clock.nowMs(), style: settings.timeStyle }),
  };
}

const WARNING = "warning:";
const REMARK_INDENT = "  ";

/** On stderr. A terminal would break words and names; a program reads its lines whole. */
function remark(text: string, painted: (first: string) => string = (first) => first): void {
  const { isTTY, columns } = process.stderr;
  // The last column stays free: some terminals begin a line of their own there.
  const cells = terminalColumns(columns) - 1;
  const lines = isTTY ? text.split("\n").flatMap((line) => wrapHanging(line, cells, REMARK_INDENT)) : [text];
  process.stderr.write(`${lines.map((line, at) => (at === 0 ? painted(line) : line)).join("\n")}\n`);
}

export function terminalColumns(columns: number | undefined): number {
  return columns === undefined || columns <= 0 ? COLUMNS_DEFAULT : Math.max(COLUMNS_MIN, columns);
}

function writeAll(chunk: string): Promise<void> {
  // A stream whose reader has gone never drains; `main` ends the command in that case.
  if (process.stdout.destroyed || process.stdout.write(chunk)) return Promise.resolve();
  return new Promise((resolve) => process.stdout.once("drain", resolve));
}

function progressSurface(clock: Clock) {
  return {
    isTerminal: process.stderr.isTTY === true,
    columns: terminalColumns(process.stderr.columns),
    clock,
    write: (text: string) => void process.stderr.write(text),
  };
}
