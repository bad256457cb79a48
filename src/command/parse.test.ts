import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOME_OWNER } from "#session/person.js";
import { MEMBER } from "../../test/support/command-scene.js";
import { catalogue } from "./catalogue.js";
import type { SlashCommand, Standing } from "./command.js";
import { parseLine } from "./parse.js";
import { availableCommands, SLASH_COMMANDS } from "./table.js";

const EVERYTHING = {
  live: true,
  compact: true,
  processes: true,
  models: true,
  tools: true,
  plugins: true,
  save: true,
  home: true,
};
const BARE: Standing = { surface: "terminal", person: { id: HOME_OWNER, role: "owner" } };
const AT_TERMINAL: Standing = { ...BARE, ...EVERYTHING };
const IN_CHAT: Standing = { ...AT_TERMINAL, surface: "chat" };
const AS_MEMBER: Standing = { ...IN_CHAT, person: MEMBER };
const STANDINGS = [BARE, AT_TERMINAL, IN_CHAT, AS_MEMBER];

describe("a line", () => {
  it.each([
    ["hello", "message"],
    [" /help", "message"],
    ["/usr/bin/env is what?", "message"],
    ["/", "message"],
    ["/2 of it", "message"],
    ["a /help", "message"],
    ["//help", "message"],
    ["/help!", "message"],
    ["", "message"],
  ])("%j is a %s", (line, kind) => expect(parseLine(line, AT_TERMINAL).kind).toBe(kind));

  it.each([
    ["/help", "help", ""],
    ["/?", "help", ""],
    ["/NEW  my plan ", "new", "my plan"],
    ["/reset", "new", ""],
    ["/title a\nb", "title", "a\nb"],
    ["/exit", "quit", ""],
    ["/compress", "compact", ""],
    ["/q later", "queue", "later"],
    ["/bg x", "background", "x"],
    ["/fork", "branch", ""],
    ["/sess", "sessions", ""],
    ["/comp", "compact", ""],
    ["/STAT", "status", ""],
    ["/un 3", "undo", "3"],
  ])("%j is the command %s", (line, name, words) =>
    expect(parseLine(line, AT_TERMINAL)).toMatchObject({ kind: "command", command: { name }, words }),
  );

  it("[CM-1] that could be several commands says which", () => {
    expect(parseLine("/re", AT_TERMINAL)).toEqual({
      kind: "ambiguous",
      word: "re",
      candidates: ["reset", "resume", "rename", "retry"],
    });
    expect(parseLine("/qu", AT_TERMINAL)).toMatchObject({ kind: "ambiguous", candidates: ["queue", "quit"] });
    // Two names of one command are one command.
    expect(parseLine("/co", BARE)).toMatchObject({ kind: "ambiguous" });
    expect(parseLine("/comp", AT_TERMINAL)).toMatchObject({ kind: "command", command: { name: "compact" } });
  });

  it("[CM-1] that is a command on another surface says where", () => {
    expect(parseLine("/commands", AT_TERMINAL)).toEqual({ kind: "unknown", word: "commands", elsewhere: "chat" });
    expect(parseLine("/save", { ...BARE, surface: "chat" })).toMatchObject({ kind: "unknown", elsewhere: "terminal" });
  });

  it("that is nearly a command names it", () => {
    expect(parseLine("/titel x", AT_TERMINAL)).toEqual({ kind: "unknown", word: "titel", suggestion: "title" });
    expect(parseLine("/frobnicate", AT_TERMINAL)).toEqual({ kind: "unknown", word: "frobnicate" });
    expect(parseLine(`/${"x".repeat(1_000_000)}`, AT_TERMINAL)).toMatchObject({ kind: "unknown" });
  });

  it("is only a command where that is available", () => {
    expect(parseLine("/quit", IN_CHAT)).toMatchObject({ kind: "unknown" });
    expect(parseLine("/commands", IN_CHAT)).toMatchObject({ kind: "command" });
    expect(parseLine("/stop", BARE)).toMatchObject({ kind: "unknown" });
    expect(parseLine("/q", BARE)).toMatchObject({ kind: "command", command: { name: "quit" } });
  });

  it("[CM-3] is refused to who may not, by its whole name, and not offered by its beginning", () => {
    expect(parseLine("/yolo on", AS_MEMBER)).toMatchObject({ kind: "forbidden", command: { name: "yolo" } });
    expect(parseLine("/yol", AS_MEMBER)).toMatchObject({ kind: "unknown" });
  });

  it("never crashes the parser, and no name is found that is not there", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `/${text}`),
      fc.constantFrom("/constructor", "/__proto__", "/toString", "/hasOwnProperty", "/null"),
      fc
        .tuple(fc.constantFrom(...SLASH_COMMANDS), fc.string({ unit: "binary" }))
        .map(([{ name }, text]) => `/${name} ${text}`),
    );
    fc.assert(
      fc.property(line, fc.constantFrom(...STANDINGS), (text, standing) => {
        const parsed = parseLine(text, standing);
        if (parsed.kind === "command") expect(availableCommands(standing)).toContain(parsed.command);
        else if (!text.startsWith("/")) expect(parsed.kind).toBe("message");
      }),
      { numRuns: 500 },
    );
  });
});

