import { describe, expect, it } from "vitest";
import { sample, sampleCount } from "../support/sample.js";
import { FAULT_POINTS } from "./life.js";
import { PLANTS, type Plant } from "./plants.js";
import { complaint } from "./report.js";
import { QUICK, runStoreChaos } from "./store.js";
import { canTrace } from "./sync-order.js";

/** Fixed, so that a change is judged by the same choices; `npm run chaos` draws a fresh one each time. */
const SEED = 20_261;
const PART = 6;
const KILLS = sampleCount(QUICK.kills, PART);
const CUTS = sampleCount(QUICK.cuts, PART);
/** A minute on two idle cores, three of them whole; the rest is for a machine that has other things to do. */
const QUICK_MS_MAX = 900_000;
const PLANT_MS_MAX = 180_000;
/** Each plant is found within a dozen kills; this many without finding it means the harness is blind. */
const PLANT_KILLS_MAX = 150;

describe("a store whose writer is killed and whose log is cut", () => {
  it(
    `[ST-1] [ST-3] [ST-15] loses, doubles and halves nothing in ${KILLS} kills and ${CUTS} cuts`,
    async () => {
      const result = await runStoreChaos({ kills: KILLS, cuts: CUTS, seed: SEED, isTracing: true });
      const again = `npm run chaos -- store --kills ${KILLS} --cuts ${CUTS} --seed ${SEED}`;
      expect(result.violations, complaint(result, again)).toEqual([]);
      expect(result).toMatchObject({ kills: KILLS, cuts: CUTS, wasInterrupted: false });
      expect(result.acks).toBeGreaterThan(KILLS * 10);
      expect(Object.keys(result.killsAt).sort()).toEqual(["any time", ...FAULT_POINTS].sort());
    },
    QUICK_MS_MAX,
  );
});

describe("a planted bug is found", () => {
  const byKill = [
    ["loss", PLANTS.earlyAnswer],
    ["duplicate", PLANTS.forgetfulInbox],
    ["half", PLANTS.settleInTwo],
    ["half", PLANTS.rotateInTwo],
    ["duplicate", PLANTS.noFence],
    ["loss", PLANTS.uncountedAttempt],
  ] as const;
  // Of each kind that kills find, those that are found last are left to the whole run.
  it.each(sample(byKill, 2).map(([kind, plant]): [string, string, Plant] => [kind, plant.what, plant]))(
    "as a %s, by kills: one that %s",
    async (kind, _, plant) => {
      const result = await runStoreChaos({ kills: PLANT_KILLS_MAX, cuts: 0, seed: SEED, plant });
      expect(
        result.violations.map((violation) => violation.kind),
        complaint(result, plant.name),
      ).toContain(kind);
      expect(result.kills).toBeLessThan(PLANT_KILLS_MAX);
    },
    PLANT_MS_MAX,
  );

  it(
    "as a half, by cuts: one that commits a turn's end before its reply",
    async () => {
      const result = await runStoreChaos({ kills: 0, cuts: 200, seed: SEED, plant: PLANTS.settleInTwo });
      expect(result.violations.map((violation) => violation.kind)).toContain("half");
    },
    PLANT_MS_MAX,
  );

  it.skipIf(!canTrace())(
    "as a loss, by its missing syncs: one that leaves syncing the log to the operating system",
    async () => {
      const result = await runStoreChaos({ kills: 0, cuts: 0, seed: SEED, plant: PLANTS.lazyDisk, isTracing: true });
      expect(result.violations[0]?.text).toMatch(/before the log was synced/);
    },
    PLANT_MS_MAX,
  );

  it(
    "by the start itself: one that leaves syncing to the operating system and does not hide it",
    async () => {
      const [lazy] = PLANTS.lazyDisk.changes;
      const plant: Plant = { ...PLANTS.lazyDisk, changes: [lazy] };
      const result = await runStoreChaos({ kills: 5, cuts: 0, seed: SEED, plant });
      expect(result.violations[0]?.text).toMatch(/synchronous is not FULL/);
    },
    PLANT_MS_MAX,
  );

  it("or said not to fit: a plant that changes nothing is an error", async () => {
    const plant: Plant = { name: "nowhere", what: "changes nothing", changes: [["no such text", ""]] };
    await expect(runStoreChaos({ kills: 1, cuts: 0, seed: SEED, plant })).rejects.toThrow(/does not fit the program/);
  });
});
