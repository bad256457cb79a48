import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { finished, runCli, startCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let file: string;
beforeEach(() => {
  home = tempHome();
  mkdirSync(join(home.path, "logs"));
  file = join(home.path, "logs", "talaria.log");
});
afterEach(() => home.remove());

const run = (...args: string[]) => runCli(["logs", ...args], { home: home.path });
const line = (message: string, fields: object = {}): string =>
  `${JSON.stringify({ time: "2026-03-14T15:09:26.535Z", level: "info", message, ...fields })}\n`;

describe("talaria logs", () => {
  it("shows the last lines as a person reads them, oldest first", async () => {
    writeFileSync(
      file,
      line("one") +
        line("two", { component: "host", level: "warn" }) +
        line("three", { conversation: "7h3k", tookMs: 8, why: "a b" }),
    );
    expect((await run("-n", "2")).stdout).toBe(
      '2026-03-14 15:09:26 warn  host two\n2026-03-14 15:09:26 info three  conversation=7h3k  tookMs=8  why="a b"\n',
    );
  });

  it("goes on into rotated files", async () => {
    writeFileSync(`${file}.2`, line("a") + line("b"));
    writeFileSync(`${file}.1`, line("c"));
    writeFileSync(file, line("d"));
    expect((await run("-n", "3")).stdout.match(/[a-d]$/gm)).toEqual(["b", "c", "d"]);
  });

  it("filters by level, time and component", async () => {
    const now = new Date(systemClock.nowMs() - 60_000).toISOString();
    writeFileSync(
      file,
      line("old") + line("new", { time: now, component: "cli" }) + line("bad", { time: now, level: "error" }),
    );
    expect((await run("--level", "warn")).stdout).toMatch(/^.* bad\n$/);
    expect((await run("--since", "2h")).stdout).not.toContain("old");
    expect((await run("--since", "2h")).stdout).toContain("new");
    expect((await run("--component", "cli")).stdout).toMatch(/^.* new\n$/);
    expect(await run("--since", "soon")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--since takes a span or a date"),
    });
  });

  it("shows malformed lines as they are, without their controls", async () => {
    writeFileSync(file, `plain text\u001b[2J\n{"half":\n${line("fine")}[1,2]\n\n"x"\n`);
    expect((await run()).stdout).toBe('plain text\n{"half":\n2026-03-14 15:09:26 info fine\n[1,2]\n\n"x"\n');
  });

  it("is one JSON document with --json", async () => {
    writeFileSync(file, `oops\n${line("fine", { component: "cli", n: 1 })}`);
    expect(JSON.parse((await run("--json")).stdout)).toEqual({
      path: file,
      entries: [
        { malformed: "oops" },
        { time: "2026-03-14T15:09:26.535Z", level: "info", component: "cli", message: "fine", n: 1 },
      ],
    });
  });

  it("says where the file is, and says so when there is nothing", async () => {
    expect((await run("--path")).stdout).toBe(`${file}\n`);
    expect(await run()).toMatchObject({ code: 0, stdout: "", stderr: `The log is empty: ${file}\n` });
    writeFileSync(file, "");
    expect(await run("--level", "warn")).toMatchObject({ code: 0, stderr: `The log is empty: ${file}\n` });
    expect(JSON.parse((await run("--json")).stdout)).toEqual({ path: file, entries: [] });
  });

  it("says when there are lines and none of them matches", async () => {
    writeFileSync(`${file}.1`, line("one"));
    expect(await run("--level", "warn")).toMatchObject({ stdout: "", stderr: `No line of the log matches: ${file}\n` });
    expect(await run("-n", "0")).toMatchObject({ stdout: "", stderr: "No lines were asked for.\n" });
  });

  it.each(["-1", "abc", "100001", "1e3", ""])("refuses -n %j", async (count) => {
    expect(await run("-n", count)).toMatchObject({ code: 2, stdout: "" });
  });

  it("copes with a huge binary file", async () => {
    writeFileSync(file, Buffer.alloc(40_000_000, Buffer.from([0, 1, 2, 200, 27])));
    const { code, stdout } = await run("-n", "1");
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
  });

  it("follows through a rotation until Ctrl-C", async () => {
    writeFileSync(file, line("before"));
    const child = startCli(["logs", "--follow", "--json"], { home: home.path });
    const end = finished(child);
    const seen = async (text: string): Promise<void> =>
      new Promise((resolve) => {
        let got = "";
        child.stdout?.on("data", (piece: string) => {
          got += piece;
          if (got.includes(text)) resolve();
        });
      });
    await seen("before");
    appendFileSync(file, line("one"));
    await seen("one");
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, line("two"));
    writeFileSync(file, line("three"));
    await seen("three");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await end;
    expect([code, stderr]).toEqual([130, ""]);
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as { message: string }).message);
    expect(messages).toEqual(["before", "one", "two", "three"]);
  });
});
