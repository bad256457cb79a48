/** The program staged once for a test file, and the stages of the test at hand, ended after it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { stageWhole } from "../../crash/stage.js";
import { removeFolder } from "../../support/remove-folder.js";
import { Stage, type StageWish } from "./stage.js";
import { openTelegramSide, type TelegramSide } from "./telegram.js";

type Wish = Omit<StageWish, "launcher">;

export interface Staged {
  launcher(): string;
  stage(wish: Wish): Promise<Stage>;
  /** With a fake Telegram, whose settings go into `platforms`; `more` are further ones of that platform. */
  withTelegram(wish: Omit<Wish, "platforms">, more?: object): Promise<{ stage: Stage; telegram: TelegramSide }>;
  /** Ended after the test, newest first. */
  onEnd(act: () => Promise<void>): void;
}

export function staged(): Staged {
  const ends: (() => Promise<void>)[] = [];
  let folder = "";
  let launcher = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "talaria-staged-"));
    launcher = stageWhole(folder);
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(() => removeFolder(folder));
  const stage = async (wish: Wish): Promise<Stage> => {
    const begun = await Stage.begin({ ...wish, launcher });
    ends.push(() => begun.end());
    return begun;
  };
  return {
    launcher: () => launcher,
    stage,
    async withTelegram(wish, more = {}) {
      const telegram = await openTelegramSide();
      ends.push(() => telegram.stop());
      const platforms = { telegram: { ...telegram.settings, ...more } };
      return { stage: await stage({ ...wish, platforms }), telegram };
    },
    onEnd: (act) => void ends.push(act),
  };
}
