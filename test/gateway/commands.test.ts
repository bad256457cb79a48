/** Commands in chats of a gateway that runs, and what a death leaves of them. */
import { describe, expect, it } from "vitest";
import { SECOND_COPY } from "#gateway/words.js";
import { sample } from "../support/sample.js";
import { BOUNDARY_POINTS } from "./crash-points.js";
import { judgeKept } from "./support/contract.js";
import { echo, someWait, tokenOf, tokensIn } from "./support/echo.js";
import { heardIn, hooksOf, NOTE } from "./support/hooks.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const [ALICE, BOB, CAROL] = [1001, 1002, 1003] as const;

describe("a command in a chat", () => {
  it("[CT-6] [CT-7] starts afresh, goes back, tells and stops, while a turn runs too", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram({ script: someWait }, { stream: false });
    await stage.up();
    await ask(stage, telegram, ALICE, 1);
    const [first] = await conversations(stage);
    telegram.say(ALICE, "/new");
    await stage.until("/new is answered", () => telegram.shown(ALICE).length === 2);
    await ask(stage, telegram, ALICE, 2);
    expect(await conversations(stage)).toHaveLength(2);
    const before = telegram.shown(ALICE).length;
    telegram.say(ALICE, `/resume ${first}`);
    await stage.until("/resume is answered", () => telegram.shown(ALICE).length > before);
    await ask(stage, telegram, ALICE, 3);

    telegram.say(ALICE, `wait ${tokenOf(ALICE, 4)}`);
    await stage.model.held();
    const busy = telegram.shown(ALICE).length;
    telegram.say(ALICE, "/status");
    await stage.until("/status is answered while the turn runs", () => telegram.shown(ALICE).length > busy);
    telegram.say(ALICE, "/stop");
    await stage.until("the turn is over", async () => (await stage.status())?.working === 0);
    stage.model.go();
    await ask(stage, telegram, ALICE, 5);
    await stage.converge();
    await stage.stop();
    const db = stage.look();
    const words = (id: string): readonly string[] =>
      db
        .all<{ text: string }>(
          "SELECT m.text FROM message m JOIN conversation c ON c.no = m.conversation WHERE c.id = ? AND m.role = 'user' ORDER BY m.seq",
          id,
        )
        .flatMap(({ text }) => tokensIn(text));
    expect(words(first ?? "")).toEqual([1, 3, 4, 5].map((number) => tokenOf(ALICE, number)));
    const outcomes = db.all<{ outcome: string }>("SELECT outcome FROM turn ORDER BY no").map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["completed", "completed", "completed", "interrupted-by-user", "completed"]);
  });

  it.each(sample(BOUNDARY_POINTS))(
    "[BH-3] [CT-1] [CT-2] that ends a session is told to hooks after a death: %s",
    {
      timeout: TIME_MS_MAX,
    },
    async (_id, point) => {
      const settings = hooksOf({ on_session_finalize: NOTE });
      const { stage, telegram } = await withTelegram({ script: echo, settings }, { stream: false });
      stage.start({ fault: point });
      for (const chat of [ALICE, BOB, CAROL]) await ask(stage, telegram, chat, 1);
      const [old] = await conversations(stage);
      telegram.say(ALICE, "/new");
      for (const chat of [BOB, CAROL]) telegram.say(chat, `please ${tokenOf(chat, 2)}`);
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      expect(judgeKept(stage.look(), telegram.acknowledged())).toEqual([]);
      await stage.up();
      await stage.until("the hook hears of it", () => heardIn(stage).length > 0);
      await ask(stage, telegram, ALICE, 2);
      for (const chat of [BOB, CAROL]) await stage.until("others are answered", () => hasAnswer(telegram, chat, 2));
      await stage.converge();
      await stage.kill();
      const heard = heardIn(stage);
      expect(new Set(heard.map(({ delivery_key: key }) => key)).size).toBe(1);
      expect(heard.length).toBeLessThanOrEqual(2);
      const db = stage.look();
      const chain = db.all<{ lineage: string }>("SELECT lineage FROM conversation ORDER BY no");
      expect(chain.map(({ lineage }) => lineage).sort()).toEqual(["reset", "root", "root", "root"]);
      expect(old).toBeDefined();
      const said = telegram.shown(ALICE).filter((text) => tokensIn(text).length === 0 && !text.startsWith(SECOND_COPY));
      expect(said.length, said.join("\n")).toBeLessThanOrEqual(1);
    },
  );
});

function hasAnswer(telegram: TelegramSide, chat: number, number: number): boolean {
  return telegram.shown(chat).some((text) => text.endsWith(`answer ${tokenOf(chat, number)}`));
}

async function ask(stage: Stage, telegram: TelegramSide, chat: number, number: number): Promise<void> {
  telegram.say(chat, `please ${tokenOf(chat, number)}`);
  await stage.until(`${tokenOf(chat, number)} is answered`, () => hasAnswer(telegram, chat, number));
}

/** Their ids, oldest first. */
async function conversations(stage: Stage): Promise<readonly string[]> {
  const { stdout } = await stage.run(["sessions", "list", "--json"]);
  const { sessions } = JSON.parse(stdout) as { sessions: readonly { id: string }[] };
  return sessions.map(({ id }) => id).reverse();
}
