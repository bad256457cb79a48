/** SIGKILL at every crash point that a gateway passes, with messages in flight in three chats. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Connection } from "#store/sqlite/connection.js";
import { sample } from "../support/sample.js";
import { FILE_POINTS, WORK_POINTS } from "./crash-points.js";
import { judgeKept, judgeStore, judgeViews, type Told } from "./support/contract.js";
import { deeds, EFFECTS, partsOf } from "./support/deeds.js";
import { tokenOf } from "./support/echo.js";
import type { Stage } from "./support/stage.js";
import { staged } from "./support/staged.js";
import type { TelegramSide } from "./support/telegram.js";

const { withTelegram } = staged();
const TIME_MS_MAX = 120_000;
const [TOOLS, LONG, PLAIN] = [1001, 1002, 1003] as const;
const CHATS = [TOOLS, LONG, PLAIN];
/** By default one point of so many: each is two lives of a gateway, and a host dies at all of them elsewhere. */
const SHARE = 6;

describe("a gateway killed with SIGKILL while three chats wait", () => {
  it.each(sample(WORK_POINTS, 0, SHARE))(
    "[CT-1] [CT-2] [CT-3] [CT-4] [CT-5] loses nothing, keeps every chat's order and swaps nothing: %s",
    { timeout: TIME_MS_MAX },
    async (_id, point) => {
      const { stage, telegram } = await begun();
      const told = [...sayTo(telegram, 1), ...sayTo(telegram, 2)];
      stage.start({ fault: point });
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      expect(judgeKept(stage.look(), telegram.acknowledged())).toEqual([]);
      await stage.up();
      told.push(...sayTo(telegram, 3));
      await settled(stage, telegram);
      expect(judged(stage, telegram, told)).toEqual([]);
    },
  );

  it("[CT-3] [CT-4] CP-16 sends a reply once more, with a mark, when the platform took it and never said so", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await begun();
    telegram.fake.fail(["send"], { kind: "silent" });
    const told = sayTo(telegram, 1);
    stage.start();
    await stage.until("a reply is taken", () => telegram.fake.sent().length > 0);
    await stage.kill();
    await stage.up();
    told.push(...sayTo(telegram, 2));
    await settled(stage, telegram);
    expect(judged(stage, telegram, told)).toEqual([]);
    const copies = CHATS.flatMap((chat) => telegram.shown(chat)).filter((text) => text.startsWith("(sent again"));
    expect(copies.length).toBeGreaterThanOrEqual(1);
  });

  it("[CT-3] [CT-4] [CT-9] leaves a reply that the next host finds, also when that one is killed over it", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await begun();
    const told = sayTo(telegram, 1, [LONG]);
    for (const fault of ["outbox.sent:2", "outbox.resolved", "outbox.claimed"]) {
      stage.start({ fault });
      expect((await stage.ended()).signal, `${fault} was never reached`).toBe("SIGKILL");
    }
    await stage.up();
    told.push(...sayTo(telegram, 2, [LONG]));
    await settled(stage, telegram);
    expect(judgeViews(told, views(telegram), stage)).toEqual([]);
    expect(judgeStore(stage.look(), told)).toEqual([]);
  });

  it("[CT-9] by one turn three times sets that conversation aside, says so in its chat, and answers the others", {
    timeout: TIME_MS_MAX,
  }, async () => {
    const { stage, telegram } = await begun();
    sayTo(telegram, 1, [TOOLS]);
    for (let death = 0; death < 3; death++) {
      stage.start({ fault: "call.started:1" });
      expect((await stage.ended()).signal).toBe("SIGKILL");
    }
    await stage.up();
    const told = sayTo(telegram, 1, [PLAIN]);
    sayTo(telegram, 2, [TOOLS]);
    await stage.until(
      "both chats heard something",
      () => telegram.shown(TOOLS).length > 1 && telegram.shown(PLAIN).length > 0,
    );
    await settled(stage, telegram);
    expect(judgeViews(told, [{ chat: String(PLAIN), posts: telegram.shown(PLAIN) }], { deaths: 0 })).toEqual([]);
    expect(telegram.shown(TOOLS).join("\n")).toMatch(/set aside[\s\S]*\/resume[\s\S]*\/new/);
  });
});

