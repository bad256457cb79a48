import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { withTables } from "#protocol/reference-tables.js";
import { schemaDocument } from "#protocol/schema-document.js";

const REMEDY = "node scripts/run-ts.mjs scripts/rpc-docs.ts";

describe("the documents of the wire", () => {
  it(`[PR-7] rpc.schema.json is what the schemas say (${REMEDY})`, () => {
    const written = readFileSync(join(packageRoot(), "docs", "rpc.schema.json"), "utf8");
    expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify(schemaDocument()));
  });

  it(`[PR-7] the tables of rpc.md are what the schemas say (${REMEDY})`, () => {
    const written = readFileSync(join(packageRoot(), "docs", "rpc.md"), "utf8");
    expect(written).toBe(withTables(written));
  });

  it("[PR-7] every reference inside the document leads somewhere", () => {
    const document = schemaDocument();
    const defined = new Set(Object.keys(document["$defs"] as object));
    const used = [...JSON.stringify(document).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter((name) => !defined.has(name))).toEqual([]);
  });
});
