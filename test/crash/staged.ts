/** The program staged once for a test file, and the life of the test at hand, ended after it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { RuledReply } from "../support/model-server/reply.js";
import { removeFolder } from "../support/remove-folder.js";
import { Life } from "./life.js";
import { stageWhole } from "./stage.js";

/** Answers the way to begin a life against a script. */
export function stagedLives(): (script: readonly RuledReply[]) => Promise<Life> {
  const lives: Life[] = [];
  let staged = "";
  let launcher = "";
  beforeAll(() => {
    staged = mkdtempSync(join(tmpdir(), "talaria-staged-"));
    launcher = stageWhole(staged);
  });
  afterEach(async () => {
    for (const life of lives.splice(0)) await life.end();
  });
  afterAll(() => removeFolder(staged));
  return async (script) => {
    const life = await Life.begin(launcher, script);
    lives.push(life);
    return life;
  };
}
