import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { conversation, DAY_MS, fillHome, type HomeSpec, messages } from "./support/homes.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let shared: TempHome | undefined;
beforeEach(() => {
  home = shared ?? tempHome();
});
afterEach(() => {
  if (home !== shared) home.remove();
});

/** One home for the tests of a block that leave it as they found it. */
function shareHome(spec: HomeSpec): void {
  beforeAll(async () => {
    shared = tempHome();
    await fillHome(shared.path, spec);
  });
  afterAll(() => {
    shared?.remove();
    shared = undefined;
  });
}

const run = (...args: string[]) => runCli(args, { home: home.path });
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await run(...args, "--json");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout);
};
const now = Date.now();

describe("sessions list", () => {
  it("helps in an empty home, and makes nothing there", async () => {
    const { code, stdout } = await run("sessions", "list");
    expect(code).toBe(0);
    expect(stdout).toContain(`No sessions yet in ${home.path}.`);
    expect(stdout).toContain("`talaria chat` begins one");
    expect(stdout).toContain("talaria import hermes");
    expect(await json("sessions", "list")).toEqual({ sessions: [], next: null });
  });

  it("does not take a home that cannot be read for an empty one", async () => {
    const file = join(home.path, "file");
    writeFileSync(file, "");
    const { code, stdout, stderr } = await runCli(["sessions", "list"], { home: file });
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toContain(`${file} cannot be read: it is not a folder`);
  });

  it("takes an empty text for no session's name", async () => {
    expect(await run("sessions", "show", " ")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("an empty text names no session"),
    });
  });

  it("shows the most recently used first, within 80 columns whatever the titles hold", async () => {
    await fillHome(home.path, {
      conversations: [
        conversation("aaaaaaaaaaaaaaaa", { activeMs: now - 3 * DAY_MS, title: "日本語".repeat(20) }),
        conversation("bbbbbbbbbbbbbbbb", { activeMs: now - DAY_MS, title: "👩‍🚀🏳️‍🌈".repeat(9) }),
        conversation("cccccccccccccccc", { activeMs: now - 2 * DAY_MS, title: "a\u202eb and \u001b[31mc" }),
      ],
    });
    const { stdout } = await run("sessions", "list");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.slice(0, 8))).toEqual(["ID      ", "bbbbbbbb", "cccccccc", "aaaaaaaa"]);
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it("goes on where an earlier list ended, without repeating or leaving out one", async () => {
    const ids = ["aaaa1111aaaa1111", "bbbb2222bbbb2222", "cccc3333cccc3333", "dddd4444dddd4444", "eeee5555eeee5555"];
    // Two of one moment: only the id tells them apart.
    const at = [0, 1, 1, 2, 3].map((days) => now - days * DAY_MS);
    await fillHome(home.path, { conversations: ids.map((id, i) => conversation(id, { activeMs: at[i] ?? now })) });
    const seen: string[] = [];
    let after: string[] = [];
    for (let page = 0; page < 5; page++) {
      const { sessions, next } = await json("sessions", "list", "-n", "2", ...after);
      seen.push(...sessions.map(({ id }: { id: string }) => id));
      if (next === null) break;
      after = ["--after", next];
    }
    expect(seen.sort()).toEqual(ids);
    expect(await run("sessions", "list", "--after", "nonsense")).toMatchObject({ code: 2 });
    expect(await run("sessions", "list", "-n", "0")).toMatchObject({ code: 2 });
  });

  it("filters by source and leaves out what is archived unless asked", async () => {
    await fillHome(home.path, {
      conversations: [
        conversation("aaaa1111aaaa1111", { activeMs: now, source: "telegram" }),
        conversation("bbbb2222bbbb2222", { activeMs: now, isArchived: true }),
      ],
    });
    const ids = async (...args: string[]) =>
      (await json("sessions", "list", ...args)).sessions.map(({ id }: { id: string }) => id).sort();
    expect(await ids()).toEqual(["aaaa1111aaaa1111"]);
    expect(await ids("--all")).toEqual(["aaaa1111aaaa1111", "bbbb2222bbbb2222"]);
    expect(await ids("--source", "telegram")).toEqual(["aaaa1111aaaa1111"]);
    const { stdout } = await run("sessions", "list", "--source", "discord");
    expect(stdout).toContain("telegram");
  });

  it("shows ids that lead back to their session, also when many begin alike", async () => {
    const ids = ["20260314_150926_aaaaaa", "20260314_150926_bbbbbb", "20260314_160000_cccccc"];
    await fillHome(home.path, { conversations: ids.map((id) => conversation(id, { activeMs: now })) });
    const { stdout } = await run("sessions", "list");
    const shown = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(" ")[0] ?? "");
    const found = await Promise.all(shown.map(async (short) => (await json("sessions", "show", short)).session.id));
    expect(found.sort()).toEqual(ids);
  });
});