describe("the commands", () => {
  it("have names and aliases of their own, and one line of summary that fits", () => {
    const names = SLASH_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, takes = "", summary } of SLASH_COMMANDS) {
      expect(`/${name} ${takes}`.length).toBeLessThan(23);
      expect(summary.length).toBeLessThan(57);
      expect(summary).not.toMatch(/\.$/);
      expect(name).toMatch(/^[a-z]+$/);
    }
  });

  it("say what they take exactly when they take something to complete", () => {
    for (const { name, takes, arguments: kind } of SLASH_COMMANDS) {
      if (kind !== "none") expect(takes, name).toBeDefined();
    }
  });
});

describe("the catalogue", () => {
  it.each(STANDINGS.map((standing) => [standing] as const))("[CM-1] lists exactly what can run (%#)", (standing) => {
    const { pairs, canon, sub, categories } = catalogue(standing);
    const here = availableCommands(standing);
    expect(pairs.map(([name]) => name)).toEqual(here.map(({ name }) => `/${name}`));
    expect(categories.flatMap((category) => category.pairs).sort()).toEqual([...pairs].sort());
    for (const { name, aliases } of SLASH_COMMANDS) {
      for (const known of [name, ...aliases]) {
        const parsed = parseLine(`/${known}`, standing);
        const isHere = here.some((one) => one.name === name);
        expect(canon[`/${known}`]).toBe(isHere ? `/${name}` : undefined);
        if (isHere) expect(parsed).toMatchObject({ kind: "command", command: { name } });
        else if (parsed.kind === "command") expect(parsed.command.name).not.toBe(name);
      }
    }
    for (const [name, words] of Object.entries(sub)) {
      expect(canon[name]).toBe(name);
      expect(words.length).toBeGreaterThan(0);
    }
  });

  it("[CM-8] has a plugin's commands too, where its owner is, and never in place of one of ours", async () => {
    const plugged = (name: string): SlashCommand => ({
      name,
      aliases: ["help"],
      category: "Info",
      arguments: "none",
      summary: "of a plugin",
      where: ["terminal", "chat"],
      who: "owner",
      run: async () => ({ say: [name], next: { kind: "stay" } }),
    });
    const commands = (): readonly SlashCommand[] =>
      ["weather", "new", "bg", "weather", "two words", "__proto__", ""].map(plugged);
    const standing: Standing = { ...AT_TERMINAL, commands };
    expect(catalogue(standing).pairs.length).toBe(catalogue(AT_TERMINAL).pairs.length + 1);
    expect(parseLine("/weather Oslo", standing)).toMatchObject({ kind: "command", words: "Oslo" });
    expect(parseLine("/wea", standing)).toMatchObject({ kind: "command", command: { name: "weather" } });
    for (const line of ["/new", "/bg", "/help"])
      expect(parseLine(line, standing)).toEqual(parseLine(line, AT_TERMINAL));
    expect(parseLine("/weather", { ...AS_MEMBER, commands })).toMatchObject({ kind: "forbidden" });
  });

  it("offers nothing that has no host behind it where there is none", () => {
    const bare = catalogue(BARE).pairs.map(([name]) => name);
    for (const name of ["/stop", "/queue", "/steer", "/background", "/approve", "/save", "/tools", "/compact"]) {
      expect(bare).not.toContain(name);
    }
    expect(bare).toEqual(expect.arrayContaining(["/new", "/resume", "/help", "/status"]));
  });
});
