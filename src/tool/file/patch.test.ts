import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { randomIds, type ToolCallId } from "#base/ids.js";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import { patchTool } from "./patch.js";
import { NOTES_MAX } from "./patch-note.js";

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

/** Each is a call of its own, so that only the files tell what happened before. */
const patch = (input: Record<string, unknown>) => bench.run(patchTool, input, { call: randomIds() });
const replace = (old: string, wanted: string, more: Record<string, unknown> = {}) =>
  patch({ path: "a.txt", old, new: wanted, ...more });

describe("patch with old and new", () => {
  it("replaces one place and answers the diff", async () => {
    bench.write("a.txt", "one\ntwo\nthree\n");
    expect(await replace("two", "2")).toEqual({
      kind: "ok",
      text: "Patched a.txt (+1 -1).\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      body: { diff: expect.stringContaining("-two\n+2"), added: 1, removed: 1, files: ["a.txt"] },
    });
    expect(bench.read("a.txt")).toBe("one\n2\nthree\n");
  });

  it("changes nothing when it is not clear which place is meant", async () => {
    bench.write("a.txt", "x = 1\ny\nx = 1\n");
    const result = await replace("x = 1", "x = 2");
    expect(result).toMatchObject({ kind: "error", text: expect.stringContaining("2 places (lines 1, 3)") });
    expect(bench.read("a.txt")).toBe("x = 1\ny\nx = 1\n");
    await replace("x = 1", "x = 2", { all: true });
    expect(bench.read("a.txt")).toBe("x = 2\ny\nx = 2\n");
  });

  it("says what is closest to a text that is not there", async () => {
    bench.write("a.txt", "alpha\nconst total = sum(items)\n");
    const result = await replace("const totl = summ(itms)", "x");
    expect(result.kind).toBe("error");
    expect(result.text).toContain('Closest is line 2: "const total = sum(items)"');
  });

  it("indents what it writes like the place it found", async () => {
    bench.write("a.txt", "class A {\n    run() {\n        go();\n    }\n}\n");
    const { text } = await replace("run() {\n    go();\n}", "run() {\n    stop();\n\n    go();\n}");
    expect(bench.read("a.txt")).toBe("class A {\n    run() {\n        stop();\n\n        go();\n    }\n}\n");
    expect(text).toContain("indentation is ignored");
  });

  it("keeps carriage returns, a byte order mark and the mode", async () => {
    chmodSync(bench.write("a.txt", "\ufeffone\r\ntwo\r\n"), 0o750);
    await replace("one\ntwo", "one\nand\ntwo");
    expect(bench.read("a.txt")).toBe("\ufeffone\r\nand\r\ntwo\r\n");
    expect(statSync(join(bench.cwd, "a.txt")).mode & 0o7777).toBe(0o750);
  });

  it("leaves lines alone that it does not name, also where line ends are mixed", async () => {
    bench.write("a.txt", "a\r\nb\nc\r\n");
    await replace("b", "B");
    expect(bench.read("a.txt")).toBe("a\r\nB\nc\r\n");
  });

  it.each<[string, Buffer | string, string]>([
    ["is binary", Buffer.from([0x61, 0, 0x62]), "is binary"],
    ["is not UTF-8", Buffer.from([0x61, 0xff]), "is not UTF-8"],
  ])("does not touch a file that %s", async (_, content, why) => {
    bench.write("a.txt", content);
    expect(await replace("a", "b")).toMatchObject({ kind: "error", text: expect.stringContaining(why) });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ path: "a.txt", old: "x" }, "give path, old and new"],
    [{ path: "a.txt", old: "", new: "x" }, "old is empty"],
    [{ path: "a.txt", old: "x", new: "x" }, "the same"],
    [{ path: "a.txt", old: "x", new: "y", patch: "z" }, "not both"],
    [{ patch: "hello" }, "holds no change"],
    [{ patch: "@@\n-a\n+b" }, "before any file"],
    [{ path: "b.txt", old: "x", new: "y" }, "There is no file b.txt"],
  ])("says what is wrong with %j", async (input, words) => {
    bench.write("a.txt", "x");
    expect(await patch(input)).toMatchObject({ kind: "error", text: expect.stringContaining(words) });
    expect(bench.read("a.txt")).toBe("x");
  });
});

