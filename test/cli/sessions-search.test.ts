import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { conversation, DAY_MS, fillHome, messages } from "./support/homes.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let shared: TempHome;
beforeAll(async () => {
  shared = tempHome();
  await fillHome(shared.path, spec);
});
afterAll(() => shared.remove());
beforeEach(() => {
  home = shared;
});
afterEach(() => {
  if (home !== shared) home.remove();
});
const run = (...args: string[]) => runCli(args, { home: home.path });
const ids = async (...args: string[]) => {
  const { stdout, code } = await run("sessions", "search", ...args, "--json");
  expect(code).toBe(0);
  return (JSON.parse(stdout).hits as { conversation: string }[]).map((hit) => hit.conversation.slice(0, 4));
};
const now = Date.now();
const spec = {
  conversations: [
    conversation("aaaa1111aaaa1111", {
      activeMs: now,
      title: "wine",
      messages: messages(
        now - 1000,
        ["user", "which red wine?"],
        ["assistant", "a red wine from \u001b[31mPortugal"],
        ["user", "thanks"],
      ),
    }),
    conversation("bbbb2222bbbb2222", {
      activeMs: now - 10 * DAY_MS,
      source: "telegram",
      messages: messages(now - 10 * DAY_MS, ["user", "東京の天気は？ wine"], ["assistant", "晴れです"]),
    }),
  ],
};

describe("sessions search", () => {
  it("finds each conversation once, marks the match, shows what stands around it, within 80 columns", async () => {
    const { code, stdout, stderr } = await run("sessions", "search", "red", "wine");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^aaaa1111 {2}wine {2}cli, just now, #\d, 1\+ more$/m);
    expect(stdout).toMatch(/ {2}(you {2}|agent) {2}.*«red»\s«wine»/);
    expect(stdout.match(/^aaaa1111/gm)).toHaveLength(1);
    expect(stdout).not.toContain("\u001b");
    for (const line of stdout.split("\n")) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    // Nothing has fed the index yet: said, and found all the same.
    expect(stderr).toContain("5 messages not indexed yet");
    for (const line of stderr.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    await run("doctor");
    expect((await run("sessions", "search", "red", "wine")).stderr).toBe("");
  });

  it("[MD-19] shows no secret of what was found or stands around it, except to programs", async () => {
    const key = (letter: string) => `sk-${letter.repeat(24)}`;
    const said = messages(now, ["user", `before ${key("b")}`], ["assistant", `the vault has ${key("v")} in it`]);
    home = tempHome();
    await fillHome(home.path, { conversations: [conversation("cccc3333cccc3333", { activeMs: now, messages: said })] });
    const { stdout } = await run("sessions", "search", "vault");
    expect(stdout).toContain("the «vault» has [redacted] in it");
    expect(stdout).toContain("before [redacted]");
    expect(stdout).not.toContain("sk-");
    expect((await run("sessions", "search", "vault", "--json")).stdout).toContain(key("v"));
  });

  it("filters by source, role, time and session, and sorts", async () => {
    await run("doctor");
    expect((await ids("wine")).sort()).toEqual(["aaaa", "bbbb"]);
    expect(await ids("wine", "--source", "telegram")).toEqual(["bbbb"]);
    expect(await ids("portugal", "--role", "user")).toEqual([]);
    expect(await ids("wine", "--since", "2d")).toEqual(["aaaa"]);
    expect(await ids("wine", "--until", "2d")).toEqual(["bbbb"]);
    expect(await ids("wine", "--in", "bbbb")).toEqual(["bbbb"]);
    expect(await ids("wine", "--sort", "oldest")).toEqual(["bbbb", "aaaa"]);
    expect(await ids("wine", "--sort", "newest")).toEqual(["aaaa", "bbbb"]);
    expect(await ids("東京")).toEqual(["bbbb"]);
    expect(await ids("wine", "-n", "1")).toHaveLength(1);
  });

  it.each(['"unfinished', "((", "OR OR", "*", "--", "~", "\u0000", "a".repeat(5_000)])(
    "never fails on odd text: %j",
    async (text) => {
      expect(await run("sessions", "search", "--", text.replaceAll("\u0000", "\u2400"))).toMatchObject({ code: 0 });
    },
  );

  it("says when a session or a time is wrong", async () => {
    expect(await run("sessions", "search", "wine", "--in", "nonsense")).toMatchObject({ code: 3 });
    expect(await run("sessions", "search", "wine", "--since", "yesterday")).toMatchObject({ code: 2 });
    expect((await run("sessions", "search", "nothing-like-it")).stdout).toBe("Nothing found.\n");
    expect((await run("sessions", "search", "wine", "-n", "101")).stderr).toContain("expected 1 to 100\n");
    expect(await run("sessions", "search", " ")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("say what to look for"),
    });
  });
});
