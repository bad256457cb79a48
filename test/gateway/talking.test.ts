/** How a chat looks while a gateway works for it: answers that grow, messages to a busy one, people it does not know. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SECOND_COPY } from "#gateway/words.js";
import { sample } from "../support/sample.js";
import { PREVIEW_POINTS } from "./crash-points.js";
import { judgeStore } from "./support/contract.js";
import { echo, someWait, tokenOf, tokensIn } from "./support/echo.js";
import { GROWING, growing } from "./support/growing.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const [ALICE, BOB, CAROL] = [1001, 1002, 1003] as const;

describe("an answer that grows", () => {
  it("[CT-3] [CT-4] is one message in the end", { timeout: TIME_MS_MAX }, async () => {
    const { stage, telegram } = await withTelegram({ script: growing });
    await stage.up();
    telegram.say(ALICE, `please ${tokenOf(ALICE, 1)}`);
    await previewed(stage, telegram);
    expect(telegram.shown(ALICE)).toEqual([expect.not.stringContaining("answer")]);
    stage.model.go();
    await stage.until("the reply is there", () => telegram.shown(ALICE).join().includes("answer"));
    await stage.converge();
    expect(telegram.shown(ALICE)).toEqual([`${GROWING}answer ${tokenOf(ALICE, 1)}`]);
  });

  it("[CT-3] [CT-4] is one message in the end, too, when the gateway is killed while it grows", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram({ script: growing });
    await stage.up();
    telegram.say(ALICE, `please ${tokenOf(ALICE, 1)}`);
    await previewed(stage, telegram);
    await stage.kill();
    stage.model.go();
    await stage.up();
    await stage.until("the reply is there", () => telegram.shown(ALICE).join().includes("answer"));
    await stage.converge();
    expect(telegram.shown(ALICE)).toEqual([`${GROWING}answer ${tokenOf(ALICE, 1)}`]);
  });

  it.each(sample(PREVIEW_POINTS))(
    "[CT-3] [CT-4] [GW-15] is answered once below a beginning at most, when the gateway is killed: %s",
    { timeout: TIME_MS_MAX },
    async (_id, point, left) => {
      const { stage, telegram } = await withTelegram({ script: growing });
      const { eventId } = telegram.say(ALICE, `please ${tokenOf(ALICE, 1)}`);
      const told = [{ chat: String(ALICE), token: tokenOf(ALICE, 1), eventId }];
      stage.start({ fault: point });
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      const beginnings = telegram.shown(ALICE);
      expect(beginnings).toEqual([expect.not.stringContaining("answer")]);
      expect(GROWING.startsWith(beginnings[0] ?? "?")).toBe(true);
      stage.model.go();
      await stage.up();
      await stage.until("the reply is there", () => telegram.shown(ALICE).join().includes("answer"));
      await stage.converge();
      await stage.stop();
      const reply = `${GROWING}answer ${tokenOf(ALICE, 1)}`;
      expect(telegram.shown(ALICE)).toEqual([...beginnings.slice(0, left), reply]);
      expect(judgeStore(stage.look(), told)).toEqual([]);
    },
  );
});

/** An edit follows only when the message it edits is noted. */
async function previewed(stage: { until: import("./support/stage.js").Stage["until"] }, telegram: TelegramSide) {
  await stage.until("a preview is edited", () => (telegram.fake.calls()["editMessageText"] ?? 0) > 0);
}

describe("a message to a busy chat", () => {
  it("[CT-1] waits, interrupts or joins, as the chat is set, and is told so", { timeout: TIME_MS_MAX }, async () => {
    const chats = { [BOB]: { busy: "interrupt" }, [CAROL]: { busy: "steer" } };
    const { stage, telegram } = await withTelegram({ script: someWait }, { stream: false, chats });
    await stage.up();
    for (const chat of [ALICE, BOB, CAROL]) telegram.say(chat, `wait ${tokenOf(chat, 1)}`);
    await stage.until("three turns run", async () => (await stage.status())?.working === 3 && stage.model.count >= 3);
    for (const chat of [ALICE, BOB, CAROL]) telegram.say(chat, `please ${tokenOf(chat, 2)}`);
    const isTold = (chat: number): boolean => telegram.shown(chat).length > 0;
    await stage.until("each is told", () => [ALICE, BOB, CAROL].every(isTold));
    const receipts = [ALICE, BOB, CAROL].map((chat) => telegram.shown(chat)[0]);
    expect(receipts).toEqual([
      expect.stringMatching(/^Queued: it is next/),
      expect.stringMatching(/^Stopping what I was doing/),
      expect.stringMatching(/^Noted: it goes into the turn/),
    ]);
    await stage.until("what was interrupted is over", () => telegram.shown(BOB).flatMap(tokensIn).length > 0);
    stage.model.go();
    await stage.converge();
    await stage.stop();
    expect(telegram.shown(ALICE).flatMap(tokensIn)).toEqual([tokenOf(ALICE, 1), tokenOf(ALICE, 2)]);
    expect(telegram.shown(BOB).flatMap(tokensIn).at(-1)).toBe(tokenOf(BOB, 2));
    expect(telegram.shown(CAROL).flatMap(tokensIn)).toContain(tokenOf(CAROL, 2));
    const ends = stage.look().all<{ state: string }>("SELECT DISTINCT state FROM input ORDER BY state");
    expect(ends.map(({ state }) => state)).toEqual(expect.arrayContaining(["taken"]));
    expect(ends.map(({ state }) => state)).not.toContain("queued");
  });
});

