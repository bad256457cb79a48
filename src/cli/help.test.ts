import { describe, expect, it } from "vitest";
import type { CliContext } from "./command.js";
import { addCommands, createProgram } from "./program.js";

const COLUMNS = 80;
/** Nothing of it is touched before an action runs. */
const NO_CONTEXT = {} as CliContext;

type Program = ReturnType<typeof createProgram>;

async function everyHelp(): Promise<ReadonlyMap<string, string>> {
  const program = createProgram("0.0.0");
  await addCommands(program, NO_CONTEXT, () => true);
  const helps = new Map<string, string>();
  const visit = (command: Program, words: readonly string[]): void => {
    const pieces: string[] = [];
    command.configureOutput({ writeOut: (piece) => void pieces.push(piece), getOutHelpWidth: () => COLUMNS });
    command.outputHelp();
    helps.set(words.join(" "), pieces.join(""));
    for (const child of command.commands) visit(child as Program, [...words, child.name()]);
  };
  visit(program, ["talaria"]);
  return helps;
}

describe("--help", () => {
  it("fits 80 columns, for every command", async () => {
    const helps = await everyHelp();
    expect(helps.size).toBeGreaterThan(40);
    const wide = [...helps].flatMap(([name, text]) =>
      text
        .split("\n")
        .filter((line) => line.length > COLUMNS)
        .map((line) => `${name}: ${line}`),
    );
    expect(wide).toEqual([]);
  });

  it.each(["rpc call", "host run", "plugins list", "plugins show", "plugins disable", "plugins new", "hooks test"])(
    "of %s has an example",
    async (words) => {
      expect((await everyHelp()).get(`talaria ${words}`)).toMatch(/\nExamples:\n {2}talaria /);
    },
  );
});
