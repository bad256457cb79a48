import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { completePath, PATHS_MAX } from "./complete-path.js";
import { findFiles, scoreOf } from "./reference/find-files.js";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "talaria-paths-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 20 }));

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), "");
  }
}

const texts = async (word: string): Promise<string[]> =>
  (await completePath(word, { cwd, clock: systemClock })).map(({ text }) => text);

describe("completion of a path", () => {
  it("lists a folder as far as it was typed, folders first, hidden ones when asked for", async () => {
    write("src/main.ts", "src/match.ts", "src/util/a.ts", "readme.md", ".env");
    expect(await texts("")).toEqual(["src/", "readme.md"]);
    expect(await texts("src/ma")).toEqual(["src/main.ts", "src/match.ts"]);
    expect(await texts("src/")).toEqual(["src/util/", "src/main.ts", "src/match.ts"]);
    expect(await texts(".")).toEqual([".env"]);
    expect(await texts("./src/m")).toEqual(["./src/main.ts", "./src/match.ts"]);
    expect(await texts(`${cwd}/re`)).toEqual([`${cwd}/readme.md`]);
    expect(await texts("nowhere/x")).toEqual([]);
    expect(await texts("readme.md/")).toEqual([]);
  });

  it("lists the kinds of references after @", async () => {
    expect(await texts("@")).toEqual(["@file:", "@folder:", "@diff", "@staged", "@git:", "@url:"]);
    expect(await texts("@f")).toEqual(["@file:", "@folder:"]);
    expect(await texts("@git:")).toEqual(["@git:"]);
  });

  it("finds files by a part of their name, the best first", async () => {
    write(
      "src/server/main.ts",
      "main.ts",
      "src/domain.ts",
      "docs/remains.md",
      "node_modules/x/main.ts",
      ".git/main.ts",
    );
    expect(await texts("@main.ts")).toEqual(["@file:main.ts", "@file:src/server/main.ts", "@file:src/domain.ts"]);
    expect(await texts("@ssm")).toContain("@file:src/server/main.ts");
    expect(await texts("@file:dom")).toEqual(["@file:src/domain.ts"]);
    expect(await texts("@zzz")).toEqual([]);
  });

  it("goes on as the kind that it is, and quotes what has a space", async () => {
    write("src/a b.ts", "src/deep/c.ts");
    expect(await texts("@src/")).toEqual(["@folder:src/deep/", '@file:"src/a b.ts"']);
    expect(await texts("@folder:s")).toEqual(["@folder:src/"]);
    expect(await texts("@a b")).toEqual(['@file:"src/a b.ts"']);
  });

  it("follows no links and comes to an end in a loop of them", async () => {
    write("a/file.ts");
    symlinkSync("..", join(cwd, "a", "loop"));
    symlinkSync("/", join(cwd, "everything"));
    expect(await texts("@file.ts")).toEqual(["@file:a/file.ts"]);
  });

  it("is bounded, however many files there are", async () => {
    write(...Array.from({ length: 60 }, (_, at) => `many/file${at}.ts`));
    expect(await texts("@file")).toHaveLength(PATHS_MAX);
    expect(await texts("many/")).toHaveLength(PATHS_MAX);
    const aborted = AbortSignal.abort();
    expect(await findFiles(cwd, { name: "file", limit: 5, signal: aborted })).toEqual([]);
  });

  it("never fails, whatever is typed", async () => {
    write("a.ts");
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string().map((text) => `@${text}`),
        ),
        async (word) => {
          expect((await completePath(word, { cwd, clock: systemClock })).length).toBeLessThanOrEqual(PATHS_MAX);
        },
      ),
      { numRuns: 100 },
    );
    for (const word of [
      "x".repeat(100_000),
      "a/".repeat(400),
      "\0",
      "@\0",
      "@file:\0",
      "~nobody/x",
      "/proc/self/mem/",
    ]) {
      await completePath(word, { cwd, clock: systemClock });
    }
    expect(await completePath("a", { cwd: undefined, clock: systemClock })).toEqual([]);
    expect(await completePath("a", { cwd: join(cwd, "gone"), clock: systemClock })).toEqual([]);
  });
});

describe("a score", () => {
  it.each([
    ["src/main.ts", "main.ts", 0],
    ["src/main.ts", "main", 1],
    ["src/my-main.ts", "main", 2],
    ["src/domain.ts", "main", 3],
    ["src/m-a-i-n.ts", "main", 4],
    ["main/src/x.ts", "msx", 5],
    ["src/other.ts", "main", undefined],
  ])("of %s for %s is %s", (path, wanted, score) => expect(scoreOf(path, wanted)).toBe(score));
});
