import { describe, expect, it } from "vitest";
import { ALL_TURN_PLANTS } from "../crash/plants.js";
import { sample, sampleCount } from "../support/sample.js";
import { complaint } from "./report.js";
import { runTurnChaos } from "./turn.js";

/** Fixed, so that a change is judged by the same choices; `npm run chaos` draws a fresh one each time. */
const SEED = 3;
const KILLS = sampleCount(30);
/** Fifteen seconds on two idle cores; the rest is for a machine that has other things to do. */
const TIME_MS_MAX = 240_000;
/** Each is found within a few kills; so many without finding it mean that the harness is blind. */
const PLANT_KILLS_MAX = 40;

describe("a program that is killed while it runs turns", () => {
  it(
    "[CT-1] [CT-2] [CT-5] [CT-7] [CR-8] loses, doubles, repeats and halves nothing, and is never stuck",
    async () => {
      const result = await runTurnChaos({ kills: KILLS, seed: SEED });
      expect(result.violations, complaint(result, `npm run chaos -- turn --kills ${KILLS} --seed ${SEED}`)).toEqual([]);
      expect(result).toMatchObject({ kills: KILLS, wasInterrupted: false });
      expect(result.errands).toBeGreaterThanOrEqual(KILLS / 2);
    },
    TIME_MS_MAX,
  );

  it.each(
    sample([
      ["duplicate", "answeredTwice", "turn.settled"],
      ["repeat", "repeatedEffect", "call.effect-done:3"],
    ] as const),
  )(
    "is found out, as a %s, with the planted bug %s",
    async (kind, key, faultPoint) => {
      const plant = { ...ALL_TURN_PLANTS[key], faultPoint } as NonNullable<(typeof ALL_TURN_PLANTS)[string]>;
      const result = await runTurnChaos({ kills: PLANT_KILLS_MAX, seed: SEED, plant });
      expect(result.violations.map((violation) => violation.kind)).toContain(kind);
      expect(result.kills).toBeLessThan(PLANT_KILLS_MAX);
    },
    TIME_MS_MAX,
  );
});