describe("a patch that is run again", () => {
  it.each<[string, string, string, string]>([
    ["replaces", "a b c", "b", "x"],
    ["adds behind what it quotes", "one\ntwo\n", "one\n", "one\nand\n"],
    ["adds before what it quotes", "one\ntwo\n", "two", "and\ntwo"],
    ["doubles what it quotes", "x;\n", "x;", "x; x;"],
    ["forgives indentation", "  foo()\nend\n", "foo()\nend", "foo()\nbar()\nend"],
    ["forgives indentation and adds at the end", "  foo()\nend\n", "foo()", "foo()\nbar()"],
    ["forgives quotes", "say “hello” to everybody\n", 'say "hello" to', 'say "goodbye" to'],
  ])("[TC-42] changes nothing the second time when it %s", async (_, before, old, wanted) => {
    bench.write("a.txt", before);
    expect((await replace(old, wanted)).kind).toBe("ok");
    const after = bench.read("a.txt");
    expect(after).not.toBe(before);
    expect(await replace(old, wanted)).toMatchObject({ kind: "ok", text: expect.stringContaining("already applied") });
    expect(bench.read("a.txt")).toBe(after);
  });

  it("[TC-42] does not turn to a place that is merely alike", async () => {
    bench.write("a.txt", "start(engine, now)\n  start(engine,  now)\n");
    await replace("start(engine, now)", "startSafely(engine, now)");
    await replace("start(engine, now)", "startSafely(engine, now)");
    expect(bench.read("a.txt")).toBe("startSafely(engine, now)\n  start(engine,  now)\n");
  });

  it("[TC-42] leaves places that read as wanted when it replaces all", async () => {
    bench.write("a.txt", "get getAll get\n");
    const result = await replace("get", "getAll", { all: true });
    expect(bench.read("a.txt")).toBe("getAll getAll getAll\n");
    expect(result.text).toContain("1 more read so already");
    await replace("get", "getAll", { all: true });
    expect(bench.read("a.txt")).toBe("getAll getAll getAll\n");
  });

  it("[TC-42] changes nothing when the same call runs again, whatever is replaced by what", async () => {
    const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "“"), maxLength: 10 });
    let calls = 0;
    const again = fc.asyncProperty(words, words, words, fc.boolean(), async (text, old, wanted, all) => {
      bench.write("a.txt", text);
      const call = `call-${++calls}` as ToolCallId;
      const run = () => bench.run(patchTool, { path: "a.txt", old, new: wanted, all }, { call });
      const { kind } = await run();
      const after = bench.read("a.txt");
      expect((await run()).kind).toBe(kind);
      expect(bench.read("a.txt")).toBe(after);
    });
    await fc.assert(again, { numRuns: 400 });
  });

  it("[TC-42] finishes a move that was cut off between writing and removing", async () => {
    bench.write("from.txt", "x\n");
    const move = "*** Begin Patch\n*** Update File: from.txt\n*** Move to: to.txt\n@@\n-x\n+y\n*** End Patch";
    const run = () => bench.run(patchTool, { patch: move });
    await run();
    bench.write("from.txt", "x\n");
    expect((await run()).kind).toBe("ok");
    expect(existsSync(join(bench.cwd, "from.txt"))).toBe(false);
    expect(bench.read("to.txt")).toBe("y\n");
  });

  it("keeps a bounded number of notes", async () => {
    bench.write("a.txt", "0");
    const folder = join(bench.context.spoolDir, "patches");
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < NOTES_MAX; at++) writeFileSync(join(folder, `${at}.json`), "");
    await bench.run(patchTool, { path: "a.txt", old: "0", new: "1" });
    expect(readdirSync(folder)).toContain("call-1.json");
    expect(readdirSync(folder).length).toBeLessThan(NOTES_MAX);
  });
});

