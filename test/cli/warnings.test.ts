/** Warnings: in a terminal broken between words at its width, for a program one line each. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasPty, openTerminal } from "./support/pty.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

const FIX = ["put it into .env as NAME=… and write $", "{NAME} here"].join("");
const messageIn = (home: string): string => `${home}/config.yaml:2:12: model.api_key holds a secret in clear; ${FIX}`;

let own: TempHome;
let home: string;
beforeEach(() => {
  own = tempHome();
  home = own.path;
  writeFileSync(join(home, "config.yaml"), "model:\n  api_key: hunter22\n", { mode: 0o600 });
});
afterEach(() => own.remove());

describe("a warning", () => {
  it.skipIf(!hasPty)("in a terminal is broken between words, its further lines behind an indent", async () => {
    const terminal = openTerminal(["config", "show", "model.name"], { home, cwd: home, env: { NO_COLOR: "1" } });
    await terminal.ended();
    const shown = terminal.shown().replaceAll("\r", "").split("\n");
    const lines = shown.slice(shown.findIndex((line) => line.startsWith("warning:")));
    const more = lines.slice(1).findIndex((line) => !line.startsWith("  "));
    const told = lines.slice(0, more + 1);
    expect(more).toBeGreaterThan(0);
    expect(told.filter((line) => line.length >= 80 && line.trim().includes(" "))).toEqual([]);
    expect(told.map((line) => line.trim()).join(" ")).toBe(`warning: ${messageIn(home)}`);
  });

  it("for a program is one line, and one JSON object with --json", async () => {
    const plain = await runCli(["config", "show", "model.name"], { home });
    expect(plain.stderr).toBe(`warning: ${messageIn(home)}\n`);
    const json = await runCli(["config", "set", "model.api_key", "hunter23", "--json"], { home });
    expect(json.stderr).toBe(`${JSON.stringify({ warning: { message: messageIn(home) } })}\n`);
  });
});
