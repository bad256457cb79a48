import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AT_HOUR_DEFAULT, IDLE_MINUTES_DEFAULT, NO_RESET, type ResetPolicy, resetDeadline } from "./reset-policy.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (iso: string): number => Date.parse(iso);
const dueAt = (policy: ResetPolicy, used: string): string | undefined => {
  const deadline = resetDeadline(policy, at(used));
  return deadline && new Date(deadline.atMs).toISOString();
};

let zone: string | undefined;
beforeEach(() => {
  zone = process.env["TZ"];
});
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe("the idle deadline", () => {
  it("[BH-7] is so many minutes after the last use", () => {
    const deadline = resetDeadline({ mode: "idle", idleMinutes: 90 }, 1_000);
    expect(deadline).toEqual({ atMs: 1_000 + 90 * MINUTE_MS, reason: "idle" });
  });

  it.each([undefined, 0, -5, Number.NaN, Number.POSITIVE_INFINITY])(
    "is a day where %s minutes make no sense",
    (minutes) => {
      const policy = { mode: "idle", ...(minutes !== undefined && { idleMinutes: minutes }) } as const;
      expect(resetDeadline(policy, 0)?.atMs).toBe(IDLE_MINUTES_DEFAULT * MINUTE_MS);
    },
  );
});

describe("the daily deadline, in Berlin", () => {
  beforeEach(() => {
    process.env["TZ"] = "Europe/Berlin";
  });

  it.each([
    ["[BH-7] the next morning", 4, "2026-01-15T12:00+01:00", "2026-01-16T04:00+01:00"],
    ["this morning, when it is still to come", 4, "2026-01-15T03:59:59.999+01:00", "2026-01-15T04:00+01:00"],
    ["not the instant of the use itself", 4, "2026-01-15T04:00+01:00", "2026-01-16T04:00+01:00"],
    ["midnight", 0, "2026-01-31T23:59+01:00", "2026-02-01T00:00+01:00"],
    ["over the change to summer time", 4, "2026-03-28T12:00+01:00", "2026-03-29T04:00+02:00"],
    ["over the change to winter time", 4, "2026-10-24T12:00+02:00", "2026-10-25T04:00+01:00"],
    ["an hour that the clock skips: the one after it", 2, "2026-03-28T12:00+01:00", "2026-03-29T03:00+02:00"],
    ["the morning after a skipped hour: that hour again", 2, "2026-03-29T12:00+02:00", "2026-03-30T02:00+02:00"],
    ["an hour that comes twice: the first of them", 2, "2026-10-24T12:00+02:00", "2026-10-25T02:00+02:00"],
    ["between the two: the next day", 2, "2026-10-25T02:30+02:00", "2026-10-26T02:00+01:00"],
  ])("is %s", (_, atHour, used, due) => {
    expect(dueAt({ mode: "daily", atHour }, used)).toBe(new Date(due).toISOString());
  });

  it.each([undefined, -1, 24, 3.5, Number.NaN])("is at four where %s is no hour", (hour) => {
    const policy = { mode: "daily", ...(hour !== undefined && { atHour: hour }) } as const;
    const four = dueAt({ mode: "daily", atHour: AT_HOUR_DEFAULT }, "2026-01-15T12:00Z");
    expect(dueAt(policy, "2026-01-15T12:00Z")).toBe(four);
  });
});

describe("both", () => {
  beforeEach(() => {
    process.env["TZ"] = "UTC";
  });

  it.each([
    ["the idle time runs out first", 60, "2026-01-15T12:00Z", { atMs: at("2026-01-15T13:00Z"), reason: "idle" }],
    ["the morning comes first", 60 * 24, "2026-01-15T12:00Z", { atMs: at("2026-01-16T04:00Z"), reason: "daily" }],
  ] as const)("is whichever comes first: %s", (_, idleMinutes, used, due) => {
    expect(resetDeadline({ mode: "both", idleMinutes, atHour: 4 }, at(used))).toEqual(due);
  });
});

it("never comes where no reset is wanted", () => {
  expect(resetDeadline(NO_RESET, 1_000)).toBeUndefined();
});

it("always lies after the use, at most a day and an hour, at the hour it names, in every zone", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"];
  const instant = fc.integer({ min: at("2020-01-01T00:00Z"), max: at("2030-01-01T00:00Z") });
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.nat(23), instant, (timeZone, atHour, usedMs) => {
      process.env["TZ"] = timeZone;
      const dueMs = resetDeadline({ mode: "daily", atHour }, usedMs)?.atMs ?? 0;
      expect(dueMs).toBeGreaterThan(usedMs);
      expect(dueMs - usedMs).toBeLessThanOrEqual(25 * HOUR_MS);
      const due = new Date(dueMs);
      const wanted = new Date(due);
      wanted.setHours(atHour, 0, 0, 0);
      // Where the clock skips that hour, the deadline is the moment it skips to.
      expect(due.getTime()).toBe(wanted.getTime());
    }),
    { numRuns: 2_000 },
  );
});
