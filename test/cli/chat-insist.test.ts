/** Ctrl-C pressed twice at once: the program is left, and the turn is ended all the same. */
import { describe, expect, it } from "vitest";
import { chatTerminal } from "../support/chat-terminal.js";
import { CTRL_C, hasPty } from "./support/pty.js";

const WORDS = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");

const stage = chatTerminal([
  // With some words shown it says nothing more: only an interruption ends this turn.
  { when: { user: "slow" }, text: WORDS, pieceChars: 8, holdAfter: 12 },
  { text: "the answer" },
]);

describe.skipIf(!hasPty)("Ctrl-C twice in one go", () => {
  it("[CT-7] leaves at once, and the host has heard that the turn is to end", async () => {
    const terminal = stage.open();
    await terminal.waitFor(/> /);
    terminal.type("slow\r");
    await terminal.waitFor(/word5 /);
    terminal.type(CTRL_C + CTRL_C);
    expect(await terminal.ended()).toBe(130);
    const working = async (): Promise<number> =>
      (await stage.home.json<{ working: number }>(["host", "status"])).working;
    await expect.poll(working).toBe(0);
  });
});
