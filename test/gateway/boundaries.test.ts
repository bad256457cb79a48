/** The boundaries of chats, told by a gateway that runs: `/new`, expiry, resume, a stop, an import, a compaction. */
import { afterEach, describe, expect, it } from "vitest";
import type { Heard } from "../hook/support.js";
import { type HermesHome, hermesHome, routeEntry } from "../support/hermes/home.js";
import type { ScriptFunction } from "../support/model-server/reply.js";
import { lastUserText } from "../support/model-server/seen.js";
import { HOUR_MS, movedClock } from "./support/clock.js";
import { echo, tokenOf, tokensIn } from "./support/echo.js";
import { heardIn, hooksOf, NOTE } from "./support/hooks.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const [ALICE, BOB] = [1001, 1002] as const;
const AT_ONCE = { gateway: { drain_seconds: 0 } };

const homes: HermesHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

describe("a boundary of a chat", () => {
  it("[BH-1] [BH-2] [BH-3] [BH-6] [BH-13] is told by /new once and in order, beside a hook that fails and one that hangs", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { hooks, ...rest } = hooksOf({ on_session_reset: NOTE });
    const told = [
      { command: NOTE },
      { command: "echo no luck >&2; exit 7" },
      { command: "exec sleep 60", timeout: 50 },
    ];
    const settings = { ...AT_ONCE, ...rest, hooks: { ...(hooks as object), on_session_finalize: told } };
    const { stage, telegram } = await withTelegram({ script: echo, settings }, { stream: false });
    await stage.up();
    await answered(stage, telegram, ALICE, 1);
    telegram.say(ALICE, "/new");
    await stage.until("it is said", () => telegram.shown(ALICE).some((text) => /New session|Session reset/.test(text)));
    await answered(stage, telegram, ALICE, 2);
    await stage.until("both ends are told", () => heardIn(stage).length >= 2);
    await stage.until("the failure has a name", () =>
      /shell:on_session_finalize.*exit code 7: no luck/.test(stage.log()),
    );
    await stage.kill();
    const ids = stage
      .look()
      .all<{ id: string }>("SELECT s.id FROM session s ORDER BY s.no")
      .map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(
      heardIn(stage).map(({ hook_event_name, session_id, extra }) => [hook_event_name, session_id, extra["platform"]]),
    ).toEqual([
      ["on_session_finalize", ids[0], "telegram"],
      ["on_session_reset", ids[1], "telegram"],
    ]);
  });

  it("[BH-8] [BH-11] is told once for an opening that expired, over a death and a restart; used again it has another", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const settings = {
      gateway: { reset: { mode: "idle", idle_minutes: 5 }, drain_seconds: 0 },
      ...hooksOf({ on_session_finalize: NOTE }),
    };
    const { stage, telegram } = await withTelegram({ script: echo, settings }, { stream: false });
    const clock = movedClock(stage.folder);
    // Dies with the boundary stored and nobody told.
    await stage.up({ environment: clock.env, fault: "hook.claimed" });
    await answered(stage, telegram, ALICE, 1);
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    expect((await stage.ended()).signal).toBe("SIGKILL");
    expect(heardIn(stage)).toEqual([]);
    await stage.up({ environment: clock.env });
    await stage.until("it is told", () => toldIn(stage).length === 1);
    await stage.stop();
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, ALICE, 2);
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    await stage.until("its second end is told", () => toldIn(stage).length >= 2);
    await stage.converge();
    await stage.kill();
    const closed = stage
      .look()
      .all<{ id: string }>(
        "SELECT s.id FROM opening o JOIN session s ON s.no = o.session WHERE o.reason = 'session_expired' ORDER BY o.no",
      );
    expect(closed).toHaveLength(2);
    expect(toldIn(stage).map(({ session_id }) => session_id)).toEqual(closed.map(({ id }) => id));
  });

  it("[BH-15] is balanced, whatever closes it: /new, /resume, /branch, expiry, a stop", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const settings = {
      gateway: { reset: { mode: "idle", idle_minutes: 5 }, drain_seconds: 0 },
      ...hooksOf({ on_session_start: NOTE, on_session_end: NOTE, on_session_finalize: NOTE }),
    };
    const { stage, telegram } = await withTelegram({ script: echo, settings }, { stream: false });
    const clock = movedClock(stage.folder);
    await stage.up({ environment: clock.env });
    await answered(stage, telegram, ALICE, 1);
    await command(stage, telegram, ALICE, "/title first");
    await command(stage, telegram, ALICE, "/new");
    await answered(stage, telegram, ALICE, 2);
    await command(stage, telegram, ALICE, "/resume first");
    await answered(stage, telegram, ALICE, 3);
    await command(stage, telegram, ALICE, "/branch");
    await answered(stage, telegram, ALICE, 4);
    await answered(stage, telegram, BOB, 1);
    clock.move({ wallMs: HOUR_MS }, stage.pid);
    await stage.until("both chats expire", () => stage.log().includes("closed chats past their reset policy"));
    await answered(stage, telegram, BOB, 2);
    await stage.stop();
    const expected = boundariesIn(stage);
    expect(expected).toHaveLength(18);
    // What the stop left to tell, the next life tells.
    await stage.up({ environment: clock.env });
    await stage.until("every boundary is told", () => toldIn(stage).length >= expected.length);
    await stage.kill();
    const told = toldIn(stage).map(({ hook_event_name, session_id }) => `${hook_event_name} ${session_id}`);
    expect(told.sort()).toEqual(expected);
  });

  it("[BH-12] [RI-16] of an import that was told there is not told again; what was open there is", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram(
      { script: echo, settings: { ...AT_ONCE, ...hooksOf({ on_session_finalize: NOTE }) } },
      { stream: false },
    );
    const [done, open] = ["20260601_100000_aaaaaa", "20260601_100000_bbbbbb"];
    const source = hermesHome();
    homes.push(source);
    for (const id of [done, open]) {
      source.session({ id, source: "telegram" });
      source.message({ session_id: id, content: `imported ${id}` });
    }
    const updated_at = new Date().toISOString();
    const key = (chat: number): string => `agent:main:telegram:dm:${chat}`;
    source.routes({
      _README: "not a route",
      [key(ALICE)]: routeEntry(key(ALICE), done, { updated_at, expiry_finalized: true }),
      [key(BOB)]: routeEntry(key(BOB), open, { updated_at, memory_flushed: false }),
    });
    source.close();
    expect(await stage.run(["import", "hermes", source.dir, "--json"])).toMatchObject({ code: 0 });
    await stage.up();
    // The route that came along leads where it led: what was said there is known.
    await answered(stage, telegram, BOB, 1);
    expect(JSON.stringify(stage.model.exchanges.at(-1)?.seen.items)).toContain(`imported ${open}`);
    await command(stage, telegram, ALICE, "/new");
    await command(stage, telegram, BOB, "/new");
    // Ends of one chat are told in order: behind this one nothing of the first can still be on its way.
    await answered(stage, telegram, ALICE, 1);
    await command(stage, telegram, ALICE, "/new");
    await stage.until("the two that were open are told", () => heardIn(stage).length >= 2);
    await stage.kill();
    const told = heardIn(stage).map(({ session_id }) => session_id);
    expect(told).toHaveLength(2);
    expect(told).toContain(open);
    expect(told).not.toContain(done);
  });

  it("[BH-16] [BH-17] is a compaction at the auxiliary model's window; settings of the removed flush do no harm", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const settings = {
      ...AT_ONCE,
      model: { context_tokens: 400_000 },
      auxiliary: { provider: "openai", name: "small", context_tokens: WINDOW, flush_memories: { provider: "auto" } },
      compression: { protect_last: 2, protect_first: 0 },
      ...hooksOf({ "session:compress": NOTE }),
    };
    const { stage, telegram } = await withTelegram({ script: atLength, settings }, { stream: false });
    await stage.up();
    for (let number = 1; heardIn(stage).length === 0 && number <= LONG_MAX; number++)
      await answered(stage, telegram, ALICE, number);
    await stage.until("the compaction is told", () => heardIn(stage).length === 1);
    await stage.kill();
    expect(stage.look().all("SELECT 1 FROM session")).toHaveLength(2);
  });
});

