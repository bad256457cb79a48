import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDateTime,
  formatPlural,
  formatSpan,
  formatTime,
  parseMoment,
  parseSpan,
  wrap,
  wrapHanging,
} from "./format.js";

const NOW_MS = new Date(2026, 2, 14, 15, 9, 26).getTime();
const HOUR_MS = 3_600_000;

describe("numbers", () => {
  it("are grouped and agree with their noun", () => {
    expect(formatCount(1_234_567)).toBe("1,234,567");
    expect([formatPlural(0, "session"), formatPlural(1, "session"), formatPlural(2_000, "session")]).toEqual([
      "0 sessions",
      "1 session",
      "2,000 sessions",
    ]);
    expect(formatPlural(2, "entry", "entries")).toBe("2 entries");
  });

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [4_249, "4.2 kB"],
    [99_949, "99.9 kB"],
    [123_456, "123 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [1_300_000_000, "1.3 GB"],
    [5e18, "5000 PB"],
  ])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe("times", () => {
  it.each([
    [0, "just now"],
    [44_000, "just now"],
    [50_000, "1 min ago"],
    [59 * 60_000, "59 min ago"],
    [3 * HOUR_MS, "3 h ago"],
    [47 * HOUR_MS, "1 d ago"],
    [40 * 24 * HOUR_MS, "1 mo ago"],
    [800 * 24 * HOUR_MS, "2 y ago"],
    [-5 * 60_000, "in 5 min"],
  ])("%d ms back is %s", (backMs, text) => expect(formatAgo(NOW_MS - backMs, NOW_MS)).toBe(text));

  it("are shown as the person likes", () => {
    expect(formatTime(NOW_MS - HOUR_MS, { nowMs: NOW_MS, style: "relative" })).toBe("1 h ago");
    expect(formatTime(NOW_MS, { nowMs: NOW_MS, style: "absolute" })).toBe("2026-03-14 15:09");
    expect(formatDateTime(NOW_MS, "second")).toBe("2026-03-14 15:09:26");
    expect(formatDateTime(Number.NaN)).toBe("?");
  });

  it("as spans have one unit", () => {
    expect([formatSpan(850), formatSpan(12_500), formatSpan(-3)]).toEqual(["850 ms", "12 s", "0 ms"]);
  });

  it.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["30min", 1_800_000],
    ["2h", 2 * HOUR_MS],
    ["1.5h", 1.5 * HOUR_MS],
    ["7d", 168 * HOUR_MS],
    ["1w", 168 * HOUR_MS],
    ["2 h", 2 * HOUR_MS],
    ["h", undefined],
    ["2", undefined],
    ["-2h", undefined],
    ["2h30m", undefined],
    ["1e9h", undefined],
    ["", undefined],
  ])("reads the span %j", (text, expected) => expect(parseSpan(text)).toBe(expected));

  it.each([
    ["2h", NOW_MS - 2 * HOUR_MS],
    ["2026-03-14", new Date(2026, 2, 14).getTime()],
    ["2026-03-14T12:00:00Z", Date.UTC(2026, 2, 14, 12)],
    ["2026-03-14 12:00", new Date(2026, 2, 14, 12).getTime()],
    ["2026-13-45", undefined],
    ["yesterday", undefined],
    ["5", undefined],
  ])("reads the moment %j", (text, expected) => expect(parseMoment(text, NOW_MS)).toBe(expected));
});

describe("wrap", () => {
  it("breaks between words and keeps long ones whole", () => {
    expect(wrap("one two three incomprehensible 日本 x", 9)).toEqual([
      "one two",
      "three",
      "incomprehensible",
      "日本 x",
    ]);
  });

  it("puts further lines behind an indent, within the same width, and leaves alone what fits", () => {
    expect(wrapHanging("one two three four", 9, "  ")).toEqual(["one two", "  three", "  four"]);
    expect(wrapHanging("one two", 7, "  ")).toEqual(["one two"]);
  });
});
