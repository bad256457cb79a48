/** SIGKILL at every boundary of a turn, to the host alone or to the chat alone: whoever is left goes on. */
import { describe, expect, it } from "vitest";
import { finished } from "../cli/support/run.js";
import { hostPid } from "../support/hosts.js";
import { sample } from "../support/sample.js";
import { Life } from "./life.js";
import { TURN_POINTS } from "./points.js";
import { stagedLives } from "./staged.js";
import { ANSWER, judge, THREE_CALLS, UNKNOWN } from "./three-calls.js";

const beginLife = stagedLives();
const SAY = ["chat", "-q", "do it"];

describe("a host killed with SIGKILL", () => {
  it.each([
    ...sample(TURN_POINTS, 2),
    ["CP-01 the message is being stored", "store.mid-admit"],
    ["CP-02 stored, not acknowledged", "server.before-answer:5"],
  ] as const)(
    "[CT-1] [CT-2] [CT-5] is started again by the chat that waits, which gets its answer: %s",
    async (_id, point) => {
      const life = await beginLife(THREE_CALLS);
      life.faults.plan(point);
      const run = await life.run(SAY);
      expect([run.code, run.stdout], run.stderr).toEqual([0, `${ANSWER}\n`]);
      const card = await life.card(Life.idIn(run));
      expect(judge(card, life)).toEqual([]);
      // Seen by the person who waits and by the model that goes on.
      const isUnknown = card.messages.some(({ text }) => UNKNOWN.test(text));
      if (isUnknown) expect(run.stderr).toMatch(/unknown/);
      if (isUnknown) expect(life.lastRequest()).toMatch(UNKNOWN);
      const listed = await life.run(["sessions", "list", "--json"]);
      expect((JSON.parse(listed.stdout) as { sessions: unknown[] }).sessions).toHaveLength(1);
    },
  );

  it("[CT-9] three times by one turn is started a fourth time, and the turn is set aside", {
    timeout: 180_000,
  }, async () => {
    const life = await beginLife(THREE_CALLS);
    life.faults.plan("step.request-sent", "step.request-sent", "step.request-sent");
    const run = await life.run(SAY);
    expect([run.code, run.stdout, run.stderr]).toEqual([1, "", expect.stringMatching(/set aside/)]);
    const next = await life.run(["chat", "-r", Life.idIn(run), "-q", "and then?"]);
    expect(next.stdout).toContain("Then we rest.");
  });
});

describe("a chat killed with SIGKILL", () => {
  it.each([
    ["acknowledged, nothing printed", "chat.submitted"],
    ["the turn is over, nothing printed", "chat.turn-over"],
    ["everything printed, not said goodbye", "chat.before-bye"],
  ] as const)("[FQ-1] [FQ-2] only detaches, and the turn is answered once: %s", async (_id, point) => {
    const life = await beginLife(THREE_CALLS);
    const say = [...SAY, "--message-id", "m-1"];
    const child = life.start(say, { TALARIA_FAULT: point });
    child.stdin?.end();
    expect((await finished(child)).signal).toBe("SIGKILL");
    const host = hostPid(life.home);
    const again = await life.run(say);
    expect([again.code, again.stdout], again.stderr).toEqual([0, `${ANSWER}\n`]);
    expect(hostPid(life.home)).toBe(host);
    expect(judge(await life.card(Life.idIn(again)), life)).toEqual([]);
  });
});
