import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#base/clock.js";
import { type ConversationId, randomIds, type TurnId } from "#base/ids.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { createOutput } from "./output.js";
import { createProcesses, type Processes } from "./processes.js";

let folder: string;
let processes: Processes;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-group-"));
  processes = createProcesses({ clock: systemClock, newId: randomIds });
});
afterEach(async () => {
  await processes.endAll();
  removeFolder(folder);
});

async function run(command: string, input: "closed" | "open" = "closed") {
  const kept = (name: string) => createOutput({ keepChars: 1_000, spoolFile: join(folder, name) });
  const [output, errors] = [kept("output"), kept("errors")];
  const owner = { conversation: "conversation-1" as ConversationId, turn: "turn-1" as TurnId };
  const env = { PATH: process.env["PATH"] ?? "" };
  const started = processes.foreground({ command, cwd: folder, env, input, output, errors, ...owner });
  if (started.kind !== "started") throw new Error(started.why);
  if (input === "open") await started.process.write("words\n");
  started.process.closeInput();
  const ending = await started.process.ended;
  const code = ending.kind === "exited" ? ending.code : ending.why;
  // What was said is read on when nobody waits for it any more: a slow machine shows it later.
  return () => ({ code, said: output.shown(), erred: errors.shown() });
}

describe("a command that was left behind by its shell", () => {
  /** Its leap is what a process sees that got no time; at the third pause it lets the command speak. */
  function starved(output: { shown(): string }): Clock {
    let pauses = 0;
    let leapMs = 0;
    return {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + leapMs,
      async sleep(delayMs, signal) {
        leapMs += 10;
        if (++pauses === 1) leapMs += 500;
        if (pauses === 3) {
          writeFileSync(join(folder, "speak"), "");
          await expect.poll(() => output.shown()).toContain("late");
        }
        await systemClock.sleep(delayMs, signal);
      },
    };
  }

  it("is heard though the host had no time to listen", async () => {
    const output = createOutput({ keepChars: 1_000, spoolFile: join(folder, "output") });
    processes = createProcesses({ clock: starved(output), newId: randomIds });
    const command = "(while [ ! -e speak ]; do sleep 0.02; done; echo late) & echo early";
    const owner = { conversation: "conversation-1" as ConversationId, turn: "turn-1" as TurnId };
    const env = { PATH: process.env["PATH"] ?? "" };
    const started = processes.foreground({ command, cwd: folder, env, input: "closed", output, ...owner });
    if (started.kind !== "started") throw new Error(started.why);
    await started.process.ended;
    expect(output.shown()).toBe("early\nlate\n");
  });
});

describe("a command whose standard error is kept apart", () => {
  it("says what it says on each, and how it ended", async () => {
    await expect.poll(await run("echo out; echo err >&2; exit 3")).toEqual({ code: 3, said: "out\n", erred: "err\n" });
    const fed = { code: 0, said: "words\n", erred: "err\n" };
    await expect.poll(await run("cat; echo err >&2", "open")).toEqual(fed);
    expect((await run("kill -9 $$"))()).toMatchObject({ code: 137, said: "" });
  });

  it("has true pipes on both, and no descriptor of ours", async () => {
    const command =
      "echo out >/dev/stdout; echo err >/dev/stderr; (: >&3) 2>/dev/null || (: >&4) 2>/dev/null || echo closed";
    await expect.poll(await run(command)).toEqual({ code: 0, said: "out\nclosed\n", erred: "err\n" });
  });

  it("is read on both at once, however much it says", async () => {
    const whole = expect.stringMatching(/^1\n.*characters left out.*\n60000\n$/s);
    const shown = await run("seq 60000 >&2 & seq 60000; wait");
    await expect.poll(shown).toEqual({ code: 0, said: whole, erred: whole });
  });
});