describe("a patch over what was redacted", () => {
  const SECRET = "sk-abcdefghijklmnopqrstuvwxyz";

  it("[TC-43] finds the secret behind the word and writes it back", async () => {
    bench.write("a.txt", `url = "x"\napi_key = "${SECRET}"\nmode = 1\n`);
    const result = await replace('api_key = "[redacted]"\nmode = 1', 'api_key = "[redacted]"\nmode = 2');
    expect(result.kind).toBe("ok");
    expect(bench.read("a.txt")).toBe(`url = "x"\napi_key = "${SECRET}"\nmode = 2\n`);
  });

  it("[TC-43] keeps several apart, also when lines change places", async () => {
    bench.write("a.txt", "A_TOKEN=one-two-three\nB_TOKEN=four-five-six\n");
    await replace("A_TOKEN=[redacted]\nB_TOKEN=[redacted]", "B_TOKEN=[redacted]\nA_TOKEN=[redacted]");
    expect(bench.read("a.txt")).toBe("B_TOKEN=four-five-six\nA_TOKEN=one-two-three\n");
  });

  it("[TC-43] is recognised when it is run again", async () => {
    bench.write("a.txt", "A_TOKEN=one-two-three\n");
    const once = () => replace("A_TOKEN=[redacted]", "A_TOKEN=[redacted]\nMODE=fast");
    await once();
    expect(await once()).toMatchObject({ kind: "ok", text: expect.stringContaining("already applied") });
    expect(bench.read("a.txt")).toBe("A_TOKEN=one-two-three\nMODE=fast\n");
  });

  it("[TC-43] never puts the word where a secret was, or a secret where it was not", async () => {
    const before = "A_TOKEN=one-two-three\nname=x\n";
    bench.write("a.txt", before);
    expect(await replace("name=x", "C_TOKEN=[redacted]")).toMatchObject({ kind: "error" });
    expect(await replace("A_TOKEN=[redacted]", "A_TOKEN=[redacted][redacted]")).toMatchObject({ kind: "error" });
    expect(bench.read("a.txt")).toBe(before);
  });

  it("[TC-43] forgives indentation there too, and works through a diff", async () => {
    bench.write("a.txt", "auth:\n    token: one-two-three\n    user: me\n");
    await replace("token: [redacted]\nuser: me", "token: [redacted]\nuser: you");
    expect(bench.read("a.txt")).toBe("auth:\n    token: one-two-three\n    user: you\n");
    await patch({
      patch: "--- a/a.txt\n+++ b/a.txt\n@@ -2,2 +2,2 @@\n     token: [redacted]\n-    user: you\n+    user: her\n",
    });
    expect(bench.read("a.txt")).toBe("auth:\n    token: one-two-three\n    user: her\n");
  });

  it("[TC-43] replaces a secret when the new words hold none", async () => {
    bench.write("a.txt", "A_TOKEN=one-two-three\n");
    await replace("A_TOKEN=[redacted]", "A_TOKEN=fresh");
    expect(bench.read("a.txt")).toBe("A_TOKEN=fresh\n");
  });

  it("[TC-43] takes the word for itself where the file holds it", async () => {
    bench.write("a.txt", "logs say [redacted] here\n");
    await replace("say [redacted] here", "show [redacted] there");
    expect(bench.read("a.txt")).toBe("logs show [redacted] there\n");
  });
});

