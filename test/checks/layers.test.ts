import { describe, expect, it } from "vitest";
import { checkLayers, IMPORTS_MAX, IMPORTS_WARN } from "../../scripts/check-layers.js";
import { MAY_IMPORT, readLayerTable } from "../../scripts/layers.js";
import { plant } from "./tree.js";

const CLEAN = {
  "src/base/clock.ts": "export const now = () => Date.now();\n",
  "src/session/turn.ts":
    'import { now } from "#base/clock.js";\nimport { step } from "./step.js";\nexport const at = () => now() + step;\n',
  "src/session/step.ts": "export const step = 1;\n",
};

function problemsOf(files: Readonly<Record<string, string>>): string {
  return checkLayers(plant({ ...CLEAN, ...files })).problems.join("\n");
}

describe("the layer check", () => {
  it("accepts a tree whose imports point down", () => {
    expect(problemsOf({})).toBe("");
  });

  it.each([
    ["an import", 'import { at } from "#session/turn.js";\nexport const x = at;\n'],
    ["a type import", 'import type { At } from "#session/turn.js";\nexport type X = At;\n'],
    ["a re-export", 'export { at } from "#session/turn.js";\n'],
    ["a lazy import", 'export const load = () => import("#session/turn.js");\n'],
    ["an import inside a type", 'export type X = import("#session/turn.js").At;\n'],
  ])("refuses %s that points up", (_, text) => {
    expect(problemsOf({ "src/base/up.ts": text })).toMatch(/src\/base\/up\.ts:1 base may not import session/);
  });

  it("refuses an import that crosses layers by a relative path", () => {
    const text = 'import { now } from "../base/clock.js";\nexport const x = now;\n';
    expect(problemsOf({ "src/session/x.ts": text })).toContain("write #base/clock.js");
  });

  it("refuses a relative import that leaves src, except in a test", () => {
    const text = 'import { plant } from "../../test/checks/tree.js";\nexport const x = plant;\n';
    expect(problemsOf({ "src/session/x.ts": text })).toContain("outside src/");
    expect(problemsOf({ "src/session/x.test.ts": text })).toBe("");
  });

  it("asks for a relative path inside a layer", () => {
    const text = 'import { step } from "#session/step.js";\nexport const x = step;\n';
    expect(problemsOf({ "src/session/x.ts": text })).toContain("of its own layer");
  });

  it("refuses a folder that is no layer", () => {
    expect(problemsOf({ "src/misc/x.ts": 'import "node:fs";\n' })).toContain("src/misc is not a layer");
  });

  it("refuses a cycle of run-time imports and names the files", () => {
    const found = problemsOf({
      "src/session/a.ts": 'import { b } from "./b.js";\nexport const a = () => b;\n',
      "src/session/b.ts": 'import { c } from "./c.js";\nexport const b = () => c;\n',
      "src/session/c.ts": 'export const c = () => import("./a.js");\n',
    });
    expect(found).toMatch(/import cycle: .*a\.ts → .*b\.ts → .*c\.ts → .*a\.ts/);
  });

  it("lets types refer to each other inside a layer", () => {
    const found = problemsOf({
      "src/session/a.ts": 'import type { B } from "./b.js";\nexport interface A { b: B }\n',
      "src/session/b.ts": 'import type { A } from "./a.js";\nexport interface B { a: A }\n',
    });
    expect(found).toBe("");
  });

  it.each([
    ["Date.now", "export const x = Date.now();"],
    ["Date.now", "export const x = Date.now;"],
    ["Math.random", "export const x = Math.random();"],
    ["new Date()", "export const x = new Date();"],
    ["crypto.randomUUID", "export const x = crypto.randomUUID();"],
    ["randomUUID", 'import { randomUUID } from "node:crypto";\nexport const x = randomUUID();'],
    ["setTimeout", "setTimeout(() => {}, 1);"],
    ["setInterval", "globalThis.setInterval(() => {}, 1);"],
    ["node:timers/promises", 'import { setTimeout as sleep } from "node:timers/promises";\nexport const x = sleep;'],
  ])("refuses %s outside base: %s", (name, text) => {
    expect(problemsOf({ "src/session/x.ts": text })).toContain(
      `uses ${name === "setInterval" ? "globalThis.setInterval" : name}`,
    );
    expect(problemsOf({ "src/base/x.ts": text })).toBe("");
    expect(problemsOf({ "src/session/x.test.ts": text })).toBe("");
  });

  it("leaves alone a date made from a value, and a name that is merely the same", () => {
    const text = "export const f = (c: { setTimeout(): void }, ms: number) => [new Date(ms), c.setTimeout()];\n";
    expect(problemsOf({ "src/session/x.ts": text })).toBe("");
  });

  it("warns about many imports and refuses too many", () => {
    const importing = (count: number) => Array.from({ length: count }, (_, n) => `import "node:x${n}";\n`).join("");
    const warned = checkLayers(plant({ "src/base/x.ts": importing(IMPORTS_WARN + 1) }));
    expect(warned).toMatchObject({ problems: [], warnings: [expect.stringContaining("13 imports")] });
    expect(problemsOf({ "src/base/x.ts": importing(IMPORTS_MAX + 1) })).toContain("17 imports");
  });
});

