/**
 * Columns of another program's tables, as SQL that reads them whatever they hold. Older schemas lack columns,
 * and SQLite lets any value stand in any column; a value of the wrong kind must not stop an import.
 */
import type { Connection } from "#store/sqlite/connection.js";

/** Text, or bytes when it holds a NUL: the driver would cut it there. */
export type SourceText = string | Uint8Array | null;
/** A number, or text that may be one. */
export type SourceNumber = number | string | null;

export interface Table {
  readonly exists: boolean;
  readonly columns: ReadonlySet<string>;
}

export function tableOf(db: Connection, name: string): Table {
  const columns = new Set(db.list(`SELECT name FROM pragma_table_info('${name}')`));
  return { exists: columns.size > 0, columns };
}

/** `NULL AS name` where the schema has no such column. */
export function textColumn(table: Table, name: string): string {
  if (!table.columns.has(name)) return `NULL AS ${name}`;
  return `CASE WHEN ${name} IS NULL THEN NULL WHEN instr(CAST(${name} AS BLOB), x'00') > 0 THEN CAST(${name} AS BLOB) ELSE CAST(${name} AS TEXT) END AS ${name}`;
}

/** Integers beyond what JavaScript can hold come as the nearest number. */
export function numberColumn(table: Table, name: string, fallback = "NULL"): string {
  if (!table.columns.has(name)) return `${fallback} AS ${name}`;
  return `CASE typeof(${name}) WHEN 'integer' THEN CAST(${name} AS REAL) WHEN 'blob' THEN CAST(${name} AS TEXT) ELSE ${name} END AS ${name}`;
}

const utf8 = new TextDecoder();

export function toText(value: SourceText): string | null {
  return value === null || typeof value === "string" ? value : utf8.decode(value);
}

/** Null for what is no finite number. */
export function toNumber(value: SourceNumber): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** The last moment a date can hold, so that odd clocks do not make impossible dates. */
const MS_MAX = 8_640_000_000_000_000;

/** Seconds since 1970 with a fraction, as the source counts, or an ISO text; null for anything else. */
export function toMs(value: SourceNumber): number | null {
  const seconds = toNumber(value);
  if (seconds !== null) return Math.abs(seconds * 1000) <= MS_MAX ? Math.round(seconds * 1000) : null;
  const atMs = typeof value === "string" ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
