/**
 * Writes what is told twice about the wire: `docs/rpc.schema.json`, and the tables of `docs/rpc.md` between their marks.
 * A test compares both with the schemas, so that the documents cannot fall behind.
 *
 *   node scripts/run-ts.mjs scripts/rpc-docs.ts
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import { withTables } from "#protocol/reference-tables.js";
import { schemaText } from "#protocol/schema-document.js";

const root = packageRoot();
const schemaFile = join(root, "docs", "rpc.schema.json");
const guideFile = join(root, "docs", "rpc.md");

writeFileSync(schemaFile, schemaText());
const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
const formatted = spawnSync(process.execPath, [biome, "format", "--write", schemaFile], { stdio: "inherit" });
if (formatted.status !== 0) throw new Error("docs/rpc.schema.json was written and could not be formatted");
writeFileSync(guideFile, withTables(readFileSync(guideFile, "utf8")));
