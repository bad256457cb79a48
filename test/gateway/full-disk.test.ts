/** A gateway whose disk is full: it takes nothing that it cannot keep, says so, and goes on when there is room. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { smallDisk } from "../support/storage.js";
import { judgeKept, judgeStore, judgeViews } from "./support/contract.js";
import { echo, tokenOf } from "./support/echo.js";
import { staged } from "./support/staged.js";

const { withTelegram, onEnd } = staged();
const TIME_MS_MAX = 120_000;
const DISK_KB = 16_000;
const ALICE = 1001;
/** Polls after which a message that is not acknowledged by now is not going to be. */
const POLLS = 2;

const disk = smallDisk(DISK_KB);

describe("a gateway with a full disk", () => {
  it.skipIf(disk === undefined && process.env["CI"] === undefined)(
    "[CT-1] [CT-8] leaves messages with the platform, says so, and answers them once when there is room again",
    { timeout: TIME_MS_MAX },
    async () => {
      if (disk === undefined) throw new Error("no small disk can be made here");
      onEnd(async () => disk.remove());
      const { stage, telegram } = await withTelegram({ script: echo, under: disk.path }, { stream: false });
      await stage.up();
      const told = [say(1)];
      await stage.until("it is answered", () => telegram.shown(ALICE).length === 1);
      const room = fill(join(disk.path, "filler"));
      told.push(say(2), say(3));
      const polls = (): number => telegram.fake.calls()["getUpdates"] ?? 0;
      const before = polls();
      await stage.until("it has asked again and again", () => !stage.isRunning || polls() >= before + POLLS);
      expect(telegram.acknowledged()).toHaveLength(1);
      expect(telegram.shown(ALICE)).toHaveLength(1);
      // Between two tries the line is up for a moment.
      await expect
        .poll(async () => (await stage.run(["gateway", "status"])).stdout)
        .toMatch(/telegram is down: messages cannot be kept and wait with the platform: .*disk/);
      expect(stage.said).toMatch(/messages cannot be kept/);
      room();
      if (!stage.isRunning) await stage.up();
      await stage.until(
        "all are answered",
        () => telegram.shown(ALICE).filter((text) => text.includes("answer")).length === 3,
      );
      await stage.converge();
      await stage.stop();
      const db = stage.look();
      expect(judgeKept(db, telegram.acknowledged())).toEqual([]);
      expect(judgeStore(db, told, { isStopped: true })).toEqual([]);
      expect(judgeViews(told, [{ chat: String(ALICE), posts: telegram.shown(ALICE) }], { deaths: 1 })).toEqual([]);

      function say(number: number) {
        const token = tokenOf(ALICE, number);
        return { chat: String(ALICE), token, eventId: telegram.say(ALICE, `please ${token}`).eventId };
      }
    },
  );
});

/** Not a byte is left; the returned function makes room. */
function fill(path: string): () => void {
  const file = openSync(path, "w");
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2)) {
    const block = Buffer.alloc(size);
    try {
      for (;;) writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
  return () => rmSync(path);
}
