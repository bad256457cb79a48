import { describe, expect, it } from "vitest";
import { HOME_OWNER } from "#session/person.js";
import type { Standing } from "./command.js";
import { parseLine } from "./parse.js";
import { SLASH_COMMANDS } from "./table.js";

const AT_TERMINAL: Standing = { surface: "terminal", person: { id: HOME_OWNER, role: "owner" } };
const IN_CHAT: Standing = { ...AT_TERMINAL, surface: "chat" };

describe("a line", () => {
  it.each([
    ["hello", "message"],
    [" /help", "message"],
    ["/usr/bin/env is what?", "message"],
    ["/", "message"],
    ["/2 of it", "message"],
    ["a /help", "message"],
  ])("%j is a %s", (line, kind) => expect(parseLine(line, AT_TERMINAL).kind).toBe(kind));

  it.each([
    ["/help", "help", ""],
    ["/?", "help", ""],
    ["/NEW  my plan ", "new", "my plan"],
    ["/reset", "new", ""],
    ["/title a\nb", "title", "a\nb"],
    ["/exit", "quit", ""],
  ])("%j is the command %s", (line, name, words) =>
    expect(parseLine(line, AT_TERMINAL)).toMatchObject({ kind: "command", command: { name }, words }),
  );

  it("that is nearly a command names it", () => {
    expect(parseLine("/titel x", AT_TERMINAL)).toEqual({ kind: "unknown", word: "titel", suggestion: "title" });
    expect(parseLine("/frobnicate", AT_TERMINAL)).toEqual({ kind: "unknown", word: "frobnicate" });
  });

  it("is only a command where that is available", () => {
    expect(parseLine("/quit", IN_CHAT)).toMatchObject({ kind: "unknown" });
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
    }
  });
});
