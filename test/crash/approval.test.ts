/** Questions to a person that outlive the process that asked, killed and answered by real processes. */
import { describe, expect, it } from "vitest";
import { finished } from "../cli/support/run.js";
import type { RuledReply } from "../support/model-server/reply.js";
import { Life } from "./life.js";
import { stagedLives } from "./staged.js";

const RACERS = 10;
/** A recursive delete is asked about; what it deletes counts how often it ran. */
const SCRIPT: readonly RuledReply[] = [
  { calls: [{ name: "terminal", arguments: { command: "echo fired >> fired.log; rm -rf ./old" } }] },
  { text: "It is gone." },
];

const beginLife = stagedLives();
let life: Life;

async function parked(): Promise<string> {
  life = await beginLife(SCRIPT);
  const run = await life.run(["chat", "-q", "clean up"]);
  expect(run.code).toBe(6);
  expect(run.stderr).toMatch(/--approve/);
  expect(life.lines("fired.log")).toEqual([]);
  return Life.idIn(run);
}

describe("a parked question", () => {
  it("[CT-10] fires its effect once when ten processes race to answer it", async () => {
    const id = await parked();
    const racers = Array.from({ length: RACERS }, () => {
      const child = life.start(["chat", "-r", id, "--approve", "once", "--json"]);
      child.stdin?.end();
      return finished(child);
    });
    const runs = await Promise.all(racers);
    expect(life.lines("fired.log")).toEqual(["fired"]);
    // Each waited for the lock (nobody was turned away) and found it decided, or decided it.
    expect(runs.map(({ code, stderr }) => (code === 0 ? "ok" : stderr))).toEqual(
      Array.from({ length: RACERS }, () => "ok"),
    );
    const { messages, session } = await life.card(id);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(session.liveTurn).toBeNull();
  });

  it("[CT-10] fires its effect once when half of the racers deny and half allow", async () => {
    const id = await parked();
    const racers = Array.from({ length: RACERS }, (_, at) => {
      const child = life.start(["chat", "-r", id, ...(at % 2 === 0 ? ["--approve", "once"] : ["--deny"]), "--json"]);
      child.stdin?.end();
      return finished(child);
    });
    await Promise.all(racers);
    const { messages } = await life.card(id);
    const results = messages.filter(({ role }) => role === "tool");
    expect(results).toHaveLength(1);
    const isDenied = results[0]?.body?.["outcome"] === "denied";
    expect(life.lines("fired.log")).toEqual(isDenied ? [] : ["fired"]);
  });

  it.each([
    ["CP-12 asked, nobody told", "approval.asked", ["chat", "-q", "clean up"]],
    ["CP-13 allowed, call not started", "approval.decided", undefined],
    ["CP-09 allowed, call started", "call.started", undefined],
    ["CP-10 effect done, not committed", "call.effect-done", undefined],
  ] as const)("[CT-10] [CT-5] survives a kill: %s", async (_id, point, first) => {
    let id: string;
    if (first !== undefined) {
      life = await beginLife(SCRIPT);
      id = Life.idIn(await life.run(first, point));
    } else {
      id = await parked();
      expect((await life.run(["chat", "-r", id, "--approve", "once"], point)).signal).toBe("SIGKILL");
    }
    const done = await life.run(["chat", "-r", id, "--approve", "once"]);
    expect(done.stdout).toContain("It is gone.");
    expect(life.lines("fired.log").length).toBeLessThanOrEqual(1);
    const { messages } = await life.card(id);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    if (point === "approval.asked" || point === "approval.decided") expect(life.lines("fired.log")).toEqual(["fired"]);
    else expect(messages[2]?.text).toMatch(/outcome is unknown/);
  });

  it("waits through restarts without an answer, and says each time what it waits for", async () => {
    const id = await parked();
    for (let look = 0; look < 4; look++) {
      const run = await life.run(["chat", "-r", id]);
      expect(run.code).toBe(6);
      expect(run.stderr).toContain("rm -rf ./old");
    }
    expect((await life.run(["chat", "-r", id, "--deny"])).code).toBe(0);
    expect(life.lines("fired.log")).toEqual([]);
  });
});
