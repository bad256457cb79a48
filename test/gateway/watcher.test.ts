/** The watcher of a gateway that runs: chats past their reset policy, and routes that nobody uses. */
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, type MovedClock, movedClock } from "./support/clock.js";
import { someWait, tokenOf, tokensIn } from "./support/echo.js";
import { heardIn, hooksOf, NOTE } from "./support/hooks.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const STOP_MS_MAX = 15_000;
const [USED, IDLE] = [1001, 1002] as const;
const IDLE_POLICY = { gateway: { reset: { mode: "idle", idle_minutes: 5 }, drain_seconds: 0 } };

describe("the watcher of a gateway", () => {
  it("[BH-7] [BH-10] closes a chat past its reset policy once, and none in mid-turn; the next message is told", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram, clock } = await begun({ ...IDLE_POLICY, ...hooksOf({ on_session_finalize: NOTE }) });
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, [USED, IDLE], 1);
    telegram.say(USED, `wait ${tokenOf(USED, 2)}`);
    await stage.model.held();
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    const finalized = (): readonly string[] => heardIn(stage).map(({ session_id }) => session_id);
    await stage.until("the idle chat is closed", () => finalized().length > 0);
    stage.model.go();
    await stage.until("the other one is answered", () => telegram.shown(USED).length === 2);
    await answered(stage, telegram, [IDLE], 2);
    expect(telegram.shown(IDLE)[1]).toMatch(/New session.*\/resume/);
    await stage.converge();
    const before = finalized();
    await stage.kill();
    const rows = stage.look().all<{ key: string; session: string; reason: string | null; kind: string }>(
      `SELECT i.route_key AS key, s.id AS session, o.reason, c.lineage AS kind FROM opening o JOIN session s ON s.no = o.session
       JOIN conversation c ON c.no = s.conversation
       JOIN (SELECT DISTINCT conversation, route_key FROM input) i ON i.conversation = c.no ORDER BY o.no`,
    );
    const swept = rows.filter(({ reason }) => reason === "session_expired");
    expect(swept.map(({ session }) => session)).toEqual(before);
    expect(swept.map(({ key }) => key)).toEqual([expect.stringMatching(new RegExp(`${IDLE}$`))]);
    expect(rows.filter(({ kind }) => kind === "reset")).toHaveLength(1);
  });

  it("[BH-9] stops promptly when asked, also from inside the hook that it told", { timeout: TIME_MS_MAX }, async () => {
    const deadly = `${NOTE}; kill -TERM $PPID; sleep 300`;
    const { stage, telegram, clock } = await begun({ ...IDLE_POLICY, ...hooksOf({ on_session_finalize: deadly }) });
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, [IDLE], 1);
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    await stage.until("the hook hears of it", () => heardIn(stage).length > 0);
    const fromMs = performance.now();
    expect(await stage.ended()).toMatchObject({ signal: null });
    expect(performance.now() - fromMs).toBeLessThan(STOP_MS_MAX);
  });

  it("[RI-12] prunes on its first tick, then at most once an hour", { timeout: TIME_MS_MAX }, async () => {
    const { stage, telegram, clock } = await begun({ gateway: { session_store_max_age_days: 7, drain_seconds: 0 } });
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, [USED, IDLE], 1);
    await stage.stop();
    clock.move({ wallMs: 8 * DAY_MS });
    await stage.up({ environment: clock.env });
    const prunes = (): number => stage.log().split("forgot unused routes").length - 1;
    await stage.until("the first tick has pruned", () => prunes() === 1);
    await answered(stage, telegram, [USED], 2);
    // Old enough again, and several minutes of ticks pass.
    clock.move({ wallMs: 8 * DAY_MS }, stage.pid);
    await stage.until("ticks have passed", async () => (await ticks(stage)) && prunes() === 1);
    clock.move({ steadyMs: HOUR_MS + MINUTE_MS }, stage.pid);
    await stage.until("an hour later it prunes again", () => prunes() === 2);
    await stage.kill();
    const db = stage.look();
    expect(db.all("SELECT 1 FROM route")).toEqual([]);
    // Never a transcript.
    expect(db.all("SELECT 1 FROM message WHERE role = 'assistant'")).toHaveLength(3);
  });
});

async function begun(settings: Readonly<Record<string, unknown>>) {
  const scene = await withTelegram({ script: someWait, settings }, { stream: false });
  return { ...scene, clock: movedClock(scene.stage.folder) satisfies MovedClock };
}

async function answered(stage: Stage, telegram: TelegramSide, chats: readonly number[], number: number): Promise<void> {
  for (const chat of chats) telegram.say(chat, `please ${tokenOf(chat, number)}`);
  const isAnswered = (chat: number): boolean => telegram.shown(chat).flatMap(tokensIn).includes(tokenOf(chat, number));
  await stage.until("they are answered", () => chats.every(isAnswered));
}

const TICKS = 4;
const TICK_MS = 250;

/** Several of the watcher's ticks later. */
async function ticks(stage: Stage): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, TICKS * TICK_MS));
  return stage.isRunning;
}
