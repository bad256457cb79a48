import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import { DIFF_CHARS_MAX } from "./file-diff.js";
import { writeFileTool } from "./write-file.js";

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

const write = (path: string, content: string) => bench.run(writeFileTool, { path, content });

describe("write_file", () => {
  it("makes a file and the folders above it", async () => {
    expect(await write("a/b/c.txt", "one\ntwo\n")).toMatchObject({
      kind: "ok",
      text: "Made a/b/c.txt (2 lines).",
      body: { added: 2, removed: 0, diff: expect.stringContaining("+one") },
    });
    expect(bench.read("a/b/c.txt")).toBe("one\ntwo\n");
    expect((await write("one.txt", "one\n")).text).toBe("Made one.txt (1 line).");
    expect(readdirSync(join(bench.cwd, "a/b"))).toEqual(["c.txt"]);
  });

  it("shows what changed", async () => {
    bench.write("a.txt", "one\ntwo\n");
    const { text, body } = await write("a.txt", "one\n2\n");
    expect(text).toBe("Wrote a.txt (+1 -1).\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    expect(body).toMatchObject({ added: 1, removed: 1 });
  });

  it("[TC-42] is the same file when it is run twice", async () => {
    await write("a.txt", "one\n");
    const before = statSync(join(bench.cwd, "a.txt"));
    expect(await write("a.txt", "one\n")).toMatchObject({
      kind: "ok",
      text: expect.stringContaining("nothing changed"),
    });
    expect(statSync(join(bench.cwd, "a.txt")).ino).toBe(before.ino);
  });

  it.each([0o755, 0o640, 0o777])("keeps the mode %o, whatever the umask", async (mode) => {
    chmodSync(bench.write("run.sh", "old"), mode);
    await write("run.sh", "new");
    expect(statSync(join(bench.cwd, "run.sh")).mode & 0o7777).toBe(mode);
  });

  it("writes through a link and leaves the link", async () => {
    bench.write("real.txt", "old");
    symlinkSync("real.txt", join(bench.cwd, "link.txt"));
    await write("link.txt", "new");
    expect(bench.read("real.txt")).toBe("new");
    expect(lstatSync(join(bench.cwd, "link.txt")).isSymbolicLink()).toBe(true);
  });

  it("replaces a binary file without showing it", async () => {
    bench.write("a.bin", Buffer.from([0, 1]));
    expect(await write("a.bin", "text")).toEqual({ kind: "ok", text: "Replaced a.bin, which is binary." });
  });

  it("refuses a folder, and a path below a file", async () => {
    mkdirSync(join(bench.cwd, "d"));
    bench.write("f", "");
    expect(await write("d", "x")).toEqual({ kind: "error", text: "d is not written: it is a folder." });
    expect(await write("f/x.txt", "x")).toMatchObject({ kind: "error", text: expect.stringContaining("a file") });
  });

  it("keeps the secrets that a model was not shown", async () => {
    bench.write(".env", "API_KEY=sk-abcdefghijklmnopqrstuvwxyz\nMODE=a\nTOKEN=tok-0123456789\n");
    await write(".env", "MODE=b\nTOKEN=[redacted]\nAPI_KEY=[redacted]\n");
    expect(bench.read(".env")).toBe("MODE=b\nTOKEN=tok-0123456789\nAPI_KEY=sk-abcdefghijklmnopqrstuvwxyz\n");
  });

  it("writes nothing when it cannot tell which secret is meant", async () => {
    const before = "API_KEY=sk-abcdefghijklmnopqrstuvwxyz\nTOKEN=tok-0123456789\n";
    bench.write(".env", before);
    expect(await write(".env", "OTHER=[redacted]\n")).toMatchObject({ kind: "error" });
    expect(bench.read(".env")).toBe(before);
  });

  it("writes the word itself where nothing was hidden", async () => {
    await write("notes.md", "logs show [redacted]\n");
    expect(bench.read("notes.md")).toBe("logs show [redacted]\n");
  });

  it("shows a bounded diff of a text that changed all over", async () => {
    bench.write("a.txt", Array.from({ length: 9_000 }, (_, at) => `old ${at}`).join("\n"));
    const { text, body } = await write("a.txt", Array.from({ length: 9_000 }, (_, at) => `new ${at}`).join("\n"));
    expect(text.length).toBeLessThan(DIFF_CHARS_MAX + 500);
    expect(body).toMatchObject({ added: 9_000, removed: 9_000 });
  });

  it("asks outside the working directory and refuses the home's own files", async () => {
    expect(await bench.judge(writeFileTool, { path: "a.txt", content: "" })).toEqual({ kind: "allow" });
    expect(await bench.judge(writeFileTool, { path: "../a.txt", content: "" })).toMatchObject({ kind: "ask" });
    const env = join(bench.home, ".env");
    expect(await bench.judge(writeFileTool, { path: env, content: "" })).toMatchObject({ kind: "refuse" });
    expect(await write(env, "x")).toMatchObject({ kind: "error" });
    expect(existsSync(env)).toBe(false);
  });

  it("writes nothing once it is interrupted", async () => {
    const result = await bench.run(writeFileTool, { path: "a.txt", content: "x" }, { signal: AbortSignal.abort() });
    expect(result.kind).toBe("error");
    expect(existsSync(join(bench.cwd, "a.txt"))).toBe(false);
  });
});