describe("patch with a diff", () => {
  it("applies a unified diff whose numbers are wrong", async () => {
    bench.write("src/a.ts", "one\ntwo\nthree\nfour\n");
    const diff =
      "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -90,9 +70,2 @@ f()\n two\n-three\n+3\n four\n";
    expect((await patch({ patch: diff })).kind).toBe("ok");
    expect(bench.read("src/a.ts")).toBe("one\ntwo\n3\nfour\n");
  });

  it("chooses among equal places by the line number, or by the line in front", async () => {
    const text = "def a():\n  x = 1\ndef b():\n  x = 1\n";
    bench.write("a.txt", text);
    await patch({ path: "a.txt", patch: "@@ -4,1 +4,1 @@\n-  x = 1\n+  x = 2\n" });
    expect(bench.read("a.txt")).toBe("def a():\n  x = 1\ndef b():\n  x = 2\n");
    bench.write("a.txt", text);
    await patch({ patch: "*** Begin Patch\n*** Update File: a.txt\n@@ def b():\n-  x = 1\n+  x = 2\n*** End Patch" });
    expect(bench.read("a.txt")).toBe("def a():\n  x = 1\ndef b():\n  x = 2\n");
  });

  it("removes lines that look like headers", async () => {
    bench.write("a.sql", "select 1;\n-- old\nselect 2;\n");
    await patch({ patch: "--- a/a.sql\n+++ b/a.sql\n@@ -1,3 +1,3 @@\n select 1;\n--- old\n+++ new\n select 2;\n" });
    expect(bench.read("a.sql")).toBe("select 1;\n++ new\nselect 2;\n");
  });

  it("keeps the file's own lines of context", async () => {
    bench.write("a.txt", "“start”   \n  old\nend\n");
    await patch({ path: "a.txt", patch: '@@\n "start"\n-  old\n+  new\n end\n' });
    expect(bench.read("a.txt")).toBe("“start”   \n  new\nend\n");
  });

  it("removes whole lines, and adds where nothing is quoted", async () => {
    bench.write("a.txt", "one\ntwo\nthree");
    await patch({ path: "a.txt", patch: "@@\n-two\n" });
    expect(bench.read("a.txt")).toBe("one\nthree");
    await patch({ path: "a.txt", patch: "@@ one\n+1.5\n" });
    expect(bench.read("a.txt")).toBe("one\n1.5\nthree");
    await patch({ path: "a.txt", patch: "@@\n+four\n" });
    expect(bench.read("a.txt")).toBe("one\n1.5\nthree\nfour\n");
  });

  const several = [
    "*** Begin Patch",
    "*** Add File: new/b.txt",
    "+hello",
    "+there",
    "*** Update File: a.txt",
    "@@",
    "-two",
    "+2",
    "*** Delete File: old.txt",
    "*** Update File: from.txt",
    "*** Move to: to.txt",
    "@@",
    "-x",
    "+y",
    "*** End Patch",
  ].join("\n");

  function layOut(): void {
    bench.write("a.txt", "one\ntwo\n");
    bench.write("old.txt", "old\n");
    bench.write("from.txt", "x\n");
  }

  function expectApplied(): void {
    expect(bench.read("new/b.txt")).toBe("hello\nthere\n");
    expect(bench.read("a.txt")).toBe("one\n2\n");
    expect(existsSync(join(bench.cwd, "old.txt"))).toBe(false);
    expect(existsSync(join(bench.cwd, "from.txt"))).toBe(false);
    expect(bench.read("to.txt")).toBe("y\n");
  }

  it("changes, adds, moves and deletes files in one go", async () => {
    layOut();
    const { kind, body } = await patch({ patch: several });
    expect(kind).toBe("ok");
    expect(body).toMatchObject({ files: ["new/b.txt", "a.txt", "to.txt", "old.txt", "from.txt"] });
    expectApplied();
  });

  it("[TC-42] finishes what was cut off between two files, and then does nothing", async () => {
    layOut();
    bench.write("new/b.txt", "hello\nthere\n");
    bench.write("a.txt", "one\n2\n");
    expect((await patch({ patch: several })).kind).toBe("ok");
    expectApplied();
    expect(await patch({ patch: several })).toMatchObject({
      kind: "ok",
      text: expect.stringMatching(/^Nothing to do/),
    });
    expectApplied();
  });

  it("changes nothing at all when one part does not fit", async () => {
    layOut();
    bench.write("from.txt", "not what was quoted\n");
    const result = await patch({ patch: several });
    expect(result).toMatchObject({ kind: "error", text: expect.stringMatching(/^Nothing was changed\. from.txt/) });
    expect(bench.read("a.txt")).toBe("one\ntwo\n");
    expect(existsSync(join(bench.cwd, "new"))).toBe(false);
  });

  it("does not add or move over another file", async () => {
    bench.write("a.txt", "mine\n");
    bench.write("b.txt", "yours\n");
    const add = "*** Begin Patch\n*** Add File: a.txt\n+other\n*** End Patch";
    expect(await patch({ patch: add })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("exists already"),
    });
    const move = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-mine\n+ours\n*** End Patch";
    expect(await patch({ patch: move })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("exists already"),
    });
    expect([bench.read("a.txt"), bench.read("b.txt")]).toEqual(["mine\n", "yours\n"]);
  });
});

describe("the guard of patch", () => {
  const update = (path: string) => `*** Update File: ${path}\n@@\n-a\n+b\n`;

  it("looks at every file of a patch, also at where one is moved to", async () => {
    const judge = (text: string) => bench.judge(patchTool, { patch: `*** Begin Patch\n${text}*** End Patch` });
    expect(await judge(update("a.txt"))).toEqual({ kind: "allow" });
    expect(await judge(update("a.txt") + update("/tmp/elsewhere/b.txt"))).toMatchObject({ kind: "ask" });
    expect(await judge(update("/tmp/x/b.txt") + update(join(bench.home, ".env")))).toMatchObject({ kind: "refuse" });
    const moved = `*** Update File: a.txt\n*** Move to: ${bench.home}/state.db\n@@\n-a\n+b\n`;
    expect(await judge(moved)).toMatchObject({ kind: "refuse" });
  });

  it("is not opened by a grant for one of two places", async () => {
    const one = await bench.judge(patchTool, { patch: update("/tmp/one/a.txt") });
    const both = await bench.judge(patchTool, { patch: update("/tmp/one/a.txt") + update("/tmp/two/a.txt") });
    expect(one.kind === "ask" && both.kind === "ask" && one.grant !== both.grant).toBe(true);
  });

  it("holds for a link that came after the verdict", async () => {
    symlinkSync(join(bench.home, ".env"), join(bench.cwd, "link"));
    expect(await patch({ path: "link", old: "a", new: "b" })).toMatchObject({ kind: "error" });
  });
});
