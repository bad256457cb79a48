/**
 * The log: one JSON object a line, secrets taken out, in files of bounded size and number. Each line is
 * one append to the path, opened anew: several processes can share a file, and a rotation by any of them
 * is seen by all. Logging never fails a command; lines that could not be written are counted.
 */
import { appendFileSync, renameSync, rmSync, statSync } from "node:fs";
import type { Clock } from "./clock.js";
import { redactValue } from "./redact.js";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_BYTES_MAX_DEFAULT = 5_000_000;
export const LOG_KEEP_DEFAULT = 5;
/** A longer line loses its tail: one runaway value must not fill a file. */
export const LOG_LINE_CHARS_MAX = 64_000;
const FIELD_CHARS_MAX = 16_000;

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these to every line: `component`, `conversation`. */
  child(fields: LogFields): Logger;
  /** Lines lost because the file could not be written. */
  droppedCount(): number;
}

export interface LogSettings {
  readonly path: string;
  readonly clock: Clock;
  readonly level?: LogLevel;
  /** A file that would grow beyond this is rotated first. */
  readonly maxBytes?: number;
  /** How many rotated files stay beside the current one: `.1` is the newest. */
  readonly keep?: number;
}

export function createLogger(settings: LogSettings): Logger {
  const { path, clock, level = "info", maxBytes = LOG_BYTES_MAX_DEFAULT, keep = LOG_KEEP_DEFAULT } = settings;
  const lowest = LOG_LEVELS.indexOf(level);
  let dropped = 0;
  const append = (lineLevel: LogLevel, message: string, fields: LogFields): void => {
    if (LOG_LEVELS.indexOf(lineLevel) < lowest) return;
    const line = formatLine(clock.nowMs(), lineLevel, message, fields);
    try {
      if (sizeOf(path) + line.length > maxBytes) rotate(path, keep);
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      dropped++;
    }
  };
  const bind = (bound: LogFields): Logger => {
    const at = (lineLevel: LogLevel) => (message: string, fields?: LogFields) =>
      append(lineLevel, message, { ...bound, ...fields });
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: (fields) => bind({ ...bound, ...fields }),
      droppedCount: () => dropped,
    };
  };
  return bind({});
}

/** The current file first, then the rotated ones from new to old. */
export function logFiles(path: string, keep: number): string[] {
  return [path, ...Array.from({ length: keep }, (_, at) => `${path}.${at + 1}`)];
}

function formatLine(atMs: number, level: LogLevel, message: string, fields: LogFields): string {
  const entry = redactValue({ time: new Date(atMs).toISOString(), level, message, ...fields });
  const line = JSON.stringify(entry, shorten);
  if (line.length <= LOG_LINE_CHARS_MAX) return `${line}\n`;
  const { time, component, conversation } = entry as Record<string, unknown>;
  return `${JSON.stringify({ time, level, component, conversation, message: line.slice(0, FIELD_CHARS_MAX), cut: true })}\n`;
}

/** What JSON cannot say, or says too long, in a form that is readable in a log. */
function shorten(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string" && value.length > FIELD_CHARS_MAX) return `${value.slice(0, FIELD_CHARS_MAX)}…`;
  return value;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Oldest first, so that each rename finds its place free and nothing but the oldest is lost. */
function rotate(path: string, keep: number): void {
  const files = logFiles(path, keep);
  const oldest = files.at(-1);
  if (oldest !== undefined) rmSync(oldest, { force: true });
  for (let at = files.length - 2; at >= 0; at--) {
    const from = files[at];
    const to = files[at + 1];
    if (from !== undefined && to !== undefined && statSync(from, { throwIfNoEntry: false })) renameSync(from, to);
  }
}
