import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { createPaint } from "./paint.js";
import { type Column, renderTable } from "./table.js";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly count: number;
}

const columns: readonly Column<Row>[] = [
  { title: "ID", value: (row) => row.id },
  { title: "TITLE", value: (row) => row.title, flexible: true },
  { title: "COUNT", value: (row) => String(row.count), align: "right" },
];
const paint = createPaint(false);

describe("a table", () => {
  it("is as wide as its cells, numbers on the right", () => {
    const rows = [
      { id: "a1", title: "First", count: 5 },
      { id: "b2", title: "日本", count: 12_345 },
    ];
    expect(renderTable(columns, rows, { columns: 80, paint })).toEqual([
      "ID  TITLE  COUNT",
      "a1  First      5",
      "b2  日本   12345",
    ]);
  });

  it("lets free text give way first", () => {
    const rows = [{ id: "0123456789abcdef", title: "word ".repeat(40), count: 7 }];
    const [, line = ""] = renderTable(columns, rows, { columns: 40, paint });
    expect(line).toMatch(/^0123456789abcdef {2}word .*… +7$/);
    expect(textWidth(line)).toBe(40);
  });

  it("keeps strangers' titles on their line and harmless", () => {
    const rows = [{ id: "x", title: "a\nb\u001b[2J\u202ec\rd", count: 1 }];
    expect(renderTable(columns, rows, { columns: 80, paint })[1]).toBe("x   a bc d      1");
  });

  it("never exceeds the terminal, whatever the cells hold", () => {
    const row = fc.record({
      id: fc.string({ unit: "binary" }),
      title: fc.string({ unit: "grapheme", maxLength: 200 }),
      count: fc.integer(),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 20, max: 200 }), (rows, width) => {
        const lines = renderTable(columns, rows, { columns: width, paint });
        expect(lines).toHaveLength(rows.length + 1);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("paints after cutting, so that colours take no room", () => {
    const coloured = [{ ...columns[1], paint: createPaint(true).red } as Column<Row>];
    const [, line] = renderTable(coloured, [{ id: "", title: "x".repeat(50), count: 0 }], { columns: 20, paint });
    expect(line).toBe(`\u001b[31m${"x".repeat(19)}…\u001b[39m`);
  });
});
