import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import { COUNT_BYTES_MAX, LINE_CHARS_MAX } from "./line-page.js";
import { READ_LINES_DEFAULT, readFileTool } from "./read-file.js";

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

const read = (input: Record<string, unknown>) => bench.run(readFileTool, input);

describe("read_file", () => {
  it("answers numbered lines", async () => {
    bench.write("a.txt", "one\ntwo\r\n\nfour");
    expect(await read({ path: "a.txt" })).toEqual({
      kind: "ok",
      text: "     1\tone\n     2\ttwo\n     3\t\n     4\tfour",
    });
  });

  it("says how to go on, and goes on there", async () => {
    bench.write("a.txt", "a\nb\nc\nd\n");
    expect((await read({ path: "a.txt", limit: 2 })).text).toBe(
      "     1\ta\n     2\tb\n(lines 1-2 of 4; go on with offset=3)",
    );
    expect((await read({ path: "a.txt", offset: 3, limit: 2 })).text).toBe("     3\tc\n     4\td");
    expect(await read({ path: "a.txt", offset: 5 })).toEqual({
      kind: "error",
      text: "a.txt has 4 lines; there is none at offset 5.",
    });
  });

  it("shows at most its default of lines", async () => {
    bench.write("a.txt", "x\n".repeat(READ_LINES_DEFAULT + 1));
    const { text } = await read({ path: "a.txt" });
    expect(text.split("\n")).toHaveLength(READ_LINES_DEFAULT + 1);
    expect(text).toContain(`go on with offset=${READ_LINES_DEFAULT + 1}`);
  });

  it("ends a page that is full and goes on with the very next line", async () => {
    bench.write("a.txt", `${"y".repeat(1_000)}\n`.repeat(100));
    const { text } = await read({ path: "a.txt" });
    const [, next] = /go on with offset=(\d+)/.exec(text) ?? [];
    expect(text.length).toBeLessThan(70_000);
    expect(text.split("\n")).toHaveLength(Number(next));
  });

  it("cuts a long line where everybody sees it", async () => {
    bench.write("a.txt", `${"z".repeat(LINE_CHARS_MAX + 5)}\nshort\n`);
    const { text } = await read({ path: "a.txt" });
    expect(text).toContain(`${"z".repeat(LINE_CHARS_MAX)}… [line cut: 5 more characters]\n     2\tshort`);
  });

  it("keeps a line that is exactly as long as allowed, also with a carriage return", async () => {
    bench.write("a.txt", `${"z".repeat(LINE_CHARS_MAX)}\r\n`);
    expect((await read({ path: "a.txt" })).text).toBe(`     1\t${"z".repeat(LINE_CHARS_MAX)}`);
  });

  it("does not read a huge file to its end", async () => {
    bench.write("a.txt", "line\n".repeat(COUNT_BYTES_MAX / 4));
    expect((await read({ path: "a.txt", limit: 1 })).text).toBe("     1\tline\n(lines 1-1; go on with offset=2)");
  });

  it("says that a file is empty", async () => {
    bench.write("a.txt", "");
    expect(await read({ path: "a.txt" })).toEqual({ kind: "ok", text: "(a.txt is empty)" });
  });

  it("refuses binary files and names their size", async () => {
    bench.write("a.bin", Buffer.from([1, 0, 2]));
    expect((await read({ path: "a.bin" })).text).toContain("binary file of 3 bytes");
  });

  it("reads UTF-16 with a mark, and shows broken UTF-8 as what it is", async () => {
    bench.write("a.txt", Buffer.from("\ufeffgrüße\n", "utf16le"));
    expect((await read({ path: "a.txt" })).text).toBe("     1\tgrüße");
    bench.write("b.txt", Buffer.from([0x67, 0xfc, 0x0a]));
    expect((await read({ path: "b.txt" })).text).toBe(
      "     1\tg\ufffd\n(bytes that are not valid UTF-8 are shown as \ufffd)",
    );
  });

  it("suggests names close to one that does not exist", async () => {
    bench.write("src/config-loader.ts", "");
    expect(await read({ path: "src/configLoader.ts" })).toEqual({
      kind: "error",
      text: "There is no file src/configLoader.ts. Close to it: src/config-loader.ts",
    });
    expect((await read({ path: "nowhere/a.ts" })).text).toContain("Its folder nowhere cannot be listed either.");
  });

  it("lists a folder instead of reading it", async () => {
    bench.write("d/b.txt", "");
    mkdirSync(join(bench.cwd, "d/sub"));
    expect(await read({ path: "d" })).toEqual({
      kind: "error",
      text: "d is a folder, not a file. In it:\nb.txt\nsub/",
    });
  });

  it("does not wait for a pipe", async () => {
    execFileSync("mkfifo", [join(bench.cwd, "pipe")]);
    expect((await read({ path: "pipe" })).text).toContain("pipe");
  });

  it("does not redact: what a patch has to quote stays as it is", async () => {
    bench.write(".env", "API_KEY=sk-abcdefghijklmnopqrstuvwxyz\n");
    expect((await read({ path: ".env" })).text).toContain("sk-abcdefghijklmnopqrstuvwxyz");
  });

  it("asks before it reads outside, and refuses the home's secrets also through a link", async () => {
    expect(await bench.judge(readFileTool, { path: "a.txt" })).toEqual({ kind: "allow" });
    expect(await bench.judge(readFileTool, { path: "/etc/hosts" })).toMatchObject({ kind: "ask" });
    symlinkSync(join(bench.home, ".env"), join(bench.cwd, "link"));
    expect(await bench.judge(readFileTool, { path: "link" })).toMatchObject({ kind: "refuse" });
    // Also when the link came after the verdict.
    expect(await read({ path: "link" })).toMatchObject({ kind: "error", text: expect.stringContaining("is not read") });
  });

  it("is interrupted by its signal", async () => {
    bench.write("a.txt", "x");
    const result = await bench.run(readFileTool, { path: "a.txt" }, { signal: AbortSignal.abort() });
    expect(result).toEqual({ kind: "error", text: "Reading a.txt was interrupted." });
  });

  it("tells a person what it does in one line", () => {
    expect(readFileTool.summary({ path: "a\nb.txt", offset: 3 })).toBe("read a b.txt from line 3");
  });
});
