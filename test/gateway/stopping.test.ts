/** The gateway stopped: with turns at work, with messages on their way. With nothing at all, and asked again: `ops.test.ts`. */
import { describe, expect, it } from "vitest";
import type { ScriptFunction } from "../support/model-server/reply.js";
import { judgeStore, judgeViews, type Told } from "./support/contract.js";
import { echo, tokenOf } from "./support/echo.js";
import { heardIn, hooksOf, NOTE } from "./support/hooks.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
/** From the signal to the end of the process, once turns get no more time [FQ-9]; the rest is for a busy machine. */
const STOP_MS_MAX = 15_000;

/** As for any program that was asked to end by this signal. */
const TERMINATED = { code: 143, signal: null };

/** Answers when the test says so. */
const onceTold: ScriptFunction = async (seen, index) => ({ ...(await echo(seen, index)), holdAfter: 1 });

describe("a gateway that is stopped", () => {
  it("[BH-4] [BH-5] [CT-1] with a drain of zero tells the end of every session at work, and answers after the restart", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram(
      {
        script: onceTold,
        settings: { gateway: { drain_seconds: 0 }, ...hooksOf({ on_session_finalize: NOTE }) },
      },
      { stream: false },
    );
    await stage.up();
    const told = [1001, 1002, 1003].map((chat) => say(telegram, chat, 1));
    await stage.until("three turns run", async () => (await stage.status())?.working === 3);
    const fromMs = performance.now();
    expect(await stage.stop()).toEqual(TERMINATED);
    expect(performance.now() - fromMs).toBeLessThan(STOP_MS_MAX);
    const tips = stage.look().all<{ id: string }>("SELECT s.id FROM conversation c JOIN session s ON s.no = c.tip");
    const ends = heardIn(stage).map(({ session_id, hook_event_name }) => [hook_event_name, session_id]);
    expect(ends.sort()).toEqual(tips.map(({ id }) => ["on_session_finalize", id]).sort());
    expect(tips).toHaveLength(3);
    stage.model.go();
    await finish(stage, telegram, told);
  });

  it("[CT-1] [CT-3] finishes what runs, keeps what comes meanwhile, and answers that after the restart", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram(
      { script: onceTold, settings: { gateway: { drain_seconds: 60 } } },
      { stream: false },
    );
    await stage.up();
    const told = [say(telegram, 1001, 1)];
    await stage.model.held();
    const ended = stage.stop();
    await stage.until("it says that it stops", () => stage.said.includes('"stopping"'));
    told.push(say(telegram, 1001, 2), say(telegram, 1002, 1));
    await stage.until("what came meanwhile is taken", () => telegram.acknowledged().length === 3);
    await stage.until("its sender is told", () => telegram.shown(1002).length === 1);
    stage.model.go();
    expect(await ended).toEqual(TERMINATED);
    expect(telegram.shown(1001)).toContain(`answer ${tokenOf(1001, 1)}`);
    expect(telegram.shown(1002)).toEqual([expect.stringMatching(/is stored/)]);
    await finish(stage, telegram, told);
  });
});

function say(telegram: TelegramSide, chat: number, number: number): Told {
  const token = tokenOf(chat, number);
  const { eventId } = telegram.say(chat, `please ${token}`);
  return { chat: String(chat), token, eventId };
}

/** The next gateway answers everything, once. */
async function finish(stage: Stage, telegram: TelegramSide, told: readonly Told[]): Promise<void> {
  await stage.up();
  await stage.converge();
  await stage.stop();
  const chats = [...new Set(told.map(({ chat }) => chat))];
  const views = chats.map((chat) => ({ chat, posts: telegram.shown(Number(chat)) }));
  expect(judgeViews(told, views, { deaths: 0 })).toEqual([]);
  expect(judgeStore(stage.look(), told, { isStopped: true })).toEqual([]);
}
