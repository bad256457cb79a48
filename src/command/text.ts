/** Small pieces of text that commands share. Pure. */
import { pad, textWidth, truncate, visible } from "#base/text-width.js";
import type { Surface } from "./command.js";

export const NAME_CELLS_MAX = 50;

/** One line of what somebody wrote, cut where it is too long. */
export function oneLine(text: string, cells = NAME_CELLS_MAX): string {
  // No more of a long text is looked at than could be shown.
  return truncate(
    visible(
      text
        .slice(0, cells * 8)
        .replace(/\s+/g, " ")
        .trim(),
    ),
    cells,
  );
}

/** Rows of cells, each column as wide as its widest cell; the last one is left as it is. */
export function columns(rows: readonly (readonly string[])[]): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => textWidth(row[at] ?? ""))));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0))).join("  ");
  return rows.map(line).join("\n");
}

interface Shown {
  readonly surface: Surface;
}

/** Rows where they are read: a chat has narrow lines and letters of all widths, so nothing is lined up there. */
export function rowsFor({ surface }: Shown, rows: readonly (readonly string[])[]): string {
  if (surface === "terminal") return columns(rows);
  return rows.map((row) => row.filter((cell) => cell !== "").join(" · ")).join("\n");
}

/** Names and what they stand for. */
export function factsFor({ surface }: Shown, facts: readonly (readonly string[])[]): string {
  if (surface === "terminal") return columns(facts);
  return facts.map(([name = "", ...rest]) => `${name}: ${rest.filter((cell) => cell !== "").join(", ")}`).join("\n");
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** `1 message`, `2 messages`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A whole number of a person's, or undefined. */
export function numberIn(
  words: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (!/^\d{1,9}$/.test(words)) return undefined;
  const value = Number(words);
  return value >= min && value <= max ? value : undefined;
}
