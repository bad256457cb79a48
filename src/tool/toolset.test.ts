import { describe, expect, it } from "vitest";
import { z } from "zod";
import { clarifyTool } from "./clarify.js";
import { createDelegate } from "./delegate.js";
import { patchTool } from "./file/patch.js";
import { readFileTool } from "./file/read-file.js";
import { searchFilesTool } from "./file/search-files.js";
import { writeFileTool } from "./file/write-file.js";
import { createSessionSearch } from "./session-search/session-search.js";
import { todoTool } from "./todo.js";
import { defineTool, type Tool } from "./tool.js";
import { createToolset, selectTools } from "./toolset.js";
import { createWebFetch } from "./web/web-fetch.js";

const all: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  patchTool,
  searchFilesTool,
  createWebFetch(),
  todoTool,
  clarifyTool,
  createSessionSearch({} as never),
  createDelegate(() => Promise.reject(new Error("not here"))),
];

describe("createToolset", () => {
  it("[TC-41] describes the same tools in the same bytes, in whatever order they come", () => {
    const first = JSON.stringify(createToolset(all).specs());
    expect(JSON.stringify(createToolset([...all].reverse()).specs())).toBe(first);
    expect(createToolset(all).names()).toEqual([...createToolset(all).names()].sort());
  });

  it("describes each as an object that admits nothing else", () => {
    for (const { name, description, schema } of createToolset(all).specs()) {
      expect(name).toMatch(/^[a-z_]{1,64}$/);
      expect(description.length).toBeGreaterThan(20);
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      expect(schema).not.toHaveProperty("$schema");
    }
  });

  it("declares for each an effect and limits", () => {
    const effects = Object.fromEntries(all.map(({ name, effect }) => [name, effect]));
    expect(effects).toEqual({
      read_file: "read-only",
      write_file: "idempotent",
      patch: "idempotent",
      search_files: "read-only",
      web_fetch: "read-only",
      todo: "idempotent",
      clarify: "idempotent",
      session_search: "read-only",
      delegate: "idempotent",
    });
    for (const { limits } of all) expect(Math.min(limits.timeMs, limits.outputChars)).toBeGreaterThan(0);
  });

  it("finds a tool by its name and refuses two of one name", () => {
    expect(createToolset(all).find("patch")).toBe(patchTool);
    expect(createToolset(all).find("gone")).toBeUndefined();
    expect(() => createToolset([patchTool, patchTool])).toThrow("two tools are called patch");
  });
});

describe("parse", () => {
  const toolset = createToolset(all);

  it("[TC-40] answers the tool and its input", () => {
    expect(toolset.parse("read_file", { path: "a", limit: 3 })).toEqual({
      kind: "ok",
      tool: readFileTool,
      input: { path: "a", limit: 3 },
    });
  });

  it("[TC-40] takes null for what is left out, where null is not wanted", () => {
    expect(toolset.parse("read_file", { path: "a", limit: null })).toMatchObject({ kind: "ok", input: { path: "a" } });
    const nullable = defineTool<{ a: string | null }>({
      ...readFileTool,
      name: "nullable",
      input: z.strictObject({ a: z.string().nullable() }),
    } as never);
    expect(createToolset([nullable]).parse("nullable", { a: null })).toMatchObject({ kind: "ok", input: { a: null } });
  });

  it.each<[string, unknown, RegExp]>([
    ["read_file", {}, /^The arguments of read_file do not fit: path: .*Nothing was run/],
    ["read_file", { path: 3 }, /path: .*string/],
    ["read_file", { path: "a", lines: 3 }, /Unrecognized key: "lines"/],
    ["todo", { todos: [] }, /Unrecognized key: "todos"/],
    ["todo", { items: [{ id: "1", text: "x", status: "doing" }] }, /items\.0\.status/],
    ["read_file", [], /do not fit/],
    ["read_file", null, /do not fit/],
    ["read_file", "text", /do not fit/],
  ])("[TC-40] says what is wrong with the arguments of %s: %j", (name, value, words) => {
    const parsed = toolset.parse(name, value);
    expect(parsed).toMatchObject({ kind: "invalid", message: expect.stringMatching(words) });
  });

  it("[TC-40] says which tool was probably meant", () => {
    expect(toolset.parse("readfile", {})).toMatchObject({
      kind: "unknown-tool",
      near: expect.arrayContaining(["read_file"]),
    });
    expect(toolset.parse("zzz", {})).toMatchObject({
      kind: "unknown-tool",
      near: [],
      message: expect.stringContaining("The tools are: clarify, delegate, patch"),
    });
  });

  it("keeps its message short, however much is wrong", () => {
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, at]));
    const parsed = toolset.parse("todo", { items: Array.from({ length: 90 }, () => value) });
    expect(parsed.kind === "invalid" && parsed.message.length).toBeLessThan(3_000);
    const unknown = toolset.parse("x".repeat(10_000), {});
    expect(unknown.kind === "unknown-tool" && unknown.message.length).toBeLessThan(1_000);
  });
});

describe("selectTools", () => {
  const names = (choice: Parameters<typeof selectTools>[1]) => selectTools(all, choice).tools.map(({ name }) => name);

  it("takes all, those named, or all but those named", () => {
    expect(names({})).toHaveLength(all.length);
    expect(names({ enabled: ["patch", "todo"] })).toEqual(["patch", "todo"]);
    expect(names({ disabled: ["patch"] })).not.toContain("patch");
    expect(names({ enabled: ["patch", "todo"], disabled: ["todo"] })).toEqual(["patch"]);
    expect(names({ enabled: [] })).toEqual([]);
  });

  it("tells names that no tool has", () => {
    expect(selectTools(all, { enabled: ["patch", "pach"], disabled: ["nope"] }).unknown).toEqual(["pach", "nope"]);
  });
});
