/** One line of the log, as data and as a person reads it. A line that is not ours is shown as it is. */
import { LOG_LEVELS, type LogLevel } from "#base/log.js";
import { pad, visible } from "#base/text-width.js";
import { formatDateTime } from "./format.js";
import type { Paint } from "./paint.js";

export type LogEntry =
  | {
      readonly kind: "entry";
      readonly atMs: number;
      readonly level: LogLevel;
      readonly component: string;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "malformed"; readonly text: string };

export function parseLogLine(line: string): LogEntry {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null) return { kind: "malformed", text: line };
  const { time, level, message, component = "", ...fields } = value as Record<string, unknown>;
  const atMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(atMs) || !isLevel(level) || typeof message !== "string") return { kind: "malformed", text: line };
  return { kind: "entry", atMs, level, component: String(component), message, fields };
}

export interface LogFilter {
  readonly level: LogLevel;
  readonly sinceMs?: number;
  readonly component?: string;
}

/** Malformed lines pass: hiding what cannot be read would hide trouble. A component filter leaves them out. */
export function passes(entry: LogEntry, filter: LogFilter): boolean {
  if (entry.kind === "malformed") return filter.component === undefined;
  if (LOG_LEVELS.indexOf(entry.level) < LOG_LEVELS.indexOf(filter.level)) return false;
  if (filter.component !== undefined && entry.component !== filter.component) return false;
  return filter.sinceMs === undefined || entry.atMs >= filter.sinceMs;
}

export function renderLogEntry(entry: LogEntry, paint: Paint): string {
  if (entry.kind === "malformed") return visible(entry.text);
  const { stack, ...fields } = entry.fields;
  const level = LEVEL_PAINT[entry.level](paint)(pad(entry.level, 5));
  const head = `${paint.dim(formatDateTime(entry.atMs, "second"))} ${level} ${visible(entry.component)}`.trimEnd();
  const details = Object.entries(fields).map(([name, value]) => `${visible(name)}=${visible(fieldText(value))}`);
  const first = [`${head} ${visible(entry.message)}`, ...details].join("  ");
  if (typeof stack !== "string") return first;
  return [first, ...stack.split("\n").map((line) => paint.dim(`    ${visible(line)}`))].join("\n");
}

const LEVEL_PAINT: Readonly<Record<LogLevel, (paint: Paint) => (text: string) => string>> = {
  debug: (paint) => paint.dim,
  info: () => (text) => text,
  warn: (paint) => paint.yellow,
  error: (paint) => paint.red,
};

function fieldText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function isLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
