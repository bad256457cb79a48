import { describe, expect, it } from "vitest";
import { DEFAULT_IDENTITY, stablePrompt, systemParts } from "./prompt.js";

const sources = { identity: undefined, project: [], platform: "cli" };

describe("the system prompt", () => {
  it("is the same bytes for the same sources", () => {
    expect(stablePrompt(sources)).toBe(stablePrompt({ ...sources }));
  });

  it("begins with who the agent is, by SOUL.md or by default", () => {
    expect(stablePrompt(sources).startsWith(DEFAULT_IDENTITY)).toBe(true);
    expect(stablePrompt({ ...sources, identity: "  You are Ada.\n" }).startsWith("You are Ada.\n\n")).toBe(true);
    expect(stablePrompt({ ...sources, identity: " \n" }).startsWith(DEFAULT_IDENTITY)).toBe(true);
  });

  it("ends with the project's files, the nearest last", () => {
    const project = [
      { name: "../AGENTS.md", text: "outer" },
      { name: "AGENTS.md", text: "inner" },
    ];
    const prompt = stablePrompt({ ...sources, project });
    expect(prompt.indexOf("outer")).toBeLessThan(prompt.indexOf("inner"));
    expect(prompt.endsWith("inner")).toBe(true);
  });

  it("keeps what changes from day to day behind what does not", () => {
    const parts = systemParts("stable", { cwd: "/work", nowMs: Date.UTC(2026, 0, 2, 23, 59) });
    expect(parts.map(({ isStable }) => isStable)).toEqual([true, false]);
    expect(parts[1]?.text).toContain("2026-01-02");
    expect(systemParts("stable", { cwd: "/work", nowMs: Date.UTC(2026, 0, 2, 1) })).toEqual(parts);
  });

  it("is well-formed text, whatever the files hold", () => {
    const prompt = stablePrompt({ ...sources, identity: "lone \ud800 surrogate" });
    expect(prompt.isWellFormed()).toBe(true);
  });
});
