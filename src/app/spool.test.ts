import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { pruneSpool, SPOOL_DAYS_MAX } from "./spool.js";

const NOW = Date.UTC(2026, 5, 1);
const folder = mkdtempSync(join(tmpdir(), "talaria-spool-"));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

function spool(name: string, daysAgo: number): void {
  const path = join(folder, name);
  writeFileSync(path, "output");
  const at = (NOW - daysAgo * 86_400_000) / 1000;
  utimesSync(path, at, at);
}

it("removes output that nobody reads any more, and nothing else", () => {
  mkdirSync(join(folder, "patches"), { recursive: true });
  spool("fresh.txt", 0);
  spool("last-week.txt", SPOOL_DAYS_MAX - 1);
  spool("old.txt", SPOOL_DAYS_MAX + 1);
  expect(pruneSpool(folder, NOW)).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(["fresh.txt", "last-week.txt", "patches"]);
  expect(pruneSpool(join(folder, "missing"), NOW)).toBe(0);
});