describe("a gateway killed while a file comes in", () => {
  it.each(sample(FILE_POINTS))(
    "[CT-1] [GW-48] names no file that is not whole, and its message has the whole of it in the end: %s",
    { timeout: TIME_MS_MAX },
    async (_id, point, left) => {
      const { stage, telegram } = await withTelegram({ script: () => ({ text: "seen" }) }, { stream: false });
      // More than comes in at once.
      const bytes = Buffer.alloc(1_000_000, "half a file is none ");
      const media = { name: "notes.txt", mediaType: "text/plain", bytes };
      telegram.fake.say({ fromId: PLAIN, text: "look at this", media });
      stage.start({ fault: point });
      expect((await stage.ended()).signal, `${point} was never reached`).toBe("SIGKILL");
      expect(judgeFiles(stage)).toEqual([]);
      const name = createHash("sha256").update(bytes).digest("hex");
      const shelf = join(stage.home, "attachments");
      expect(readdirSync(shelf).filter((one) => one !== name)).toHaveLength(left);
      await stage.up();
      await stage.until("it is answered", () => telegram.shown(PLAIN).length > 0);
      await stage.converge();
      await stage.stop();
      expect(telegram.shown(PLAIN)).toEqual(["seen"]);
      expect(readdirSync(shelf)).toEqual([name]);
      expect(judgeFiles(stage)).toEqual([]);
      const said = stage.look().list("SELECT text FROM message WHERE role = 'user'");
      expect(said).toEqual([expect.stringMatching(new RegExp(`notes\\.txt .*1000000 bytes.*kept at .*/${name}`))]);
    },
  );
});

/** [GW-48] A row names a file only when that is there, whole. */
function judgeFiles(stage: Stage): readonly string[] {
  return stage
    .look()
    .list("SELECT sha256 FROM attachment")
    .flatMap((sha256) => {
      const path = join(stage.home, "attachments", String(sha256));
      if (!existsSync(path)) return [`${sha256} is named and not there`];
      const found = createHash("sha256").update(readFileSync(path)).digest("hex");
      return found === sha256 ? [] : [`${sha256} is not whole`];
    });
}

async function begun() {
  const scene = await withTelegram({ script: deeds }, { stream: false });
  writeFileSync(join(scene.stage.work, "notes.txt"), "milk and eggs\n");
  return scene;
}

/** One message to each of the chats, in one go. */
function sayTo(telegram: TelegramSide, number: number, chats: readonly number[] = CHATS): Told[] {
  return chats.map((chat) => {
    const token = tokenOf(chat, number);
    const isLong = chat === LONG && number === 1;
    const word = chat === TOOLS && number === 1 ? "tools" : isLong ? "long" : "please";
    const { eventId } = telegram.say(chat, `${word} ${token}`);
    return { chat: String(chat), token, eventId, ...(isLong ? { answers: partsOf(token) } : {}) };
  });
}

async function settled(stage: Stage, telegram: TelegramSide): Promise<void> {
  const isTaken = (): boolean => telegram.acknowledged().length === telegram.deliveredCount();
  await stage.until("every message is acknowledged", isTaken);
  await stage.converge();
  await stage.stop();
}

function judged(stage: Stage, telegram: TelegramSide, told: readonly Told[]): readonly string[] {
  const db = stage.look();
  return [...judgeViews(told, views(telegram), stage), ...judgeStore(db, told), ...judgeEffects(db, stage)];
}

function views(telegram: TelegramSide) {
  return CHATS.map((chat) => ({ chat: String(chat), posts: telegram.shown(chat) }));
}

/** [CT-5] Once, or not at all and then the result says that nobody knows. */
function judgeEffects(db: Connection, { work }: Stage): readonly string[] {
  const path = join(work, EFFECTS);
  const done = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  const unknown = db.all("SELECT 1 FROM message WHERE role = 'tool' AND text LIKE '%outcome is unknown%'").length;
  const isIdempotentDone = existsSync(join(work, `out-${tokenOf(TOOLS, 1)}.txt`));
  return [
    ...(done.length > 1 ? [`an at-most-once effect happened ${done.length} times`] : []),
    ...(done.length === 0 && unknown === 0 ? ["an effect never happened and nothing says so"] : []),
    ...(isIdempotentDone ? [] : ["an idempotent effect is missing"]),
  ];
}
