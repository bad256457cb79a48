/** `talaria logs`: the end of the log, filtered, and what comes next. */
import { InvalidArgumentError, Option } from "commander";
import { UserError } from "#base/errors.js";
import { LOG_LEVELS, type LogLevel, logFiles } from "#base/log.js";
import { visible } from "#base/text-width.js";
import { addExamples, type CliContext, type Register } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { parseMoment } from "../format.js";
import { type LogEntry, type LogFilter, parseLogLine, passes, renderLogEntry } from "../log-entry.js";
import { followLog, openLogEnd } from "../log-follow.js";
import { linesFromEnd } from "../log-tail.js";

const LINES_DEFAULT = 50;
export const LINES_MAX = 100_000;
/** Lines are kept until they can be printed in order; beyond this the oldest are left out. */
const CHARS_MAX = 64_000_000;
/** Rotated files are looked for up to the highest number the settings allow. */
const FILES_MAX = 100;

interface LogsOptions {
  readonly lines: number;
  readonly follow?: boolean;
  readonly level: LogLevel;
  readonly since?: string;
  readonly component?: string;
  readonly path?: boolean;
}

export const register: Register = (command, context) => {
  command
    .description(
      "Show the end of the log, rotated files included. Lines that are not log entries are shown as they are.",
    )
    .option("-n, --lines <count>", `how many lines (at most ${LINES_MAX})`, parseLines, LINES_DEFAULT)
    .option("-f, --follow", "go on with new lines until Ctrl-C")
    .addOption(new Option("--level <level>", "this level and above").choices(LOG_LEVELS).default("debug"))
    .option("--since <time>", "not older than a span (2h, 3d) or a date (2026-03-14)")
    .option("--component <name>", "only this part of the program")
    .option("--path", "print where the log file is, and nothing else")
    .action((options: LogsOptions) => showLogs(context, options));
  addExamples(command, [
    ["talaria logs -n 20", "the last 20 lines"],
    ["talaria logs -f --level warn", "watch for trouble"],
    ["talaria logs --since 2h --json", "for a program"],
  ]);
};

async function showLogs(context: CliContext, options: LogsOptions): Promise<void> {
  const { logFile } = context.home;
  if (options.path) return context.out.json ? context.out.document({ path: logFile }) : context.out.line(logFile);
  const filter = filterOf(options, context.clock.nowMs());
  if (options.follow) return follow(context, options.lines, filter);
  const entries = lastEntries(linesFromEnd(logFiles(logFile, FILES_MAX)), options.lines, filter);
  if (context.out.json) return context.out.document({ path: logFile, entries: entries.map(entryDocument) });
  if (entries.length === 0) return context.out.note(nothingToShow(logFile, options.lines));
  for (const entry of entries) context.out.line(renderLogEntry(entry, context.out.paint));
}

/** With `--json` every line is an object of its own: a document that never ends could not be read. */
async function follow(context: CliContext, count: number, filter: LogFilter): Promise<void> {
  const { clock, signal, home } = context;
  const print = (entry: LogEntry): void =>
    context.out.line(
      context.out.json ? JSON.stringify(entryDocument(entry)) : renderLogEntry(entry, context.out.paint),
    );
  const from = openLogEnd(home.logFile);
  const before = linesFromEnd(logFiles(home.logFile, FILES_MAX), from?.position ?? 0);
  for (const entry of lastEntries(before, count, filter)) print(entry);
  await followLog({
    path: home.logFile,
    from,
    keep: FILES_MAX,
    clock,
    signal,
    onLine: (line) => {
      const entry = parseLogLine(line);
      if (passes(entry, filter)) print(entry);
    },
  });
}

function nothingToShow(logFile: string, lines: number): string {
  const { done: isEmpty } = linesFromEnd(logFiles(logFile, FILES_MAX)).next();
  if (isEmpty) return `The log is empty: ${visible(logFile)}`;
  return lines === 0 ? "No lines were asked for." : `No line of the log matches: ${visible(logFile)}`;
}

function lastEntries(lines: Iterable<string>, count: number, filter: LogFilter): LogEntry[] {
  const found: LogEntry[] = [];
  let chars = 0;
  if (count === 0) return found;
  for (const line of lines) {
    const entry = parseLogLine(line);
    // Lines are in order of time, so everything before is older still.
    if (entry.kind === "entry" && filter.sinceMs !== undefined && entry.atMs < filter.sinceMs) break;
    if (!passes(entry, filter)) continue;
    found.push(entry);
    chars += line.length;
    if (found.length >= count || chars > CHARS_MAX) break;
  }
  return found.reverse();
}

function filterOf({ level, since, component }: LogsOptions, nowMs: number): LogFilter {
  const sinceMs = since === undefined ? undefined : parseMoment(since, nowMs);
  if (since !== undefined && sinceMs === undefined) {
    throw new UserError("--since takes a span or a date", "for example 90s, 30m, 2h, 3d or 2026-03-14", EXIT.usage);
  }
  return { level, ...(sinceMs === undefined ? {} : { sinceMs }), ...(component === undefined ? {} : { component }) };
}

function entryDocument(entry: LogEntry): object {
  if (entry.kind === "malformed") return { malformed: entry.text };
  const { atMs, level, component, message, fields } = entry;
  return { time: new Date(atMs).toISOString(), level, component, message, ...fields };
}

function parseLines(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) > LINES_MAX) throw new InvalidArgumentError(`expected 0 to ${LINES_MAX}`);
  return Number(text);
}
