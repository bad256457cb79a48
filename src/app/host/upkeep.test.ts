import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type HostId, randomIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { homePaths } from "#config/home.js";
import { loadConfig } from "#config/load.js";
import { TITLE_JOB } from "#runtime/titles.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { RuntimeScene } from "../../../test/support/runtime-scene.js";
import { scriptedModel } from "../../../test/support/scripted-model.js";
import { startUpkeep, type Upkeep } from "./upkeep.js";

let scene: RuntimeScene;
let upkeep: Upkeep | undefined;
afterEach(async () => {
  upkeep?.stop();
  await upkeep?.settled();
  scene.remove();
});

function start(): void {
  const home = homePaths(join(scene.folder, "home"));
  mkdirSync(home.root, { recursive: true, mode: 0o700 });
  const { clock, store, runtime } = scene;
  const env = { TALARIA_BACKUP_SCHEDULE: "off" };
  upkeep = startUpkeep({
    home,
    config: loadConfig(home, env),
    env,
    store,
    runtime,
    processes: createProcesses({ clock, newId: randomIds }),
    host: "next" as HostId,
    clock,
    log: createLogger({ path: "/dev/null", clock }),
    runsJobs: () => true,
  });
}

describe("a host's upkeep", () => {
  it("[LS-7] finishes a job that a dead host had begun", async () => {
    const answers = ({ system }: { system: readonly { text: string }[] }) =>
      system[0]?.text.startsWith("You name conversations") ? { text: "Birds of the north" } : { text: "Hello." };
    scene = new RuntimeScene({ models: [scriptedModel(answers)], settings: { isTitling: true } });
    const { conversation } = await scene.turn("tell me about birds");
    const claimed = await scene.store.claimJobs({
      host: "dead" as HostId,
      kinds: [TITLE_JOB],
      limit: 1,
      nowMs: scene.clock.nowMs(),
    });
    expect(claimed).toHaveLength(1);
    start();
    await expect
      .poll(async () => {
        scene.clock.advance(60_000);
        return (await scene.store.show({ conversation }))?.title;
      })
      .toBe("Birds of the north");
  });
});
