/** Telegram, Slack and Discord at once in one gateway: nothing crosses over, and none waits for another. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../chaos/random.js";
import { judgeStore, judgeViews, type Told } from "./support/contract.js";
import { echo, tokensIn } from "./support/echo.js";
import { openSides } from "./support/sides.js";
import { staged } from "./support/staged.js";

const { stage: stageWith, onEnd } = staged();
const IS_LONG = process.env["TALARIA_LONG"] !== undefined;
const KILLS = IS_LONG ? 30 : 3;
const TIME_MS_MAX = IS_LONG ? 900_000 : 360_000;
const LIFE_MS_MAX = 1_500;

describe("several platforms in one gateway", () => {
  it("[CT-1] [CT-2] [CT-3] [CT-4] that is killed again and again have one answer to each message, each in its own chat", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const seed = Number(
      process.env["TALARIA_SEED"] ?? (IS_LONG ? crypto.getRandomValues(new Uint32Array(1))[0] : 20_261),
    );
    const random = seededRandom(seed);
    const { sides, stage } = await begun();
    const told: Told[] = [];
    const sayAll = async (number: number): Promise<void> => {
      for (const chat of sides.chats) told.push(await sides.say(chat, number));
    };
    const isAnswered = (): boolean => {
      const seen = new Set(sides.views().flatMap(({ posts }) => posts.flatMap(tokensIn)));
      return told.every(({ token }) => seen.has(token));
    };
    await stage.up();
    await sayAll(1);
    // Discord gives nothing again: a chat of which nothing is known cannot be read back.
    await stage.until("every chat is known", isAnswered);
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill > 0) stage.start();
      await sayAll(kill + 2);
      // Every second life gets to the end of what the one before left: three deaths in a row set a conversation aside.
      if (kill % 2 === 1) await stage.until("what was cut is finished", async () => (await stage.cutTurns()) === 0);
      await sleep(random.int(0, LIFE_MS_MAX));
      await stage.kill();
    }
    await stage.up();
    await sides.redeliver();
    await stage.until("everything is answered", isAnswered);
    await stage.converge();
    await stage.stop();
    expect(judgeViews(told, sides.views(), stage), `TALARIA_SEED=${seed}`).toEqual([]);
    expect(judgeStore(stage.look(), told)).toEqual([]);
  });

  it("go on while one of them cannot be reached, which is tried again", { timeout: TIME_MS_MAX }, async () => {
    const { sides, stage } = await begun();
    const heal = await sides.telegram.fake.partition();
    stage.start();
    const others = sides.chats.filter((chat) => !chat.startsWith("t"));
    await stage.until("the others are up", async () => {
      const states = (await stage.status())?.platforms.map(({ name, state }) => `${name} ${state}`) ?? [];
      return ["telegram down", "slack up", "discord up"].every((state) => states.includes(state));
    });
    const told = [];
    for (const chat of sides.chats) told.push(await sides.say(chat, 1));
    const isShown = (chat: string): boolean =>
      sides.views().some((view) => view.chat === chat && view.posts.length > 0);
    await stage.until("they answer", () => others.every(isShown));
    expect(sides.chats.filter((chat) => !others.includes(chat)).some(isShown)).toBe(false);
    await heal();
    await stage.until("it is back and answers", () => sides.chats.every(isShown));
    await stage.converge();
    await stage.stop();
    expect(judgeViews(told, sides.views(), { deaths: 0 })).toEqual([]);
    expect(judgeStore(stage.look(), told)).toEqual([]);
  });
});

async function begun() {
  const sides = await openSides();
  onEnd(() => sides.stop());
  return { sides, stage: await stageWith({ script: echo, platforms: sides.platforms }) };
}