describe("sessions show", () => {
  const talk = conversation("7h3kq2vd9w4xmpab", {
    activeMs: now,
    title: "my project",
    messages: messages(
      now,
      ["user", "look \u001b[2Jhere ".repeat(12)],
      ["assistant", "", { body: { toolCalls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' }] } }],
      [
        "tool",
        Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n"),
        { body: { toolCallId: "c1", toolName: "read_file" } },
      ],
      ["assistant", "cut in the mid", { body: { interrupted: true } }],
      ["user", "taken back", { isSuperseded: true }],
      ["user", "日本語の長い文章".repeat(12)],
    ),
  });

  it("shows the card and the messages by id, prefix, session id or title", async () => {
    await fillHome(home.path, { conversations: [talk] });
    const byId = await run("sessions", "show", "7h3kq2vd9w4xmpab");
    expect(byId.stdout).toContain("my project");
    expect(byId.stdout).toContain("cost      nothing used yet");
    for (const name of [["7h3k"], ["7h3kq2vd9w4xmpab-s"], ["my project"], ["my", "project"]]) {
      expect((await run("sessions", "show", ...name)).stdout).toBe(byId.stdout);
    }
  });

  it("is readable at 80 columns: wrapped, marked, tools in short, nothing that moves the cursor", async () => {
    await fillHome(home.path, { conversations: [talk] });
    const { stdout } = await run("sessions", "show", "7h3k");
    for (const line of stdout.split("\n")) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/▸ read_file \{"path":"a.txt"\}/);
    expect(stdout).toContain("line 3\n  … 26 more lines; --raw shows all");
    expect(stdout).toMatch(/#4 {2}\[interrupted\]/);
    expect(stdout).not.toContain("taken back");
    expect((await run("sessions", "show", "7h3k", "--with-superseded")).stdout).toMatch(
      /\[undone\] ─*\n {2}taken back/,
    );
    expect((await run("sessions", "show", "7h3k", "--raw")).stdout).toContain("line 29");
  });

  it("[MD-19] shows no secret of texts, calls and results, except raw and to programs", async () => {
    const key = (letter: string) => `sk-${letter.repeat(24)}`;
    const said = messages(
      now,
      ["user", `my key is ${key("u")}`],
      [
        "assistant",
        `I use ${key("a")}`,
        {
          body: {
            toolCalls: [
              { id: "c1", name: "terminal", arguments: `{"command":"curl -H 'Authorization: Bearer ${key("c")}' x"}` },
            ],
          },
        },
      ],
      ["tool", `one\nAPI_KEY=${key("r")}\nrest`, { body: { toolCallId: "c1", toolName: "terminal" } }],
    );
    await fillHome(home.path, { conversations: [conversation("7h3kq2vd9w4xmpab", { activeMs: now, messages: said })] });
    const { stdout } = await run("sessions", "show", "7h3k");
    expect(stdout).toContain("my key is [redacted]");
    expect(stdout).toContain("I use [redacted]");
    expect(stdout).toContain("API_KEY=[redacted]");
    expect(stdout).not.toMatch(/sk-|[uacr]{10}/);
    for (const flag of ["--raw", "--json"]) {
      const whole = (await run("sessions", "show", "7h3k", flag)).stdout;
      for (const letter of "uacr") expect(whole, flag).toContain(key(letter));
    }
  });

  it("is bounded, says so, and shows everything when asked", async () => {
    const said = Array.from({ length: 450 }, (_, n) => ["user", `message ${n}`] as const);
    await fillHome(home.path, {
      conversations: [conversation("7h3kq2vd9w4xmpab", { activeMs: now, messages: messages(now, ...said) })],
    });
    const short = await run("sessions", "show", "7h3k");
    expect(short.stdout.match(/^ {2}message \d+$/gm)).toHaveLength(20);
    expect(short.stdout).toContain("message 449");
    expect(short.stderr).toContain("--all everything");
    const all = await run("sessions", "show", "7h3k", "--all");
    expect(all.stdout.match(/^ {2}message \d+$/gm)).toHaveLength(450);
    const document = await json("sessions", "show", "7h3k", "--all");
    expect(document.messages.map(({ seq }: { seq: number }) => seq)).toEqual(said.map((_, at) => at + 1));
  });

  it("shows one part of a compacted conversation", async () => {
    const first = conversation("7h3kq2vd9w4xmpab", { activeMs: now, title: "work" });
    await fillHome(home.path, {
      conversations: [
        {
          ...first,
          first: {
            ...first.first,
            openings: [{ platform: "cli", openedMs: now - 1000, closedMs: now - 500, reason: "compression" }],
          },
          continuations: [
            {
              id: "second-part",
              continues: first.first.id,
              createdMs: now - 500,
              title: "work #2",
              openings: [],
              messages: messages(now, ["user", "after the compaction"]),
            },
          ],
        },
      ],
    });
    const { session, messages: said } = await json("sessions", "show", "work", "--session", "second");
    expect(session.sessions.map(({ title }: { title: string }) => title)).toEqual(["work", "work #2"]);
    expect(said.map(({ text }: { text: string }) => text)).toEqual(["after the compaction"]);
    expect((await run("sessions", "show", "work")).stdout).toMatch(/session +second-part \(the last of 2\)/);
    expect(await run("sessions", "show", "work", "--session", "third")).toMatchObject({ code: 3 });
  });
});

describe("a session that is not found", () => {
  shareHome({
    conversations: [
      conversation("abcd1111abcd1111", { activeMs: now, title: "holiday plans" }),
      conversation("abcd2222abcd2222", { activeMs: now }),
      conversation("ffff3333ffff3333", { activeMs: now }),
    ],
    deleted: ["ffff3333ffff3333"],
  });

  it.each([
    ["a slip in a title", "holyday plans", /did you mean "holiday plans" \(abcd1111abcd1111\)\?/],
    ["part of a title", "plans", /did you mean "holiday plans"/],
    ["something else", "zzzz", /talaria sessions list shows them/],
    ["a prefix of two", "abcd", /abcd could be either of these\n.*abcd1111.*\n.*abcd2222/],
    ["a deleted one", "ffff3333ffff3333", /was deleted on \d{4}-\d\d-\d\d/],
  ])("by %s ends with 3 and says what there is", async (_, name, expected) => {
    const { code, stderr, stdout } = await run("sessions", "show", name);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(expected);
    expect((await run("sessions", "rename", name, "x")).code).toBe(3);
    expect((await run("sessions", "delete", name, "--yes")).code).toBe(3);
  });
});

describe("sessions rename, archive", () => {
  shareHome({
    conversations: [
      conversation("aaaa1111aaaa1111", { activeMs: now, title: "first" }),
      conversation("bbbb2222bbbb2222", { activeMs: now }),
    ],
  });

  it("sets and clears a title", async () => {
    expect(await run("sessions", "rename", "bbbb", "my", "project")).toMatchObject({ code: 0 });
    expect((await json("sessions", "show", "my project")).session.id).toBe("bbbb2222bbbb2222");
    expect(await json("sessions", "rename", "my project", "--clear")).toEqual({
      id: "bbbb2222bbbb2222",
      title: null,
      before: "my project",
    });
    expect((await json("sessions", "show", "bbbb")).session.title).toBeNull();
  });

  it("[LS-7] refuses a title that is taken, and names who has it", async () => {
    const { code, stderr } = await run("sessions", "rename", "bbbb", "first");
    expect(code).toBe(1);
    expect(stderr).toContain('belongs to "first" (aaaa1111aaaa1111)');
    expect((await json("sessions", "show", "bbbb")).session.title).toBeNull();
  });

  it.each([
    ["too long", ["x".repeat(101)]],
    ["invisible", ["\u200b\u202e"]],
    ["missing", []],
  ])("refuses a title that is %s", async (_, title) =>
    expect(await run("sessions", "rename", "bbbb", ...title)).toMatchObject({ code: 2 }),
  );

  it("takes a session out of the list and back", async () => {
    const listed = async () => (await json("sessions", "list")).sessions.length;
    expect(await run("sessions", "archive", "first")).toMatchObject({ code: 0 });
    expect(await listed()).toBe(1);
    expect(await run("sessions", "unarchive", "first")).toMatchObject({ code: 0 });
    expect(await listed()).toBe(2);
  });
});

describe("sessions delete", () => {
  const key = "agent:main:telegram:dm:42";
  beforeEach(() =>
    fillHome(home.path, {
      conversations: [
        conversation("aaaa1111aaaa1111", { activeMs: now, title: "first" }),
        conversation("bbbb2222bbbb2222", { activeMs: now, title: "second" }),
        conversation("cccc3333cccc3333", { activeMs: now, title: "busy" }),
      ],
      routes: [
        {
          key,
          session: "aaaa1111aaaa1111-s",
          platform: "telegram",
          chatType: "dm",
          createdMs: now,
          usedMs: now,
        },
      ],
      busy: ["cccc3333cccc3333"],
    }),
  );

  it("[ST-14] shows what goes, hides it at once and erases its bytes", async () => {
    const plan = await run("sessions", "delete", "first", "second", "first", "--dry-run");
    expect(plan.stdout).toContain("Would delete 2 sessions with 4 messages");
    expect(plan.stdout).toContain("1 chat will begin a new session");
    expect((await json("sessions", "stats")).conversations).toBe(3);

    const { code, stdout } = await run("sessions", "delete", "first", "second", "--yes");
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 0, last: "Deleted 2 sessions." });
    const stats = await json("sessions", "stats");
    expect(stats).toMatchObject({ conversations: 1, messages: 3, routes: 0, open: { jobs: 0 } });
    expect((await run("sessions", "show", "aaaa1111aaaa1111")).code).toBe(3);
  });

  it("deletes nothing when one of the names is wrong, or nobody can be asked", async () => {
    expect(await run("sessions", "delete", "first", "nonsense", "--yes")).toMatchObject({ code: 3 });
    expect(await run("sessions", "delete", "first")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect((await json("sessions", "stats")).conversations).toBe(3);
  });

  it("refuses one in which a turn is running", async () => {
    const { code, stderr } = await run("sessions", "delete", "busy", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain('a turn is running in "busy"');
    expect((await json("sessions", "show", "busy")).session.liveTurn.phase).toBe("running");
  });
});

describe("sessions prune", () => {
  const old = now - 100 * DAY_MS;
  beforeEach(() =>
    fillHome(home.path, {
      conversations: [
        conversation("aaaa1111aaaa1111", { activeMs: old, title: "idle" }),
        // Begun long ago and used yesterday: age is the time since the last use.
        conversation("bbbb2222bbbb2222", { activeMs: now - DAY_MS, createdMs: now - 400 * DAY_MS, title: "in use" }),
        conversation("cccc3333cccc3333", { activeMs: old, title: "archived", isArchived: true }),
        conversation("dddd4444dddd4444", { activeMs: old, title: "routed" }),
        conversation("eeee5555eeee5555", { activeMs: old, title: "from cron", source: "cron" }),
      ],
      routes: [
        {
          key: "agent:main:telegram:dm:42",
          session: "dddd4444dddd4444-s",
          platform: "telegram",
          chatType: "dm",
          createdMs: old,
          usedMs: old,
        },
      ],
    }),
  );
  const left = async () =>
    (await json("sessions", "list", "--all")).sessions.map(({ title }: { title: string }) => title).sort();

  it("deletes by last use, and spares what is archived or routed", async () => {
    const plan = await run("sessions", "prune", "--older-than", "90d", "--dry-run");
    expect(plan.stdout).toContain("2 sessions with 4 messages");
    expect(plan.stdout).toContain("Not counted: 1 session a chat leads to");
    expect(await left()).toHaveLength(5);
    expect(await run("sessions", "prune", "--older-than", "90d")).toMatchObject({ code: 2 });
    expect(await json("sessions", "prune", "--older-than", "90d", "--yes")).toMatchObject({
      matching: 2,
      deleted: 2,
      erased: true,
      spared: { routed: 1 },
    });
    expect(await left()).toEqual(["archived", "in use", "routed"]);
  });

  it("takes one source only, and routed ones when told to", async () => {
    await json("sessions", "prune", "--older-than", "90d", "--source", "cron", "--yes");
    expect(await left()).toEqual(["archived", "idle", "in use", "routed"]);
    await json("sessions", "prune", "--older-than", "90d", "--include-routed", "--yes");
    expect(await left()).toEqual(["archived", "in use"]);
  });
});

describe("the age of what is pruned", () => {
  it.each(["90", "10m", "soon", "-5d"])("is refused when it is %s", async (age) =>
    expect(await run("sessions", "prune", `--older-than=${age}`, "--yes")).toMatchObject({ code: 2 }),
  );
});

describe("completion of a session", () => {
  it("offers ids and titles that begin with what is typed, a bounded number, and nothing without a store", async () => {
    expect(await run("__complete", "session", "")).toMatchObject({ code: 0, stdout: "" });
    await fillHome(home.path, {
      conversations: [
        conversation("aaaa1111aaaa1111", { activeMs: now, title: "my project" }),
        ...Array.from({ length: 110 }, (_, n) =>
          conversation(`b${String(n).padStart(3, "0")}2222bbbb2222`, { activeMs: now - n * 1000 }),
        ),
      ],
    });
    expect((await run("__complete", "session", "aa")).stdout).toBe("aaaa1111aaaa1111\tmy project\n");
    expect((await run("__complete", "session", "my")).stdout).toBe("my project\taaaa1111aaaa1111\n");
    expect((await run("__complete", "session", "")).stdout.trimEnd().split("\n")).toHaveLength(100);
  });
});
