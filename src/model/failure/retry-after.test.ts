import { describe, expect, it } from "vitest";
import { RETRY_AFTER_MAX_MS, retryAfterMs } from "./retry-after.js";

const NOW = Date.UTC(2026, 0, 15, 12);

describe("[MD-13] the time to come back", () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ["seconds", { "retry-after": "1" }, 1_000],
    ["a fraction", { "retry-after": "0.25" }, 250],
    ["an hour", { "retry-after": "3600" }, 3_600_000],
    ["a date", { "retry-after": "Thu, 15 Jan 2026 12:00:30 GMT" }, 30_000],
    ["a date that is over", { "retry-after": "Thu, 15 Jan 2026 11:00:00 GMT" }, 0],
    ["milliseconds, which are more exact", { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
    ["a malformed header in milliseconds beside a good one", { "retry-after-ms": "soon", "retry-after": "2" }, 2_000],
    ["a word", { "retry-after": "soon" }, undefined],
    ["a negative number", { "retry-after": "-5" }, undefined],
    ["nothing in it", { "retry-after": "" }, undefined],
    ["nonsense with a year", { "retry-after": "2026-99-99" }, undefined],
    ["a number beyond all numbers", { "retry-after": "9".repeat(40) }, undefined],
    ["a century", { "retry-after": "3155760000" }, RETRY_AFTER_MAX_MS],
    ["no header", {}, undefined],
  ])("%s", (_, headers, expected) => {
    expect(retryAfterMs(headers, "", NOW)).toBe(expected);
  });

  it("is found in Google's body", () => {
    expect(retryAfterMs({}, '{"error":{"details":[{"retryDelay": "34.5s"}]}}', NOW)).toBe(34_500);
  });
});
