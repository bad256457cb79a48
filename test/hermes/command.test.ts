import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCli, startCli, type TempHome, tempHome } from "../cli/support/run.js";
import { type HermesHome, hermesHome, routeEntry } from "../support/hermes/home.js";
import { yearsOfHistory } from "../support/hermes/years.js";
import { sampleCount } from "../support/sample.js";

/** Kills of one import, spread over the time it takes. */
const ROUNDS = sampleCount(12, 2);
const KILLS_SPREAD_MS = 720;

const homes: { remove(): void }[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function kept<T extends { remove(): void }>(home: T): T {
  homes.push(home);
  return home;
}

function small(fill: (home: HermesHome) => void = () => undefined): HermesHome {
  const home = kept(hermesHome());
  home.session({ id: "20260601_100000_aaaaaa", title: "my project" });
  home.message({ session_id: "20260601_100000_aaaaaa", content: "hello" });
  fill(home);
  home.close();
  return home;
}

async function exported(home: TempHome): Promise<string> {
  const { stdout, code } = await runCli(["sessions", "export", "--all"], { home: home.path });
  expect(code).toBe(0);
  return stdout;
}

describe("talaria import hermes", () => {
  it("[IM-3] tells what came in, and what was odd, in 80 columns", async () => {
    const source = small((it) => it.message({ session_id: "gone", role: "wizard", content: "?" }));
    const home = kept(tempHome());
    const run = await runCli(["import", "hermes", source.dir], { home: home.path });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/IMPORTED +FOUND +NEW +KNOWN +LEFT OUT\nsessions +1 +1 +0 +0\nmessages +2 +2 +0 +0/);
    expect(run.stdout).toContain("1 × messages with an unknown role; kept as notes");
    for (const line of run.stdout.split("\n"))
      if (!line.includes(home.path)) expect(line.length).toBeLessThanOrEqual(80);
    const file = /full list is in (\S+)/.exec(run.stdout)?.[1] ?? "";
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain('{"kind":"unknown-role","subject":"gone","detail":"message 2"}');
    const shown = await runCli(["sessions", "show", "my project"], { home: home.path });
    expect(shown.stdout).toContain("hello");
    const found = await runCli(["sessions", "search", "hello"], { home: home.path });
    expect(found.stdout).toContain("my project");
  });

  it("[IM-3] says the same for programs, and from HERMES_HOME", async () => {
    const source = small();
    const home = kept(tempHome());
    const run = await runCli(["import", "hermes", "--json"], { home: home.path, env: { HERMES_HOME: source.dir } });
    expect(JSON.parse(run.stdout)).toMatchObject({
      dir: source.dir,
      sessions: { added: 1 },
      messages: { added: 1 },
      odd: [],
    });
  });

  it("[IM-3] writes nothing in a dry run, not even a home", async () => {
    const source = small();
    const home = kept(tempHome());
    const inside = join(home.path, "new");
    const run = await runCli(["--home", inside, "import", "hermes", source.dir, "--dry-run"], { home: home.path });
    expect(run.stdout).toContain("WOULD IMPORT");
    expect(existsSync(inside)).toBe(false);
  });

  it("[RI-18] ends with 1 and the place of the damage when the routing index is damaged, with the sessions in", async () => {
    const source = small((it) => it.routes('{\n  "a": oops\n}'));
    const home = kept(tempHome());
    const run = await runCli(["import", "hermes", source.dir], { home: home.path });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/sessions.json is not JSON at line 2, column 8; it was left untouched/);
    expect(await exported(home)).toContain("hello");
    writeFileSync(
      join(source.dir, "sessions", "sessions.json"),
      JSON.stringify({ a: routeEntry("a", "20260601_100000_aaaaaa") }),
    );
    const again = await runCli(["import", "hermes", source.dir, "--json"], { home: home.path });
    expect(JSON.parse(again.stdout)).toMatchObject({ messages: { added: 0 }, routes: { added: 1 } });
    expect(readFileSync(join(home.path, "sessions.json"), "utf8")).toContain('"a"');
  });

  it("[IM-1] refuses clearly what is no home of hermes-agent", async () => {
    const home = kept(tempHome());
    const missing = await runCli(["import", "hermes", "/nowhere/at/all"], { home: home.path });
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining("/nowhere/at/all does not exist")]);
    writeFileSync(join(home.path, "state.db"), "x".repeat(5000));
    const other = kept(tempHome());
    const foreign = await runCli(["import", "hermes", home.path], { home: other.path });
    expect([foreign.code, foreign.stderr]).toEqual([5, expect.stringContaining("is not a database")]);
  });

  it("[IM-2] killed at any time and run again, it comes to the same as one run", async () => {
    const source = kept(yearsOfHistory(600, 12));
    const whole = kept(tempHome());
    expect((await runCli(["import", "hermes", source.dir], { home: whole.path })).code).toBe(0);
    const expected = await exported(whole);
    const cut = kept(tempHome());
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const child = startCli(["import", "hermes", source.dir], { home: cut.path });
      const timer = setTimeout(
        () => child.kill("SIGKILL"),
        150 + (round * KILLS_SPREAD_MS) / ROUNDS + Math.random() * 60,
      );
      const signal = await new Promise((resolve) => child.once("close", (_, by) => resolve(by)));
      clearTimeout(timer);
      if (signal === "SIGKILL") kills++;
    }
    expect(kills).toBeGreaterThan(2);
    const last = await runCli(["import", "hermes", source.dir, "--json"], { home: cut.path });
    expect(JSON.parse(last.stdout)).toMatchObject({ messages: { found: 600 * 12 + 120, left: 0 } });
    expect((await exported(cut)) === expected).toBe(true);
  }, 240_000);

  it("[IM-2] interrupted by Ctrl-C it ends with 130, keeps what came in and says so", async () => {
    const source = kept(yearsOfHistory(800, 12));
    const home = kept(tempHome());
    const child = startCli(["import", "hermes", source.dir], { home: home.path });
    let stderr = "";
    const begun = new Promise<void>((resolve) =>
      child.stderr?.on("data", (text) => {
        stderr += String(text);
        if (stderr.includes("%")) resolve();
      }),
    );
    await begun;
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(130);
    expect(stderr).toContain("talaria: interrupted\n  what came in is kept; run the command again to go on\n");
    const next = JSON.parse((await runCli(["import", "hermes", source.dir, "--json"], { home: home.path })).stdout);
    expect(next.messages.known).toBeGreaterThan(0);
    expect(next.messages.known + next.messages.added).toBe(next.messages.found);
  });
});