describe("the table check", () => {
  const schema = (sql: string) => ({ "src/store/sqlite/schema.ts": `export const SCHEMA = \`${sql}\`;\n` });

  it("accepts session ids in the four tables, the tip, and session keys anywhere", () => {
    const sql = `CREATE TABLE session(no INTEGER PRIMARY KEY, parent INTEGER REFERENCES session(no)) STRICT;
      CREATE TABLE opening(session INTEGER NOT NULL REFERENCES session(no));
      CREATE TABLE message(session_id TEXT, CHECK(session_id <> ''));
      CREATE TABLE boundary_event(session INTEGER);
      CREATE TABLE conversation(no INTEGER PRIMARY KEY, tip INTEGER REFERENCES session(no));
      CREATE TABLE route(session_key TEXT PRIMARY KEY, note TEXT DEFAULT 'a, session b');`;
    expect(problemsOf(schema(sql))).toBe("");
  });

  it.each([
    ["a reference", "CREATE TABLE turn(no INTEGER, belongs INTEGER REFERENCES session(no))"],
    ["a table constraint", "CREATE TABLE turn(a INTEGER, FOREIGN KEY (a) REFERENCES session (no))"],
    ["a column session", "CREATE TABLE IF NOT EXISTS turn(no INTEGER CHECK(no IN (1, 2)), session INTEGER)"],
    ["a column session_id", "CREATE TABLE turn(session_id TEXT)"],
    ["a column that ends in session", "CREATE TABLE turn(tip_session TEXT)"],
    ["a column that is added later", "ALTER TABLE turn ADD COLUMN session_no INTEGER"],
  ])("refuses %s in another table", (_, sql) => {
    expect(problemsOf(schema(sql))).toContain("table turn holds a session id");
  });

  it("refuses a second session in the table that holds the tip", () => {
    expect(
      problemsOf(schema("CREATE TABLE conversation(tip INTEGER, first INTEGER REFERENCES session(no))")),
    ).toContain("first INTEGER");
  });
});

describe("the table in ARCHITECTURE.md", () => {
  const table = (change: (row: string) => string) =>
    [
      "| layer | may import |",
      "|---|---|",
      ...Object.entries(MAY_IMPORT).map(([layer, to]) => change(`| ${layer} | ${to.join(", ") || "–"} |`)),
      "",
    ].join("\n");

  it("is accepted when it equals the data, also with grouped rows", () => {
    expect(problemsOf({ "ARCHITECTURE.md": table((row) => row) })).toBe("");
    const grouped = readLayerTable(
      "| layer | may import |\n|---|---|\n| config, model | base |\n| app | everything except cli, tui, web |\n",
    );
    expect(grouped?.get("model")).toEqual(["base"]);
    expect([...(grouped?.get("app") ?? [])].sort()).toEqual([...MAY_IMPORT.app].sort());
  });

  it("is refused when an arrow differs or the table is missing", () => {
    expect(
      problemsOf({ "ARCHITECTURE.md": table((row) => row.replace("| session | base |", "| session | base, store |")) }),
    ).toMatch(/session imports "base, store"/);
    expect(problemsOf({ "ARCHITECTURE.md": "# Architecture\n" })).toContain("no table");
  });
});