/** A stop may cut a hook that has written already: it is told again, under the same key. */
function toldIn(stage: Stage): readonly Heard[] {
  return [...new Map(heardIn(stage).map((heard) => [heard.delivery_key, heard])).values()];
}

/** What has to be told by the store's own account: a start and an end for every opening, an end for every turn. */
function boundariesIn(stage: Stage): readonly string[] {
  const rows = stage.look().all<{ told: string }>(
    `SELECT 'on_session_start ' || s.id AS told FROM opening o JOIN session s ON s.no = o.session
     UNION ALL SELECT 'on_session_finalize ' || s.id FROM opening o JOIN session s ON s.no = o.session
       WHERE o.closed_ms IS NOT NULL
     UNION ALL SELECT 'on_session_end ' || s.id FROM turn t JOIN conversation c ON c.no = t.conversation
       JOIN session s ON s.no = c.tip`,
  );
  return rows.map(({ told }) => told).sort();
}

/** Tokens. */
const WINDOW = 16_000;
const LONG_MAX = 12;

const atLength: ScriptFunction = async (seen, index) => {
  const words = "many words, ".repeat(1_200);
  if (tokensIn(lastUserText(seen.items)).length === 0) return { text: "## Done\nmuch" };
  const { text } = (await echo(seen, index)) as { text: string };
  return { text: `${words}\n${text}` };
};

async function answered(stage: Stage, telegram: TelegramSide, chat: number, number: number): Promise<void> {
  const token = tokenOf(chat, number);
  telegram.say(chat, `please ${token}`);
  await stage.until(`${token} is answered`, () => telegram.shown(chat).flatMap(tokensIn).includes(token));
}

/** Said, and answered by one more message. */
async function command(stage: Stage, telegram: TelegramSide, chat: number, text: string): Promise<void> {
  const before = telegram.shown(chat).length;
  telegram.say(chat, text);
  await stage.until(`${text} is answered`, () => telegram.shown(chat).length > before);
}
