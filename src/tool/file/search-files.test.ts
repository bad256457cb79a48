import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import type { Tool } from "../tool.js";
import { SEARCHED_FILE_BYTES_MAX } from "./search-engine.js";
import { createSearchFiles } from "./search-files.js";
import { findRipgrep } from "./search-ripgrep.js";

const ripgrep = await findRipgrep({ PATH: process.env["PATH"] ?? "" });

const byWalk = createSearchFiles({ findProgram: async () => undefined });
const byRipgrep = createSearchFiles({ findProgram: async () => ripgrep });

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

function layOut(): void {
  const files: Record<string, string | Uint8Array> = {
    ".gitignore": "# made\n*.log\n!keep.log\n/dist/\nsecret?.txt\ndeep/**/tmp\n",
    ".hidden": "needle in hidden\n",
    "a.ts": "const needle = 1;\n\nfunction f() {\n  return needle;\n}\n// end\n",
    "b.log": "needle in a log\n",
    "keep.log": "needle kept\n",
    "dist/out.js": "needle built\n",
    "src/dist/x.js": "needle not built\n",
    "secret1.txt": "needle ignored\n",
    "deep/one/tmp/x.txt": "needle tmp\n",
    "deep/one/.gitignore": "*.md\n",
    "deep/one/x.md": "needle md\n",
    "deep/one/y.txt": "Needle with a capital\r\nneedle with crlf\r\n",
    "node_modules/m/index.js": "needle module\n",
    ".git/config": "needle git\n",
    "bin.dat": Buffer.from("needle\0binary"),
    "late.dat": Buffer.concat([Buffer.from("needle\n".repeat(20_000)), Buffer.from([0])]),
    "broken.txt": Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0x20, 0xff, 0x0a]),
    "huge.txt": "needle\n".repeat(SEARCHED_FILE_BYTES_MAX / 7 + 1),
    "long.txt": `${"x".repeat(5_000)}needle\n`,
    "ünïcode – name.txt": "needle “quoted”\n",
    "B.txt": "needle B\n",
    "empty.txt": "",
    "no-end.txt": "no newline needle",
  };
  for (const [name, content] of Object.entries(files)) bench.write(name, content);
  symlinkSync("a.ts", join(bench.cwd, "link.ts"));
  symlinkSync(bench.cwd, join(bench.cwd, "loop"));
}

const QUESTIONS: readonly Record<string, unknown>[] = [
  { pattern: "needle" },
  { pattern: "needle", mode: "files" },
  { pattern: "needle", mode: "count" },
  { pattern: "needle", context: 2 },
  { pattern: "needle", ignore_case: true },
  { pattern: "(?i)NEEDLE", glob: "*.txt" },
  { pattern: "needle", glob: "*.log", mode: "files" },
  { pattern: "needle", glob: "!*.ts", mode: "files" },
  { pattern: "needle", glob: "src/**/*.js" },
  { pattern: "needle", glob: "*.{ts,md}" },
  { pattern: "needle", path: "deep/one" },
  { pattern: "needle$" },
  { pattern: "^needle \\w+$" },
  { pattern: "needle", limit: 3 },
  { pattern: "needle", limit: 3, context: 1 },
  { pattern: "needle", limit: 2, mode: "files" },
  { pattern: "f() {" },
  { pattern: "f(" },
  { pattern: "need(?=le)" },
  { pattern: "“\\w+”" },
  { pattern: "nothing at all like this" },
  { pattern: "-e" },
  { pattern: "--files" },
  { glob: "*.txt" },
  { glob: "nothing*" },
  {},
];

const ask = (tool: Tool, input: unknown) => bench.run(tool, input);

describe.skipIf(ripgrep === undefined)(`search_files with ripgrep (${ripgrep ?? "NOT INSTALLED: skipped"})`, () => {
  it.each(QUESTIONS)("[TC-45] answers %j as the walk does", async (question) => {
    layOut();
    const [first, second] = [await ask(byRipgrep, question), await ask(byWalk, question)];
    expect(first).toEqual(second);
  });

  it("leaves nothing of the person's own settings in", async () => {
    bench.write("a.txt", "needle\n");
    bench.write("rc", "--invert-match\n");
    const env = { ...bench.context.env, RIPGREP_CONFIG_PATH: join(bench.cwd, "rc") };
    const result = await bench.run(byRipgrep, { pattern: "needle", glob: "a.txt" }, { env });
    expect(result.text).toBe("a.txt\n1: needle");
  });

  it("is ended by its signal", async () => {
    bench.write("a.txt", "needle\n");
    const result = await bench.run(byRipgrep, { pattern: "needle" }, { signal: AbortSignal.abort() });
    expect(result.text).toContain("Interrupted");
  });
});

