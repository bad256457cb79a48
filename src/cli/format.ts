/** Numbers, sizes and times as people read them. Pure; the current time is handed in. */

import { formatAgo } from "#base/span.js";
import { textWidth } from "#base/text-width.js";

export { formatAgo, formatSpan } from "#base/span.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 session`, `2 sessions`. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `812 B`, `4.2 kB`, `1.3 GB` (powers of 1000). */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** Local time to the minute, sortable: `2026-03-14 15:09`. */
export function formatDateTime(atMs: number, precision: "minute" | "second" = "minute"): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "?";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return precision === "minute" ? `${day} ${time}` : `${day} ${time}:${two(date.getSeconds())}`;
}

export type TimeStyle = "relative" | "absolute";

/** The one function that shows a moment, by the `display.time` setting. */
export function formatTime(
  atMs: number,
  { nowMs, style }: { readonly nowMs: number; readonly style: TimeStyle },
): string {
  return style === "relative" ? formatAgo(atMs, nowMs) : formatDateTime(atMs);
}

/** Reads `90s`, `30m`, `2h`, `7d`, `4w`, `1y`; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s?(s|m|min|h|d|w|y)$/.exec(text.trim());
  const unitMs = match ? UNITS_MS[match[2] as keyof typeof UNITS_MS] : undefined;
  return match && unitMs !== undefined ? Number(match[1]) * unitMs : undefined;
}

const UNITS_MS = {
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: YEAR_MS,
} as const;

/** A moment given as a span back from now (`2h`) or as a date (`2026-03-14`, ISO); undefined otherwise. */
export function parseMoment(text: string, nowMs: number): number | undefined {
  const spanMs = parseSpan(text);
  if (spanMs !== undefined) return nowMs - spanMs;
  // A bare date means local midnight; the language would read it as UTC.
  const iso = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text;
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(iso)) return undefined;
  const atMs = new Date(iso).getTime();
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Breaks plain text between words; a word longer than the line stays whole. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= cells)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The same, with further lines behind an indent. */
export function wrapHanging(text: string, cells: number, indent: string): string[] {
  if (textWidth(text) <= cells) return [text];
  return wrap(text, cells - textWidth(indent)).map((line, at) => (at === 0 ? line : `${indent}${line}`));
}
