/** The routing index of a gateway that runs: what it forgets, what it keeps, and the mirror that people read. */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { homePaths } from "#config/home.js";
import { conversation, fillHome } from "../cli/support/homes.js";
import type { ScriptFunction } from "../support/model-server/reply.js";
import { lastUserText } from "../support/model-server/seen.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, movedClock } from "./support/clock.js";
import { echo, tokenOf, tokensIn } from "./support/echo.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const SETTINGS = { gateway: { drain_seconds: 0 } };
const keyOf = (chat: number | string): string => `agent:main:telegram:dm:${chat}`;

/** Who says `stay` has a command left running in the background. */
const staying: ScriptFunction = (seen, index) => {
  const words = lastUserText(seen.items);
  const isDone = seen.items.at(-1)?.kind !== "user";
  if (!words.includes("stay") || isDone) return echo(seen, index);
  return { calls: [{ name: "terminal", arguments: { command: "sleep 600", background: true } }] };
};

describe("the routing index of a gateway", () => {
  it("[RI-1] [RI-2] [RI-5] [RI-11c] [RI-13] [RI-14] [RI-15] [RI-17] [RI-19] forgets at its first tick what nobody used for 90 days", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram({ script: echo, settings: SETTINGS }, { stream: false });
    const [OLD, RECENT, SUSPENDED, ODD] = ["1001", "1002", "1003", "a/b%3A%25日本"];
    const days = { [OLD]: 100, [RECENT]: 5, [SUSPENDED]: 400, [ODD]: 3 };
    await fillHome(stage.home, aged(days, SUSPENDED));
    await stage.up();
    await stage.until("the first tick has pruned", () => stage.log().includes("forgot unused routes"));
    expect(stage.log()).toMatch(/"forgot unused routes".*"count":1/);
    const kept = [keyOf(RECENT), keyOf(SUSPENDED), keyOf(ODD)].sort();
    // It is written before the prune is over.
    expect(mirrored(stage)).toEqual(kept);
    expect(Object.keys(mirror(stage))[0]).toBe("_README");
    expect(String(mirror(stage)["_README"])).toMatch(/routing index.*state\.db.*talaria sessions list/s);
    // Where it was kept, the talk goes on; where it was forgotten, another begins and the first is still there.
    await answered(stage, telegram, Number(RECENT), 1);
    expect(itemsOf(stage)).toContain(`hello from conversation-${RECENT}`);
    await answered(stage, telegram, Number(OLD), 1);
    expect(itemsOf(stage)).not.toContain("hello from");
    const shown = await stage.run(["sessions", "show", `conversation-${OLD}`, "--json"]);
    expect(shown.stdout).toContain(`hello from conversation-${OLD}`);
    await stage.stop();
    await stage.up();
    expect(await routesOf(stage)).toEqual([...kept, keyOf(OLD)].sort());
  });

  it("[RI-6] [RI-10] keeps a chat whose command runs, and those that speak while it forgets the others", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram({ script: staying, settings: SETTINGS }, { stream: false });
    const clock = movedClock(stage.folder);
    const chats = Array.from({ length: 12 }, (_, index) => 1001 + index);
    const [BUSY = 0, ...others] = chats;
    const speaking = others.slice(0, 5);
    await stage.up({ environment: clock.env });
    telegram.say(BUSY, `stay ${tokenOf(BUSY, 1)}`);
    for (const chat of others) telegram.say(chat, `please ${tokenOf(chat, 1)}`);
    await stage.until("all are answered", () => chats.every((chat) => hasAnswer(telegram, chat, 1)));
    clock.move({ wallMs: 100 * DAY_MS, steadyMs: HOUR_MS + MINUTE_MS }, stage.pid);
    for (const chat of speaking) telegram.say(chat, `please ${tokenOf(chat, 2)}`);
    await stage.until("it has pruned", () => stage.log().includes("forgot unused routes"));
    await stage.until("they are answered", () => speaking.every((chat) => hasAnswer(telegram, chat, 2)));
    const kept = [BUSY, ...speaking].map(keyOf).sort();
    expect(await routesOf(stage)).toEqual(kept);
    // Every chat was answered in its own, and every message once.
    for (const chat of speaking)
      expect(telegram.shown(chat).flatMap(tokensIn)).toEqual([1, 2].map((n) => tokenOf(chat, n)));
  });

  it("[RI-3] [RI-4] [RI-8] [RI-11d] [RI-18] forgets nothing with a limit below zero, and renews a damaged mirror", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const reset = { mode: "idle", idle_minutes: 5 };
    const settings = { gateway: { drain_seconds: 0, session_store_max_age_days: -5, reset } };
    const { stage, telegram } = await withTelegram({ script: echo, settings }, { stream: false });
    await fillHome(stage.home, aged({ 1001: 1_000, 1002: 100 }));
    const clock = movedClock(stage.folder);
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, 1003, 1);
    await stage.until("the mirror is there", () => mirrored(stage).length === 3);
    writeFileSync(homePaths(stage.home).mirror, '{"_README": "half a fi');
    // Whatever was to be forgotten at the first tick is forgotten when a later one has closed a chat.
    const closed = (): number => stage.log().split("closed chats past their reset policy").length - 1;
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    await stage.until("a tick has passed", () => closed() === 1);
    await answered(stage, telegram, 1004, 1);
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    await stage.until("another tick has passed", () => closed() === 2);
    const all = [1001, 1002, 1003, 1004].map(keyOf);
    await stage.until("the mirror is whole again", () => mirrored(stage).join() === all.join());
    expect(await routesOf(stage)).toEqual(all);
  });
});

/** Chats that were used so many days ago, and made a year before. */
function aged(days: Readonly<Record<string, number>>, suspended?: string): Parameters<typeof fillHome>[1] {
  const now = Date.now();
  const chats = Object.entries(days);
  return {
    conversations: chats.map(([chat, age]) => conversation(`conversation-${chat}`, { activeMs: now - age * DAY_MS })),
    routes: chats.map(([chat, age]) => ({
      key: keyOf(chat),
      session: `conversation-${chat}-s`,
      platform: "telegram",
      chatType: "dm",
      createdMs: now - (age + 365) * DAY_MS,
      usedMs: now - age * DAY_MS,
      ...(chat === suspended ? { suspendedReason: "crashed" } : {}),
    })),
  };
}

/** Empty while it is not whole. */
function mirror(stage: Stage): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(homePaths(stage.home).mirror, "utf8")) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

function mirrored(stage: Stage): readonly string[] {
  return Object.keys(mirror(stage))
    .filter((key) => !key.startsWith("_"))
    .sort();
}

/** As a person is told. */
async function routesOf(stage: Stage): Promise<readonly string[]> {
  const { stdout } = await stage.run(["routes", "list", "--json"]);
  const { routes } = JSON.parse(stdout) as { routes: readonly { key: string }[] };
  return routes.map(({ key }) => key).sort();
}

/** What the model was shown last. */
function itemsOf(stage: Stage): string {
  return JSON.stringify(stage.model.exchanges.at(-1)?.seen.items);
}

function hasAnswer(telegram: TelegramSide, chat: number, number: number): boolean {
  return telegram.shown(chat).flatMap(tokensIn).includes(tokenOf(chat, number));
}

async function answered(stage: Stage, telegram: TelegramSide, chat: number, number: number): Promise<void> {
  telegram.say(chat, `please ${tokenOf(chat, number)}`);
  await stage.until(`${tokenOf(chat, number)} is answered`, () => hasAnswer(telegram, chat, number));
}
