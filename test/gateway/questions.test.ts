/** Questions to a person in a chat: asked once, answered by a button or in words, whatever dies in between. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SECOND_COPY } from "#gateway/words.js";
import { sample } from "../support/sample.js";
import { ANSWER_POINTS, QUESTION_POINTS } from "./crash-points.js";
import { judgeKept } from "./support/contract.js";
import { deeds, EFFECTS } from "./support/deeds.js";
import { tokenOf } from "./support/echo.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
/** The fake's Alice, who presses its buttons, and two others. */
const [ALICE, BOB, CAROL] = [42, 1001, 1002] as const;
const ASKED = /May I run this\?/;

describe("a question that a gateway asks in a chat", () => {
  it("is answered by a button, once, while other chats go on", { timeout: TIME_MS_MAX }, async () => {
    const { stage, telegram } = await asked();
    expect(
      telegram
        .posted(ALICE)
        .at(-1)
        ?.buttons.map(({ text }) => text),
    ).toContain("Allow once");
    telegram.say(BOB, `please ${tokenOf(BOB, 1)}`);
    await stage.until("another chat is answered", () => telegram.shown(BOB).length === 1);
    expect(await telegram.fake.press("dm", "Allow once")).toMatch(/allowed/i);
    await stage.until("its buttons are gone", () => questions(telegram) === 0);
    expect(telegram.shown(ALICE).filter((text) => /→ Allowed once, by/.test(text))).toHaveLength(1);
    await finish(stage, telegram);
  });

  it("waits through a death and a stop, and is answered in words", { timeout: TIME_MS_MAX }, async () => {
    const { stage, telegram } = await asked();
    await stage.kill();
    await stage.up();
    await stage.stop();
    await stage.up();
    telegram.say(ALICE, "yes");
    await finish(stage, telegram);
  });

  it("is denied in words, and nothing runs", { timeout: TIME_MS_MAX }, async () => {
    const { stage, telegram } = await asked();
    telegram.say(ALICE, "no");
    await stage.until("the turn is over", () => answers(telegram) === 1);
    await stage.converge();
    expect(effects(stage)).toEqual([]);
  });

  it.each(sample(QUESTION_POINTS))(
    "[CT-3] [CT-10] comes again after a death, and is answered: %s",
    {
      timeout: TIME_MS_MAX,
    },
    async (_id, point) => {
      const { stage, telegram } = await begun();
      stage.start({ fault: point });
      sayAll(telegram);
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      await stage.up();
      await stage.until("it is asked", () => questions(telegram) > 0);
      expect(await telegram.fake.press("dm", "Allow once")).toMatch(/allowed/i);
      await finish(stage, telegram);
      const plain = telegram.shown(ALICE).filter((text) => ASKED.test(text) && !text.startsWith(SECOND_COPY));
      expect(plain.length).toBeLessThanOrEqual(1);
    },
  );

  it("[GW-7] [CT-3] waits for an owner, who is told once through a death and allows it", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const settings = { gateway: { approvals: "owner" } };
    const { stage, telegram } = await withTelegram(
      { script: deeds, settings },
      { stream: false, owners: [String(BOB)] },
    );
    await stage.up();
    telegram.say(BOB, "/whoami");
    await stage.until("the owner is known", () => telegram.shown(BOB).length === 1);
    await stage.stop();
    stage.start({ fault: "approval.asked" });
    telegram.say(ALICE, `risky ${tokenOf(ALICE, 1)}`);
    expect((await stage.ended()).signal).toBe("SIGKILL");
    await stage.up();
    const told = (): readonly string[] => telegram.shown(BOB).filter((text) => ASKED.test(text));
    await stage.until("the owner is told", () => told().length > 0);
    await stage.until("the member is told", () =>
      telegram.shown(ALICE).some((text) => /Waiting for an owner/.test(text)),
    );
    expect(telegram.shown(ALICE).join()).not.toMatch(/approve/);
    telegram.say(BOB, /\/approve \w+/.exec(told()[0] ?? "")?.[0] ?? "");
    await stage.until("it is answered", () => answers(telegram) === 1);
    await stage.converge();
    expect(effects(stage)).toEqual([tokenOf(ALICE, 1)]);
    // A death after bytes left may be followed by a copy that says so.
    expect(told().filter((text) => !text.startsWith(SECOND_COPY)).length).toBeLessThanOrEqual(1);
  });

  it.each(sample(ANSWER_POINTS))(
    "[CT-1] [CT-5] [CT-10] has its effect at most once when answered: %s",
    {
      timeout: TIME_MS_MAX,
    },
    async (_id, point) => {
      const { stage, telegram } = await begun();
      stage.start({ fault: point === "gateway.heard" ? "gateway.heard:4" : point });
      sayAll(telegram);
      await stage.until("it is asked", () => questions(telegram) > 0);
      telegram.say(ALICE, "yes");
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      expect(judgeKept(stage.look(), telegram.acknowledged())).toEqual([]);
      await stage.up();
      await finish(stage, telegram, { mayBeUnknown: point.startsWith("call.") });
    },
  );
});

async function begun() {
  return withTelegram({ script: deeds }, { stream: false });
}

/** Alice asks for what is asked about; two others talk. */
function sayAll(telegram: TelegramSide): void {
  telegram.say(ALICE, `risky ${tokenOf(ALICE, 1)}`);
  for (const chat of [BOB, CAROL]) telegram.say(chat, `please ${tokenOf(chat, 9)}`);
}

async function asked() {
  const scene = await begun();
  await scene.stage.up();
  scene.telegram.say(ALICE, `risky ${tokenOf(ALICE, 1)}`);
  await scene.stage.until("it is asked", () => questions(scene.telegram) === 1);
  return scene;
}

function questions(telegram: TelegramSide): number {
  return telegram.posted(ALICE).filter(({ text, buttons }) => ASKED.test(text) && buttons.length > 0).length;
}

function answers(telegram: TelegramSide): number {
  const texts = telegram.shown(ALICE).filter((text) => text.includes(`answer ${tokenOf(ALICE, 1)}`));
  return texts.filter((text) => !text.startsWith(SECOND_COPY)).length;
}

/** The effect happened once, or nobody knows and the result says so; the answer came; "yes" was no message. */
async function finish(stage: Stage, telegram: TelegramSide, { mayBeUnknown = false } = {}): Promise<void> {
  const isAnswered = (): boolean => telegram.shown(ALICE).some((text) => text.includes(`answer ${tokenOf(ALICE, 1)}`));
  await stage.until("it is answered", isAnswered);
  await stage.converge();
  await stage.stop();
  expect(answers(telegram)).toBeLessThanOrEqual(1);
  const db = stage.look();
  const unknown = db.all("SELECT 1 FROM message WHERE role = 'tool' AND text LIKE '%outcome is unknown%'").length;
  expect(unknown).toBe(mayBeUnknown ? 1 : 0);
  if (mayBeUnknown) expect(effects(stage).length).toBeLessThanOrEqual(1);
  else expect(effects(stage)).toEqual([tokenOf(ALICE, 1)]);
  const inputs = db.all<{ text: string }>("SELECT text FROM input WHERE route_key LIKE '%:42'");
  expect(inputs.length).toBe(1);
}

function effects({ work }: Stage): readonly string[] {
  const path = join(work, EFFECTS);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}
