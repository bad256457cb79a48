import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "./clock.js";
import { createLogger, LOG_LINE_CHARS_MAX } from "./log.js";

let folder: string;
let path: string;
const clock = { ...systemClock, nowMs: () => Date.UTC(2026, 2, 14, 15, 9, 26, 535) };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-log-"));
  path = join(folder, "talaria.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const lines = (file = path): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the log", () => {
  it("writes one JSON object a line, with component and conversation", () => {
    const log = createLogger({ path, clock }).child({ component: "host", conversation: "7h3k" });
    log.warn("slow disk\nreally", { tookMs: 812 });
    expect(lines()).toEqual([
      {
        time: "2026-03-14T15:09:26.535Z",
        level: "warn",
        message: "slow disk\nreally",
        component: "host",
        conversation: "7h3k",
        tookMs: 812,
      },
    ]);
  });

  it("is closed to other users", () => {
    createLogger({ path, clock }).info("x");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("leaves out what is below its level", () => {
    const log = createLogger({ path, clock, level: "warn" });
    log.debug("no");
    log.info("no");
    log.warn("yes");
    log.error("yes");
    expect(lines().map((line) => line["level"])).toEqual(["warn", "error"]);
  });

  it("never writes a secret", () => {
    const secret = `sk-${"a1B2".repeat(10)}`;
    createLogger({ path, clock }).error(`key ${secret}`, { nested: { why: [secret] }, token: "abc" });
    expect(readFileSync(path, "utf8")).not.toContain("a1B2a1B2");
    expect(readFileSync(path, "utf8")).not.toContain('"abc"');
  });

  it("rotates by size and keeps a bounded number of files", () => {
    const log = createLogger({ path, clock, maxBytes: 10_000, keep: 2 });
    for (let at = 0; at < 1_000; at++) log.info("x".repeat(100), { at });
    expect(readdirSync(folder).sort()).toEqual(["talaria.log", "talaria.log.1", "talaria.log.2"]);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(10_000);
    const kept = [`${path}.2`, `${path}.1`, path].flatMap((file) => lines(file).map((line) => line["at"] as number));
    expect(kept.at(-1)).toBe(999);
    expect(kept).toEqual(kept.map((_, at) => (kept[0] ?? 0) + at));
  });

  it("bounds a line, and copes with what JSON cannot say", () => {
    const log = createLogger({ path, clock });
    log.info("y".repeat(1_000_000), { big: 10n ** 20n, list: Array.from({ length: 50_000 }, (_, at) => at) });
    log.info("next");
    const text = readFileSync(path, "utf8");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(LOG_LINE_CHARS_MAX);
    expect(lines()).toHaveLength(2);
  });

  it("never fails the caller: lines that cannot be written are counted", () => {
    writeFileSync(join(folder, "file"), "");
    const log = createLogger({ path: join(folder, "file", "talaria.log"), clock });
    log.error("lost");
    log.child({ component: "x" }).error("lost");
    expect(log.droppedCount()).toBe(2);
  });
});
