import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCli, startCli, type TempHome, tempHome } from "../cli/support/run.js";
import { hermesHome } from "../support/hermes/home.js";

const homes: { remove(): void }[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function kept<T extends { remove(): void }>(home: T): T {
  homes.push(home);
  return home;
}

/** A home with three conversations. */
async function filled(): Promise<TempHome> {
  const source = kept(hermesHome());
  for (const [id, title] of [
    ["alpha-session", "Tea & cake"],
    ["bravo-session", "../../etc/passwd"],
    ["charlie-session", null],
  ] as const) {
    source.session({ id, title, source: id === "bravo-session" ? "telegram" : "cli" });
    source.message({ session_id: id, content: `hello from ${id}` });
    source.message({ session_id: id, role: "assistant", content: "token: ghp_abcdefghijklmnopqrstuvwxyz123456" });
  }
  source.close();
  const home = kept(tempHome());
  const run = await runCli(["import", "hermes", source.dir], { home: home.path });
  expect(run.code).toBe(0);
  return home;
}

describe("talaria sessions export and import", () => {
  it("[IM-5] moves everything to another home, twice without harm", async () => {
    const home = await filled();
    const file = join(home.path, "all.jsonl");
    const out = await runCli(["sessions", "export", "--all", "-o", file], { home: home.path });
    expect(out.stdout).toContain("Wrote 3 sessions with 6 messages");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = kept(tempHome());
    const dry = await runCli(["sessions", "import", file, "--dry-run"], { home: other.path });
    expect(dry.stdout).toContain("3 sessions with 6 messages; 0 already here.");
    expect(existsSync(join(other.path, "state.db"))).toBe(false);
    const first = await runCli(["sessions", "import", file], { home: other.path });
    expect(first.stdout).toContain("3 sessions added, 0 extended, 0 already here; 6 messages added.");
    const again = await runCli(["sessions", "import", file, "--json"], { home: other.path });
    expect(JSON.parse(again.stdout)).toMatchObject({ conversations: { added: 0, known: 3 }, messages: { added: 0 } });
    const back = await runCli(["sessions", "export", "--all"], { home: other.path });
    expect(back.stdout).toBe(readFileSync(file, "utf8"));
  });

  it("[IM-5] ends with 1 and the line when a part of the file is bad, and takes the rest", async () => {
    const home = await filled();
    const { stdout } = await runCli(["sessions", "export", "--all"], { home: home.path });
    const file = join(home.path, "bad.jsonl");
    writeFileSync(file, stdout.replace("hello from bravo-session", 'hello "from'));
    const other = kept(tempHome());
    const run = await runCli(["sessions", "import", file], { home: other.path });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/2 sessions added[\s\S]*line 9 \(bravo-session\): the line is not JSON/);
    expect(run.stderr).toContain("1 part of");
    const missing = await runCli(["sessions", "import", join(home.path, "nowhere")], { home: other.path });
    expect(missing.code).toBe(3);
  });

  it("[IM-6] takes secrets out with --redact", async () => {
    const home = await filled();
    const run = await runCli(["sessions", "export", "alpha", "--redact", "--format", "md"], { home: home.path });
    expect(run.stdout).toContain("hello from alpha-session");
    expect(run.stdout).not.toContain("ghp_");
  });

  it("writes one file each into a folder, under names that stay inside it", async () => {
    const home = await filled();
    const folder = join(home.path, "out/");
    const run = await runCli(["sessions", "export", "--all", "--format", "html", "-o", folder, "--json"], {
      home: home.path,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ conversations: 3, files: 3, format: "html" });
    expect(readdirSync(folder).sort()).toEqual([
      "Tea-cake-alpha-session.html",
      "charlie-session.html",
      "etc-passwd-bravo-session.html",
    ]);
  });

  it("names sessions as every command does, and filters by source", async () => {
    const home = await filled();
    const one = await runCli(["sessions", "export", "Tea & cake", "char"], { home: home.path });
    expect(one.stdout.match(/"type":"conversation"/g)).toHaveLength(2);
    const telegram = await runCli(["sessions", "export", "--all", "--source", "telegram"], { home: home.path });
    expect(telegram.stdout.match(/"type":"conversation"/g)).toHaveLength(1);
  });

  it.each([
    [[], 2, "name a session, or say --all"],
    [["alpha", "--all"], 2, "exclude each other"],
    [["alpha", "--source", "cli"], 2, "--source goes with --all"],
    [["alpha", "--json"], 2, "--json needs a file"],
    [["alpha", "--format", "pdf"], 2, "Allowed choices are jsonl, md, html"],
    [["nobody"], 3, "nobody"],
  ])("refuses %j", async (args, code, message) => {
    const home = kept(tempHome());
    const run = await runCli(["sessions", "export", ...args], { home: home.path });
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("keeps the file that was there when it is killed in between", async () => {
    const home = await filled();
    const file = join(home.path, "kept.jsonl");
    writeFileSync(file, "what was there");
    const child = startCli(["sessions", "export", "--all", "-o", file], { home: home.path });
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    expect(["what was there", (await runCli(["sessions", "export", "--all"], { home: home.path })).stdout]).toContain(
      readFileSync(file, "utf8"),
    );
  });
});
