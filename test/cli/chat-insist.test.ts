/** Ctrl-C pressed twice at once: the program is left, and the turn is ended all the same. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINGER } from "../support/hosts.js";
import { type ChatHome, chatHome, type ModelProcess, modelProcess } from "./support/chat.js";
import { CTRL_C, hasPty, openTerminal, type Terminal } from "./support/pty.js";

const WORDS = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");

let model: ModelProcess;
let home: ChatHome;
let terminal: Terminal | undefined;
beforeAll(async () => {
  model = await modelProcess([
    // With some words shown it says nothing more: only an interruption ends this turn.
    { when: { user: "slow" }, text: WORDS, pieceChars: 8, holdAfter: 12 },
    { text: "the answer" },
  ]);
});
afterAll(() => model.stop());
beforeEach(() => {
  home = chatHome(model.env);
});
afterEach(async () => {
  terminal?.kill();
  await home.remove();
});

describe.skipIf(!hasPty)("Ctrl-C twice in one go", () => {
  it("[CT-7] leaves at once, and the host has heard that the turn is to end", async () => {
    terminal = openTerminal([], { home: home.path, cwd: home.cwd, env: { ...LINGER, ...model.env } });
    await terminal.waitFor(/> /);
    terminal.type("slow\r");
    await terminal.waitFor(/word5 /);
    terminal.type(CTRL_C + CTRL_C);
    expect(await terminal.ended()).toBe(130);
    const working = async (): Promise<number> => (await home.json<{ working: number }>(["host", "status"])).working;
    let left = await working();
    for (let looks = 0; left > 0 && looks < 5; looks++) left = await working();
    expect(left).toBe(0);
  });
});