describe("a stranger", () => {
  it("gets the pairing text once and nothing else, whatever they send, across a death", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram({ script: echo }, { stream: false, allow: [String(ALICE)] });
    await stage.up();
    const words = ["hello", "/new", "/status", `please ${tokenOf(BOB, 1)}`, "yes", "/approve", "hello again"];
    for (const text of words.slice(0, 4)) telegram.say(BOB, text);
    await stage.until("the pairing text is there", () => telegram.shown(BOB).length > 0);
    await stage.kill();
    for (const text of words.slice(4)) telegram.say(BOB, text);
    telegram.fake.say({ fromId: BOB, chatId: -500, text: "hello everybody" });
    telegram.say(ALICE, `please ${tokenOf(ALICE, 1)}`);
    await stage.up();
    await stage.until("who is known is answered", () => telegram.shown(ALICE).length > 0);
    await stage.converge();
    await stage.stop();
    const shown = telegram.shown(BOB).filter((text) => !text.startsWith(SECOND_COPY));
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(/Your pairing code: [0-9A-Z]{8}\b/);
    expect(telegram.shown(-500)).toEqual([]);
    const db = stage.look();
    expect(db.all("SELECT 1 FROM input")).toHaveLength(1);
    expect(db.all("SELECT 1 FROM chat_command")).toEqual([]);
    expect(stage.model.count).toBe(1);
  });
});

describe("a secret of a platform", () => {
  it("is in no log, transcript, error, output or store, whatever goes wrong on the line", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await withTelegram(
      { script: echo, environment: { FAKE_TOKEN: "" } },
      { stream: false, token: `\${FAKE_TOKEN}` },
    );
    const { fake } = telegram;
    const environment = { FAKE_TOKEN: fake.token };
    fake.fail(["getMe"], { kind: "cut-within" });
    fake.fail(["setMyCommands"], { kind: "server-error" });
    fake.fail(["send"], { kind: "cut-after" });
    await stage.up({ environment });
    telegram.say(ALICE, `please ${tokenOf(ALICE, 1)}`);
    await stage.until("it is answered", () => telegram.shown(ALICE).length > 0);
    const heal = await fake.partition();
    await stage.until("the line is down", async () => (await stage.status())?.platforms[0]?.state === "down");
    const outputs = await Promise.all(
      [
        ["gateway", "status"],
        ["gateway", "status", "--json"],
        ["gateway", "check"],
        ["doctor"],
        ["config", "list"],
      ].map((args) => stage.run(args, environment)),
    );
    await heal();
    fake.fail(["getUpdates"], {
      kind: "answer",
      status: 401,
      body: '{"ok":false,"error_code":401,"description":"Unauthorized"}',
    });
    await stage.until("it is turned away", async () => (await stage.status())?.platforms[0]?.state === "refused");
    const status = await stage.run(["gateway", "status", "--json"], environment);
    await stage.stop();
    const [, secret = ""] = fake.token.split(":");
    for (const { stdout, stderr } of [...outputs, status]) expect(stdout + stderr).not.toContain(secret);
    expect(stage.said).not.toContain(secret);
    expect(filesWith(stage.home, secret)).toEqual([]);
    expect(stage.log()).toMatch(/cannot receive|could not/);
  });
});

/** Files below the folder in which the text stands. */
function filesWith(folder: string, text: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile());
  return files.filter((name) => readFileSync(join(folder, name)).includes(text));
}
