/** A harness that does not see a bug it was shown would not see the real ones either. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stageWhole } from "../crash/stage.js";
import { sample } from "../support/sample.js";
import { GATEWAY_PLANTS } from "./plants.js";

const TIME_MS_MAX = 180_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-plants-"));
  stageWhole(join(folder, "sound"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const plants = sample(Object.entries(GATEWAY_PLANTS));
const scenarios = new Map(plants.map(([, { scenario }]) => [scenario.name, scenario]));

describe("a gateway as it is", () => {
  it.each([...scenarios])(
    "[CT-1] [CT-2] [CT-3] [CT-4] comes well through %s",
    { timeout: TIME_MS_MAX },
    async (_, scenario) => {
      expect(await scenario.play(join(folder, "sound", "bin", "talaria.cjs"))).toEqual([]);
    },
  );
});

describe("a bug planted in a gateway", () => {
  it.each(plants.map(([key, plant]) => [plant.what, key, plant] as const))(
    "is seen: one that %s",
    { timeout: TIME_MS_MAX },
    async (_, key, plant) => {
      const launcher = stageWhole(join(folder, key), plant);
      const wrong = await plant.scenario.play(launcher);
      rmSync(join(folder, key), { recursive: true, force: true, maxRetries: 20 });
      expect(wrong.join("\n"), plant.scenario.name).toMatch(plant.found);
    },
  );
});
