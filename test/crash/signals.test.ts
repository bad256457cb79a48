/** A person, a system or a window that ends a chat or its host in mid-turn: what was shown is stored, but for a second of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasPty } from "../cli/support/pty.js";
import { cleanEnv, finished } from "../cli/support/run.js";
import { removeFolder } from "../support/remove-folder.js";
import { Life } from "./life.js";
import { heard, shownText } from "./scenario.js";
import {
  ENOUGH,
  HELD,
  hasShown,
  interruptedAnswer,
  interruptedCommand,
  judgeDraft,
  judgeResumed,
  killedAnswer,
  killedCommand,
  LOST_CHARS_MAX,
  SLOW,
  untilStored,
} from "./scenarios/interruptions.js";
import { stageWhole } from "./stage.js";

const TIME_MS_MAX = 180_000;
/** Whoever presses Ctrl-C twice waits no longer than this, on a machine that is late. */
const LEAVE_MS_MAX = 5_000;

let staged: string;
let launcher: string;
let life: Life | undefined;
beforeAll(() => {
  staged = mkdtempSync(join(tmpdir(), "talaria-staged-"));
  launcher = stageWhole(staged);
});
afterAll(() => removeFolder(staged));
afterEach(async () => {
  await life?.end();
  life = undefined;
});

describe("Ctrl-C", () => {
  it("[FQ-1] [FQ-2] [FQ-10] once keeps all that was shown, marks where it was cut, and ends with 130", {
    timeout: TIME_MS_MAX,
  }, async () => {
    expect(await interruptedAnswer.play(launcher)).toEqual([]);
  });

  it("[FQ-1] [FQ-3] [TC-20] once ends a running command with its turn", { timeout: TIME_MS_MAX }, async () => {
    expect(await interruptedCommand.play(launcher)).toEqual([]);
  });

  it("[FQ-1] [FQ-2] twice leaves at once and loses at most a second", { timeout: TIME_MS_MAX }, async () => {
    life = await Life.begin(launcher, SLOW);
    const child = life.start(["chat", "-q", "tell me", "--stream-json"]);
    const ended = finished(child);
    const id = Life.idOf(await heard(child, hasShown(ENOUGH)));
    const interrupting = heard(child, (stdout) => stdout.includes('"interrupting"'));
    child.kill("SIGINT");
    await interrupting;
    const fromMs = performance.now();
    child.kill("SIGINT");
    const run = await ended;
    expect(run.code).toBe(130);
    expect(performance.now() - fromMs).toBeLessThan(LEAVE_MS_MAX);
    // The host heard the first one; what becomes of the turn there takes its time.
    const over = life;
    await expect.poll(async () => (await over.card(id)).session.liveTurn).toBeNull();
    const { messages } = await life.card(id);
    const kept = messages.find(({ role }) => role === "assistant")?.text ?? "";
    expect(shownText(run.stdout).length - kept.length).toBeLessThanOrEqual(LOST_CHARS_MAX);
    const words = (role: string) => messages.filter((message) => message.role === role).map(({ text }) => text);
    expect(words("user")).toEqual(["tell me"]);
    expect(words("assistant").length).toBeLessThanOrEqual(1);
  });
});

describe("a host that is ended from outside", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)(
    "[FQ-1] [FQ-2] loses at most a second of an answer to %s, and the next host goes on",
    { timeout: TIME_MS_MAX },
    async (signal) => {
      expect(await killedAnswer(signal).play(launcher)).toEqual([]);
    },
  );

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "[CT-5] [TC-22] takes its commands along when %s ends it, and does not run them again",
    { timeout: TIME_MS_MAX },
    async (signal) => {
      expect(await killedCommand(signal).play(launcher)).toEqual([]);
    },
  );
});

describe("a chat that is ended from outside", () => {
  it.skipIf(!hasPty)(
    "[FQ-1] [FQ-2] loses nothing of an answer when its window is closed: the turn goes on, and -r joins it",
    { timeout: TIME_MS_MAX },
    async () => {
      life = await Life.begin(launcher, HELD);
      const { terminal, shown } = inWindow(life, ["chat", "-q", "tell me"]);
      await heard(terminal, (text) => text.includes(ENOUGH));
      terminal.kill("SIGKILL");
      await new Promise((resolve) => terminal.once("close", resolve));
      expect(await life.outlives(Number(life.lines("pid")[0]))).toBe(false);
      await untilStored(life);
      const complaints: string[] = [];
      const complain = (holds: boolean, complaint: string): void => void (holds || complaints.push(complaint));
      // Lines are broken between words on a screen; a line break stands where a space was.
      const text = /word0 [\s\S]*/.exec(shown())?.[0].replace(/\s+/g, " ") ?? "";
      judgeDraft(life, text, complain);
      const id = Life.idOf(shown());
      const joined = life.start(["chat", "-r", id, "--stream-json"]);
      joined.stdin?.end();
      const ended = finished(joined);
      await heard(joined, hasShown(ENOUGH));
      life.server.go();
      expect((await ended).code).toBe(0);
      await judgeResumed(life, id, complain);
      expect(complaints).toEqual([]);
    },
  );
});

/** The program in a window of its own; killing `terminal` closes the window. */
function inWindow(life: Life, args: readonly string[]): { readonly terminal: ChildProcess; shown(): string } {
  const quoted = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ");
  const terminal = spawn("script", ["-qefc", `stty cols 80; echo $$ > pid; exec ${quoted}`, "/dev/null"], {
    cwd: life.work,
    env: cleanEnv(life.home, { TERM: "xterm", ...life.surroundings }),
    stdio: ["pipe", "pipe", "ignore"],
  });
  let text = "";
  terminal.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { terminal, shown: () => text };
}
