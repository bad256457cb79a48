/** A harness that does not see a bug it was shown would not see the real ones either. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../support/sample.js";
import { inLanes } from "./lanes.js";
import { ALL_TURN_PLANTS } from "./plants.js";
import { stageWhole } from "./stage.js";

const PLANTS_MIN = 20;
/** Each costs a life with the bug and one without. */
const PART = 6;
/** A few seconds each; the rest is for a machine that has other things to do. */
const TIME_MS_MAX = 240_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-plants-"));
  stageWhole(join(folder, "sound"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const everyPlant = Object.entries(ALL_TURN_PLANTS);
const plants = sample(everyPlant, 0, PART);
const scenarios = new Map(plants.map(([, { scenario }]) => [scenario.name, scenario]));

describe("the program as it is", () => {
  it.concurrent.each([...scenarios])("comes well through %s", { timeout: TIME_MS_MAX }, async (_, scenario) => {
    const launcher = join(folder, "sound", "bin", "talaria.cjs");
    expect(await inLanes(() => scenario.play(launcher))).toEqual([]);
  });
});

describe("a planted bug", () => {
  it("is one of many", () => expect(everyPlant.length).toBeGreaterThanOrEqual(PLANTS_MIN));

  it.concurrent.each(plants.map(([key, plant]) => [plant.what, key, plant] as const))(
    "is seen: one that %s",
    { timeout: TIME_MS_MAX },
    async (_, key, plant) => {
      const launcher = stageWhole(join(folder, key), plant);
      const wrong = await inLanes(() => plant.scenario.play(launcher));
      rmSync(join(folder, key), { recursive: true, force: true, maxRetries: 20 });
      expect(wrong.join("\n"), plant.scenario.name).toMatch(plant.found);
    },
  );
});