describe("search_files by its own walk", () => {
  it("[TC-45] shows matching lines by file, with numbers", async () => {
    bench.write("b.ts", "one\nneedle\nthree\n");
    bench.write("a.ts", "needle first\n");
    expect(await ask(byWalk, { pattern: "needle" })).toEqual({
      kind: "ok",
      text: "a.ts\n1: needle first\n\nb.ts\n2: needle",
      body: { files: 2, matches: 2 },
    });
  });

  it("shows context and marks gaps", async () => {
    bench.write("a.ts", "1\nneedle\n3\n4\n5\n6\nneedle\n");
    expect((await ask(byWalk, { pattern: "needle", context: 1 })).text).toBe(
      "a.ts\n1- 1\n2: needle\n3- 3\n--\n6- 6\n7: needle",
    );
  });

  it("leaves out what nobody means", async () => {
    layOut();
    const { text } = await ask(byWalk, { pattern: "needle", mode: "files" });
    expect(text.split("\n")).toEqual([
      ".hidden",
      "B.txt",
      "a.ts",
      "broken.txt",
      "deep/one/y.txt",
      "keep.log",
      "long.txt",
      "no-end.txt",
      "src/dist/x.js",
      "ünïcode – name.txt",
    ]);
  });

  it("counts, and finds files by name", async () => {
    layOut();
    expect((await ask(byWalk, { pattern: "needle", mode: "count", glob: "*.ts" })).text).toBe("a.ts: 2");
    expect((await ask(byWalk, { glob: "{a,b}*.t*" })).text).toBe("a.ts\nbroken.txt");
  });

  it("searches one file when it is given one", async () => {
    layOut();
    expect((await ask(byWalk, { pattern: "needle", path: "a.ts" })).text).toBe(
      "a.ts\n1: const needle = 1;\n4:   return needle;",
    );
    expect(await ask(byWalk, { pattern: "needle", path: "bin.dat" })).toMatchObject({ kind: "error" });
  });

  it("says that there is more, and shows no more than its limit", async () => {
    bench.write("a.ts", "needle\n".repeat(10));
    expect((await ask(byWalk, { pattern: "needle", limit: 10 })).text).not.toContain("There is more");
    const { text, body } = await ask(byWalk, { pattern: "needle", limit: 9 });
    expect(text).toContain("There is more");
    expect(body).toEqual({ files: 1, matches: 9 });
  });

  it("bounds what it answers", async () => {
    for (let at = 0; at < 300; at++) bench.write(`f${at}.txt`, `needle ${"x".repeat(350)}\n`);
    const { text } = await ask(byWalk, { pattern: "needle", limit: 1_000 });
    expect(text.length).toBeLessThan(51_000);
    expect(text).toMatch(/\(\d+ more files do not fit here/);
  });

  it("[TC-46] ends a pattern that would never end", async () => {
    bench.write("a.txt", `${"a".repeat(60)}!\n`);
    const result = await ask(byWalk, { pattern: "(a+)+$" });
    expect(result).toMatchObject({ kind: "error", text: expect.stringContaining("takes too long") });
  });

  it("takes what is no pattern as it is written", async () => {
    bench.write("a.txt", "call f(x\n");
    expect((await ask(byWalk, { pattern: "f(x" })).text).toBe("a.txt\n1: call f(x");
  });

  it("says what is not there", async () => {
    expect(await ask(byWalk, { pattern: "needle", path: "gone" })).toMatchObject({ kind: "error" });
    expect(await ask(byWalk, { pattern: "needle" })).toMatchObject({ kind: "ok", text: "Nothing found." });
  });

  it.each([["the walk", byWalk] as const, ...(ripgrep === undefined ? [] : [["ripgrep", byRipgrep] as const])])(
    "[TC-47] shows nothing of the home and of credentials on its way, by %s",
    async (_, tool) => {
      const home = join(bench.cwd, ".talaria");
      mkdirSync(home);
      writeFileSync(join(home, ".env"), "needle=1\n");
      writeFileSync(join(home, "notes.md"), "needle\n");
      bench.write(".aws/credentials", "needle=2\n");
      bench.write("a.txt", "needle\n");
      const { text } = await bench.run(tool, { pattern: "needle" }, { home });
      expect(text).toBe("a.txt\n1: needle\n(Matches in 1 guarded files are not shown; read_file asks for each.)");
    },
  );

  it("asks before it searches outside, and names what it finds there in full", async () => {
    const outside = join(bench.home, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "needle\n");
    expect(await bench.judge(byWalk, { pattern: "needle", path: "../outside" })).toMatchObject({ kind: "ask" });
    expect((await ask(byWalk, { pattern: "needle", path: "../outside" })).text).toBe(
      `${join(bench.cwd, "..", "outside", "a.txt")}\n1: needle`,
    );
  });
});
