import { expect, it } from "vitest";
import { CHANNELS_MAX, planBackfill } from "./backfill.js";

it("reads back the channels that were last heard of, each from its own cursor", () => {
  const plan = planBackfill(
    new Map([
      ["C1", "100.000000"],
      ["C1/90.000000", "120.000000"],
      ["D1", "110.000000"],
      ["C2/50.000000", "60.000000"],
    ]),
  );
  expect(plan).toEqual([
    { channel: "C1", since: "100.000000", threads: new Map([["90.000000", "120.000000"]]) },
    { channel: "D1", since: "110.000000", threads: new Map() },
    { channel: "C2", since: "60.000000", threads: new Map([["50.000000", "60.000000"]]) },
  ]);
});

it("reads back no more than its bound", () => {
  const many = new Map(Array.from({ length: 1_000 }, (_, at) => [`C${at}`, `${at}.000000`]));
  const plan = planBackfill(many);
  expect(plan).toHaveLength(CHANNELS_MAX);
  expect(plan[0]?.channel).toBe("C999");
});
