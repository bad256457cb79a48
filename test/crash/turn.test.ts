/** SIGKILL at every boundary of a turn, in a real process; then the program is started again on that conversation. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sample } from "../support/sample.js";
import { Life } from "./life.js";
import { TURN_POINTS } from "./points.js";
import { stagedLives } from "./staged.js";
import { ANSWER, judge, killedAt, THREE_CALLS, UNKNOWN } from "./three-calls.js";

const beginLife = stagedLives();
let life: Life;

describe("a turn killed with SIGKILL", () => {
  it.each(sample(TURN_POINTS))("[CT-5] [FQ-1] [FQ-2] [FQ-3] is finished by the next start: %s", async (_id, point) => {
    life = await beginLife(THREE_CALLS);
    const { id } = await killedAt(life, point);
    const resumed = await life.run(["chat", "-r", id]);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain(ANSWER);
    const card = await life.card(id);
    expect(judge(card, life)).toEqual([]);
    const isUnknown = card.messages.some(({ text }) => UNKNOWN.test(text));
    // Seen by the person who resumes and by the model that goes on.
    expect(UNKNOWN.test(resumed.stderr) || /unknown/.test(resumed.stderr)).toBe(isUnknown);
    if (isUnknown) expect(life.lastRequest()).toMatch(UNKNOWN);
  });

  it("[CT-5] tells of an unknown outcome also whoever comes when the turn is over", async () => {
    life = await beginLife(THREE_CALLS);
    const { id } = await killedAt(life, "call.started:3");
    expect((await life.run(["host", "start"])).code).toBe(0);
    const isOver = async () => (await life.card(id)).session.liveTurn === null;
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
    expect((await life.run(["chat", "-r", id])).stderr).toMatch(/outcome is unknown: terminal/);
    expect((await life.run(["chat", "-r", id, "--json"])).stdout).toMatch(/outcome is unknown: terminal/);
  });

  it.each(sample(TURN_POINTS, 1))(
    "[CT-1] [CT-10] is finished before what is said next is answered: %s",
    async (_id, point) => {
      life = await beginLife(THREE_CALLS);
      const { id } = await killedAt(life, point);
      const resumed = await life.run(["chat", "-r", id, "-q", "and then?", "--json"]);
      expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: "completed", text: "Then we rest." });
      const card = await life.card(id);
      expect(judge(card, life)).toEqual([]);
      expect(card.messages.slice(-2).map(({ text }) => text)).toEqual(["and then?", "Then we rest."]);
    },
  );

  it("[CT-9] survives being killed again while it is recovered, and a third time", async () => {
    life = await beginLife(THREE_CALLS);
    const { id } = await killedAt(life, "call.started:2");
    const again = await life.run(["chat", "-r", id], "recover.taken-over");
    expect(again.signal).toBe("SIGKILL");
    const resumed = await life.run(["chat", "-r", id]);
    expect(resumed.stdout).toContain(ANSWER);
    expect(judge(await life.card(id), life)).toEqual([]);
  });

  it("[CT-9] is set aside once, when even that is killed", async () => {
    life = await beginLife(THREE_CALLS);
    const { id } = await killedAt(life, "step.request-sent");
    for (let death = 0; death < 2; death++) await life.run(["chat", "-r", id], "step.request-sent");
    expect((await life.run(["chat", "-r", id], "recover.before-close")).signal).toBe("SIGKILL");
    expect((await life.run(["chat", "-r", id])).stderr).toMatch(/set aside/);
    const notes = (await life.card(id)).messages.filter(({ role }) => role === "note");
    expect(notes).toHaveLength(1);
  });

  it("[CT-9] is set aside after the third death, and the conversation goes on", async () => {
    life = await beginLife(THREE_CALLS);
    const { id } = await killedAt(life, "step.request-sent");
    for (let death = 0; death < 2; death++)
      expect((await life.run(["chat", "-r", id], "step.request-sent")).signal).toBe("SIGKILL");
    const told = await life.run(["chat", "-r", id]);
    expect(told.stderr).toMatch(/set aside/);
    const next = await life.run(["chat", "-r", id, "-q", "and then?"]);
    expect(next.stdout).toContain("Then we rest.");
  });

  it("[CT-10] ends as the undisturbed run ends, byte for byte of what is stored", async () => {
    life = await beginLife(THREE_CALLS);
    const calm = Life.idIn(await life.run(["chat", "-q", "do it"]));
    const plain = async (id: string) =>
      (await life.card(id)).messages.map(({ role, text }) => [role, text.replace(/[\d.]+ s\]/, "… s]")]);
    const expected = await plain(calm);
    rmSync(join(life.work, "out.txt"));
    const { id } = await killedAt(life, "step.recorded");
    await life.run(["chat", "-r", id]);
    expect(await plain(id)).toEqual(expected);
  });
});
