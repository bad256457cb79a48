/**
 * A table that fits the terminal. Columns take the width of their widest cell; when that is too much,
 * the columns marked `flexible` give way first, then the others, and cut cells end in `…`. Cells are data
 * from anywhere, so they are made safe here and callers need not think of it.
 */
import { pad, textWidth, truncate, visible } from "#base/text-width.js";
import type { Paint } from "./paint.js";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: "left" | "right";
  /** Gives way first when the table is too wide: titles and other free text. */
  readonly flexible?: boolean;
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = "  ";
const FLEXIBLE_CELLS_MIN = 8;
const CELLS_MIN = 3;
/** Longer cells are cut before they are measured: nobody reads them, and measuring costs time. */
const CELL_CHARS_MAX = 500;

export interface TableSpace {
  readonly columns: number;
  readonly paint: Paint;
}

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], space: TableSpace): string[] {
  const cells = rows.map((row) => columns.map((column) => visible(column.value(row).slice(0, CELL_CHARS_MAX))));
  const natural = columns.map((column, at) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[at] ?? "")), textWidth(column.title)),
  );
  const widths = fitWidths(columns, natural, space.columns);
  const draw = (texts: readonly string[], style: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => style(cell(text, widths[at] ?? 0, columns[at]?.align), at))
      .join(GAP)
      .trimEnd();
  const titles = columns.map((column) => column.title);
  return [
    draw(titles, (text) => space.paint.bold(text)),
    ...cells.map((texts, row) => draw(texts, (text, at) => columns[at]?.paint?.(text, rows[row] as Row) ?? text)),
  ];
}

function cell(text: string, width: number, align: "left" | "right" = "left"): string {
  return pad(truncate(text, width), width, align === "left" ? "right" : "left");
}

function fitWidths<Row>(columns: readonly Column<Row>[], natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  const gaps = GAP.length * Math.max(0, columns.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - available;
  const shrink = (isCandidate: (column: Column<Row>) => boolean, floor: number): void => {
    // One cell at a time from the widest candidate: they end up alike, and the loop is bounded by the excess.
    while (excess > 0) {
      const at = widestAbove(columns, widths, isCandidate, floor);
      if (at < 0) return;
      widths[at] = (widths[at] ?? 0) - 1;
      excess--;
    }
  };
  shrink((column) => column.flexible === true, FLEXIBLE_CELLS_MIN);
  shrink(() => true, CELLS_MIN);
  return widths;
}

function widestAbove<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  isCandidate: (column: Column<Row>) => boolean,
  floor: number,
): number {
  let widest = -1;
  columns.forEach((column, at) => {
    const width = widths[at] ?? 0;
    if (isCandidate(column) && width > floor && width > (widths[widest] ?? floor)) widest = at;
  });
  return widest;
}
