/** The driver's traps: very many operations with garbage collected all the time neither crash nor grow. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { sampleCount } from "../support/sample.js";

const OPERATIONS = sampleCount(1_000_000, 6);
const TIME_MAX_MS = 300_000;
/** Page cache and write-ahead log reach their bounds late; a leak of 100 bytes an operation would be 50 MB in a million. */
const RSS_GROWTH_MAX = 40 << 20;
const HEAP_GROWTH_MAX = 8 << 20;

const folder = mkdtempSync(join(tmpdir(), "talaria-soak-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

interface Report {
  readonly operations: number;
  readonly collections: number;
  readonly ok: string;
  readonly turns: number;
  readonly heap: { readonly early: number; readonly late: number };
  readonly rss: { readonly early: number; readonly late: number };
}

it(
  `${OPERATIONS} operations with --expose-gc neither crash the process nor grow it`,
  async () => {
    const script = await bundleTs(join(import.meta.dirname, "driver.ts"));
    const args = ["--expose-gc", script, join(folder, "state.db"), String(OPERATIONS)];
    const child = spawnSync(process.execPath, args, { encoding: "utf8", timeout: TIME_MAX_MS });
    expect([child.signal, child.status, child.stderr]).toEqual([null, 0, ""]);
    const report = JSON.parse(child.stdout) as Report;
    expect(report.operations).toBeGreaterThanOrEqual(OPERATIONS);
    expect(report.collections).toBeGreaterThan(10);
    expect(report.ok).toBe("ok");
    expect(report.heap.late - report.heap.early).toBeLessThan(HEAP_GROWTH_MAX);
    expect(report.rss.late - report.rss.early).toBeLessThan(RSS_GROWTH_MAX);
  },
  TIME_MAX_MS + 10_000,
);
