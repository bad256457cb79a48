import { describe, expect, it } from "vitest";
import { asJson, complaint, countOf, progressLine, table } from "./report.js";
import { type StoreChaosResult, storeRows } from "./store.js";

const result: StoreChaosResult = {
  seed: 4_294_967_295,
  kills: 1_000,
  killsAt: { "any time": 700, "store.before-commit": 300 },
  restarts: 1_000,
  acks: 123_456,
  checks: 220,
  cuts: 1_000,
  cutCommits: 1_200,
  violations: Array.from({ length: 12 }, (_, no) => ({ kind: "loss", text: `event ${no} is gone`, folder: "/tmp/x" })),
  seconds: 123.4,
  wasInterrupted: false,
};

const tableOf = (one: StoreChaosResult): string => table(one, storeRows(one));

describe("a chaos run's report", () => {
  it("fits 80 columns", () => {
    const lines = [...tableOf(result).split("\n"), progressLine(result, 1_000, "1000/1000 cuts, 123456 answers")];
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("counts violations by kind, shows the first ten and says how to run it again", () => {
    expect(countOf(result, "loss")).toBe(12);
    expect(tableOf(result)).toMatch(/^acknowledged losses +12$/m);
    expect(tableOf(result)).toMatch(/^duplicates +0$/m);
    const text = complaint(result, "npm run chaos -- store --seed 1");
    expect(text).toContain("… and 2 more");
    expect(text).toContain("npm run chaos -- store --seed 1");
  });

  it("is one JSON object for programs", () => {
    expect(JSON.parse(asJson(result))).toMatchObject({
      seed: 4_294_967_295,
      kills: 1_000,
      counts: { loss: 12, half: 0 },
    });
  });

  it("says so when syncs could not be looked at", () => {
    expect(tableOf(result)).toContain("not looked at (needs strace)");
    expect(tableOf({ ...result, tracedAnswers: 9, tracedSyncs: 8 })).toContain("9 answers, 8 syncs");
  });
});
