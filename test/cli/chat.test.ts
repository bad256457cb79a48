import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sample } from "../support/sample.js";
import { type ChatHome, chatHome, conversationIn } from "./support/chat.js";
import { holdHome } from "./support/homes.js";

let home: ChatHome;
let shared: ChatHome | undefined;
beforeEach(() => {
  home = shared ?? chatHome();
});
afterEach(async () => {
  if (home !== shared) await home.remove();
});

/** One home, with its host, for the tests of a block that leave one another alone. */
function shareHome(): void {
  beforeAll(() => {
    shared = chatHome();
  });
  afterAll(async () => {
    await shared?.remove();
    shared = undefined;
  });
}

const DEMO = "[demo model, not an AI]";

describe("one message to the demo model", () => {
  shareHome();

  it("answers on stdout and nothing else there; who answered and where is on stderr", async () => {
    const { code, stdout, stderr } = await home.run(["chat", "-q", "hello"]);
    expect(code).toBe(0);
    expect(stdout.startsWith(DEMO)).toBe(true);
    expect(stdout.endsWith("\n")).toBe(true);
    expect(stderr).toMatch(/^conversation \w{16} {2}demo\/demo \(scripted demo, not an AI\)\n$/);
  });

  it("prints one object with --json", async () => {
    writeFileSync(join(home.cwd, "notes.txt"), "milk\n");
    const { code, stdout, stderr } = await home.run(["chat", "-q", "read notes.txt", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.trimEnd()).not.toContain("\n");
    const printed = JSON.parse(stdout) as { conversation: string };
    expect((await home.sessions()).map(({ id }) => id)).toContain(printed.conversation);
    expect(printed).toEqual({
      conversation: expect.stringMatching(/^\w{16}$/),
      session: expect.stringMatching(/^\w{16}$/),
      turn: expect.stringMatching(/^\w{16}$/),
      outcome: "completed",
      text: expect.stringContaining("milk"),
      model: "demo/demo",
      isDemo: true,
      steps: 2,
      spent: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), costUsd: 0 },
      isRecovered: false,
      questions: [],
    });
  });

  it("prints events as JSON lines with --stream-json, the result last", async () => {
    writeFileSync(join(home.cwd, "notes.txt"), "milk\n");
    const { code, stdout, stderr } = await home.run(["chat", "-q", "read notes.txt", "--stream-json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>);
    const result = events.at(-1);
    expect(events[0]).toMatchObject({ type: "opened", conversation: result?.["conversation"], isDemo: true });
    expect(events).toContainEqual(expect.objectContaining({ type: "call-finished", name: "read_file", outcome: "ok" }));
    const lastStep = events.findLastIndex(({ type }) => type === "call-finished");
    const text = events.slice(lastStep).flatMap(({ type, delta }) => (type === "text" ? [delta] : []));
    expect(result).toMatchObject({ type: "result", outcome: "completed", text: text.join("") });
  });

  it("shows what a tool did in one line that fits", async () => {
    writeFileSync(join(home.cwd, "notes.txt"), "milk\neggs\n");
    const { stderr } = await home.run(["chat", "-q", "read notes.txt"]);
    expect(stderr).toMatch(/^✓ \S.*notes\.txt {2}ok, 2 lines$/m);
    for (const line of stderr.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("takes the whole of stdin as the message with -q -", async () => {
    const { stderr } = await home.run(["chat", "-q", "-"], { input: "first line\n\n  second line\n" });
    const [message] = await home.messages(conversationIn(stderr));
    expect(message).toMatchObject({ role: "user", text: "first line\n\n  second line" });
  });

  it("tells a command that is never run from one that a person denied", async () => {
    const { stderr } = await home.run(["chat", "-q", "run rm -rf /", "--yolo"]);
    expect(stderr).toMatch(/^✗ \$ rm -rf \/ {2}refused: /m);
  });
});

describe("talaria chat -q with the demo model", () => {
  it("closes the opening with its reason and gives the conversation a title", async () => {
    await home.run(["chat", "-q", "hello there"]);
    expect(await home.sessions()).toMatchObject([{ messages: 2, ended: { reason: "cli_close" } }]);
    const titled = await home.sessionsWhen(([session]) => session?.title !== null);
    expect(titled).toMatchObject([{ title: expect.stringMatching(/^Demo:/) }]);
  });

  it.each([
    ["an empty message", ["-q", " "], ""],
    ["an empty stdin", ["-q", "-"], "\n"],
    ["a message without end", ["-q", "-"], "x".repeat(1_000_010)],
    ["JSON without a message", ["--json"], ""],
    ["two outputs", ["-q", "hi", "--json", "--stream-json"], ""],
    ["two conversations", ["-q", "hi", "-r", "x", "-c"], ""],
    ["two answers", ["-r", "x", "--approve", "--deny"], ""],
    ["an answer to nothing", ["--approve"], ""],
    ["an unknown way to approve", ["-r", "x", "--approve", "often"], ""],
    ["a folder that is not there", ["-q", "hi", "--cwd", "nowhere"], ""],
    ["a title for a conversation that has its own", ["-q", "hi", "-c", "--title", "x"], ""],
    ["a message id without a message", ["-c", "--message-id", "x"], ""],
    ["a retry of nothing", ["--retry"], ""],
    ["a retry and a message", ["-c", "--retry", "-q", "hi"], ""],
  ])("refuses %s with 2 and stores nothing", async (_what, args, input) => {
    const { code, stdout, stderr } = await home.run(["chat", ...args], { input });
    expect([code, stdout], stderr).toEqual([2, ""]);
    expect(existsSync(join(home.path, "state.db"))).toBe(false);
  });

  it("says how one message is said when words are given alone", async () => {
    const { code, stderr } = await home.run(["chat", "hello", "there"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('talaria chat -q "hello there"')]);
    expect(existsSync(join(home.path, "state.db"))).toBe(false);
  });

  it("tells what is wrong with the model before anything is stored", async () => {
    for (const [model, words] of [
      ["openai/gpt-x", "OPENAI_API_KEY"],
      ["nobody", "nobody"],
    ] as const) {
      const { code, stdout, stderr } = await home.run(["chat", "-q", "hi", "--model", model]);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(words)]);
    }
    expect(await home.sessions()).toEqual([]);
  });

  it("[CT-2] makes one turn of the same message id, and the second prints what became of it", async () => {
    const first = await home.run(["chat", "-q", "hello", "--message-id", "m-1"]);
    const second = await home.run(["chat", "-q", "hello", "--message-id", "m-1"]);
    expect([second.code, second.stdout]).toEqual([0, first.stdout]);
    expect(second.stderr).toContain("it was not sent again");
    expect(await home.messages(conversationIn(first.stderr))).toHaveLength(2);
    const { isDuplicate, outcome } = await home.json(["chat", "-q", "hello", "--message-id", "m-1"]);
    expect([isDuplicate, outcome]).toEqual([true, "completed"]);
  });
});

describe("a message id that comes again with another text", () => {
  it("[CT-2] is refused with 2, whatever else was said there, and stores nothing", async () => {
    const id = conversationIn((await home.run(["chat", "-q", "hello", "--message-id", "m-1"])).stderr);
    await home.run(["chat", "-r", id, "-q", "bye", "--message-id", "m-2"]);
    await home.run(["chat", "-r", id, "-q", "third"]);
    for (const text of ["other", "bye", "third"]) {
      const { code, stdout, stderr } = await home.run(["chat", "-q", text, "--message-id", "m-1"]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("m-1 was the id of another message");
    }
    expect(await home.messages(id)).toHaveLength(6);
    expect(await home.sessions()).toHaveLength(1);
    expect(await home.run(["chat", "-q", "bye", "--message-id", "m-2"])).toMatchObject({ code: 0 });
  });

  it("[CT-2] is refused too while the first is not answered yet, or was taken back", async () => {
    const say = (text: string) => ["chat", "-q", text, "--message-id", "m-1"];
    await home.cut(say("hello"), "run.before-claim");
    expect((await home.run(say("other"))).code).toBe(2);
    expect(await home.run(say("hello"))).toMatchObject({ code: 0 });
    await home.run(["chat", "-c"], { input: "/undo\n" });
    expect((await home.run(say("other"))).code).toBe(2);
  });
});

describe("a title given when a chat is opened", () => {
  it("[LS-4] is kept with the first message", async () => {
    await home.run(["chat", "-q", "hello", "--title", "my plan"]);
    expect(await home.sessions()).toMatchObject([{ title: "my plan" }]);
  });

  it("[LS-5] is dropped when it is taken, the person is told, and a title is made", async () => {
    await home.run(["chat", "-q", "hello", "--title", "my plan"]);
    const { code, stderr } = await home.run(["chat", "-q", "how are you", "--title", "my plan"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("belongs to another conversation")]);
    const titled = await home.sessionsWhen((sessions) => sessions.every(({ title }) => title !== null));
    expect(titled.map(({ title }) => title)).toEqual([expect.stringMatching(/^Demo: /), "my plan"]);
    const { notes } = await home.json(["chat", "-q", "and again", "--title", "my plan"]);
    expect(notes).toEqual([expect.stringContaining("belongs to another conversation")]);
  });
});

describe("a chat that goes on where nothing is", () => {
  it("says so when there is nothing to go on in, with 3", async () => {
    expect(await home.run(["chat", "-c", "-q", "hi"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no terminal conversation"),
    });
    expect(await home.run(["chat", "-r", "nope", "-q", "hi"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no session is called nope"),
    });
    expect(await home.sessions()).toEqual([]);
  });
});

describe("a chat that goes on", () => {
  shareHome();

  it("goes on in the newest terminal conversation with -c, or in the one of that title", async () => {
    const first = conversationIn((await home.run(["chat", "-q", "hello", "--title", "old one"])).stderr);
    const second = conversationIn((await home.run(["chat", "-q", "hello"])).stderr);
    expect(conversationIn((await home.run(["chat", "-c", "-q", "again"])).stderr)).toBe(second);
    expect(conversationIn((await home.run(["chat", "-c", "old one", "-q", "again"])).stderr)).toBe(first);
    expect((await home.messages(first)).map(({ text }) => text)).toEqual([
      "hello",
      expect.stringContaining(DEMO),
      "again",
      expect.stringContaining(DEMO),
    ]);
  });

  it("[CR-9] finds it by its id, a prefix, its session's id and its title; a deleted one is told", async () => {
    const { conversation, session } = await home.json<{ conversation: string; session: string }>([
      "chat",
      "-q",
      "hello",
      "--title",
      "my plan",
    ]);
    for (const name of [conversation, conversation.slice(0, 8), session, "my plan"]) {
      expect(await home.json(["chat", "-r", name])).toMatchObject({ conversation, outcome: "idle" });
    }
    await home.run(["sessions", "delete", conversation, "--yes"]);
    expect(await home.run(["chat", "-r", conversation, "-q", "hi"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("was deleted on"),
    });
  });

  it("says that nothing is left to do, and shows the last exchange", async () => {
    const first = await home.run(["chat", "-q", "hello"]);
    const { code, stdout, stderr } = await home.run(["chat", "-r", conversationIn(first.stderr)]);
    expect([code, stdout]).toEqual([0, first.stdout]);
    expect(stderr).toContain("Nothing is left to do here.\n> hello\n");
  });

  it("says so with -c as well when no line comes, and as JSON", async () => {
    const first = await home.run(["chat", "-q", "hello"]);
    const { code, stdout, stderr } = await home.run(["chat", "-c"]);
    expect([code, stdout]).toEqual([0, first.stdout]);
    expect(stderr).toContain("Nothing is left to do here.\n> hello\n");
    expect(await home.json(["chat", "-c"])).toMatchObject({ outcome: "idle", text: first.stdout.trimEnd() });
    const spoken = await home.run(["chat", "-c"], { input: "hello again\n" });
    expect(spoken.stderr).not.toContain("Nothing is left");
  });

  it("keeps its working directory; another is refused", async () => {
    const id = conversationIn((await home.run(["chat", "-q", "hello"])).stderr);
    expect(await home.run(["chat", "-r", id, "-q", "hi", "--cwd", "/"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(home.cwd),
    });
  });
});

describe("completion", () => {
  it.each(["-c", "-r"])("asks for conversations after %s", async (flag) => {
    const { stdout } = await home.run(["completion", "bash"]);
    expect(stdout.split("\n").find((line) => line.includes(`'chat:${flag}'`))).toContain("__complete session");
  });
});

const POINTS = ["run.before-claim", "turn.claimed", "turn.before-settle", "turn.settled"];

describe("a host that is killed under a chat", () => {
  it.each(sample([...POINTS, "server.before-answer:3", "server.before-answer:4", "server.before-answer:5"]))(
    "[CT-1] [FQ-2] at %s is started again by it, and the message is answered once",
    async (point) => {
      home.faults.plan(point);
      const { code, stdout, stderr } = await home.run(["chat", "-q", "hello"]);
      expect([code, stdout.startsWith(DEMO)], stderr).toEqual([0, true]);
      expect((await home.messages(conversationIn(stderr))).map(({ role, text }) => [role, text])).toEqual([
        ["user", "hello"],
        ["assistant", stdout.trimEnd()],
      ]);
      expect(await home.sessions()).toHaveLength(1);
    },
  );

  it.each(sample(POINTS, 1))(
    "[CT-1] [FQ-2] at %s, together with the chat, is followed by one that finishes the turn",
    async (point) => {
      const id = await home.cut(["chat", "-q", "hello"], point);
      const { code, stdout } = await home.run(["chat", "-r", id]);
      expect([code, stdout.startsWith(DEMO)]).toEqual([0, true]);
      expect((await home.messages(id)).map(({ role, text }) => [role, text])).toEqual([
        ["user", "hello"],
        ["assistant", stdout.trimEnd()],
      ]);
    },
  );

  it("is told in words when no other can be started, with what is kept", async () => {
    home.faults.plan("turn.before-settle", "dead");
    const { code, stderr } = await home.run(["chat", "-q", "hello"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("the host ended with 1 before it was ready")]);
    expect(stderr).toContain(`talaria chat -r ${conversationIn(stderr)} goes on`);
  });

  it("[CT-2] leaves a turn that the same message id finishes, too", async () => {
    const say = ["chat", "-q", "hello", "--message-id", "m-1"];
    const id = await home.cut(say, "turn.claimed");
    const again = await home.run(say);
    expect([again.code, conversationIn(again.stderr)]).toEqual([0, id]);
    expect(again.stdout.startsWith(DEMO)).toBe(true);
    expect(await home.messages(id)).toHaveLength(2);
  });

  it("leaves a turn that is finished before something new is answered, which alone goes to stdout", async () => {
    const id = await home.cut(["chat", "-q", "hello"], "turn.claimed");
    const result = await home.json<{ text: string; isRecovered: boolean }>(["chat", "-r", id, "-q", "and then"]);
    expect(result).toMatchObject({ outcome: "completed", isRecovered: false });
    expect((await home.messages(id)).map(({ role, text }) => [role, text])).toEqual([
      ["user", "hello"],
      ["assistant", expect.stringContaining(DEMO)],
      ["user", "and then"],
      ["assistant", result.text],
    ]);
  });
});

describe("the chat of lines without a terminal", () => {
  it("[LS-1] stores nothing before the first message", async () => {
    for (const [args, input] of [
      [[], ""],
      [["chat"], "\n\n"],
      [["chat", "--title", "wanted"], "/help\n/status\n/quit\n"],
    ] as const) {
      const { code, stdout } = await home.run(args, { input });
      expect([code, stdout]).toEqual([0, ""]);
    }
    expect(await home.sessions()).toEqual([]);
  });

  it("answers every line in one conversation and draws no prompt", async () => {
    const { code, stdout, stderr } = await home.run([], { input: "hello\n\nhello again" });
    expect([code, stdout.split(DEMO).length]).toEqual([0, 3]);
    expect(`${stdout}${stderr}`).not.toMatch(/^> /m);
    const id = conversationIn(stderr);
    expect((await home.messages(id)).filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
      "hello",
      "hello again",
    ]);
    expect(await home.sessions()).toMatchObject([{ id, ended: { reason: "cli_close" } }]);
  });

  it("knows slash commands, suggests near ones, and sends none of them", async () => {
    const { stderr } = await home.run([], {
      input: "/titel x\n/frobnicate\n/title my plan\nhello\n/undo\n/usr/bin is what?\n",
    });
    expect(stderr).toContain("Did you mean /title?");
    expect(stderr).toContain("/frobnicate is not a command here");
    const [session] = await home.sessions();
    expect(session?.title).toBe("my plan");
    expect((await home.messages(session?.id ?? "")).map(({ text }) => text)).toEqual([
      "/usr/bin is what?",
      expect.stringContaining(DEMO),
    ]);
  });

  it("counts what was taken back once, and says how it is shown", async () => {
    const { stderr } = await home.run([], { input: "hello\nrun date\n/undo\n/undo\n/status\n/retry\n" });
    expect(stderr).toMatch(/^messages +0$/m);
    expect(stderr).toContain("There is nothing to ask again here.");
    const { stdout } = await home.run(["sessions", "show", conversationIn(stderr)]);
    expect(stdout).toMatch(/messages +6, 6 of them undone/);
    expect(stdout).toContain("Every message was undone; --with-superseded shows them.");
  });

  it("says once what a compaction did, and counts no message twice after it", async () => {
    const long = Array.from({ length: 8 }, (_, at) => `tell me of number ${at} ${"and so on ".repeat(120)}`);
    const { stderr } = await home.run([], { input: [...long, "/compact", "/status", ""].join("\n") });
    expect(stderr).toMatch(/^Compacted: about/m);
    expect(stderr).not.toContain("made room");
    expect(stderr).toMatch(/^messages +16, in 2 sessions$/m);
  });

  it("[LS-4] begins another conversation with /new NAME and keeps the old one", async () => {
    await home.run([], { input: "hello\n/new second life\nhello again\n" });
    expect(await home.sessions()).toMatchObject([
      { title: "second life", messages: 2 },
      { messages: 2, ended: { reason: "session_reset" } },
    ]);
  });

  it("stops at a question that nobody can answer, with 6", async () => {
    const { code, stderr } = await home.run([], { input: "delete something\nhello\n" });
    expect([code, stderr]).toEqual([6, expect.stringContaining("are not sent while it waits")]);
    const messages = await home.messages(conversationIn(stderr));
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });
});

describe("a question without a terminal", () => {
  const park = async (): Promise<string> => {
    const { code, stdout, stderr } = await home.run(["chat", "-q", "delete something"]);
    expect([code, stdout]).toEqual([6, ""]);
    const id = conversationIn(stderr);
    expect(stderr).toContain(`talaria chat -r ${id} --approve once`);
    expect(stderr).toContain(`talaria chat -r ${id} --deny`);
    return id;
  };

  it("leaves the turn waiting with 6, listed, until it is answered", async () => {
    const id = await park();
    expect(await home.json(["approvals"])).toMatchObject({ waiting: [{ conversation: id }], grants: [] });
    expect(await home.run(["chat", "-r", id])).toMatchObject({ code: 6, stdout: "" });
    const { code, stdout, stderr } = await home.run(["chat", "-r", id, "--approve"]);
    expect([code, stdout.startsWith(DEMO)]).toEqual([0, true]);
    expect(stderr).toMatch(/^✗ \$ rm -r .*error: /m);
    expect(await home.run(["approvals"])).toMatchObject({
      code: 0,
      stdout: "Nothing waits for your answer.\n\nNothing is allowed beyond a single call.\n",
    });
  });

  it("tells the model what was denied, and why", async () => {
    const id = await park();
    expect(await home.run(["chat", "-r", id, "--deny", "--reply", "keep it"])).toMatchObject({ code: 0 });
    const result = (await home.messages(id)).find(({ role }) => role === "tool");
    expect(result).toMatchObject({ text: expect.stringContaining("keep it"), body: { outcome: "denied" } });
  });

  it("is not answered by words when it asks for leave, nor twice", async () => {
    const id = await park();
    expect(await home.run(["chat", "-r", id, "--reply", "yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--approve or --deny"),
    });
    expect(await home.json(["approvals"])).toMatchObject({ waiting: [{ conversation: id }] });
    await home.run(["chat", "-r", id, "--deny"]);
    expect(await home.run(["chat", "-r", id, "--approve"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Nothing waits for an answer here."),
    });
    expect((await home.messages(id)).filter(({ role }) => role === "tool")).toHaveLength(1);
  });

  it("answers only what waited when the command started: the next one waits again", async () => {
    const id = await park();
    const again = await home.run(["chat", "-r", id, "-q", "delete something", "--approve", "once"]);
    expect(again.code).toBe(6);
    expect((await home.messages(id)).filter(({ role }) => role === "tool")).toHaveLength(1);
  });

  it("is not asked again after `session`, until that is revoked", async () => {
    const id = await park();
    await home.run(["chat", "-r", id, "--approve", "session"]);
    const { grants } = await home.json<{ grants: { name: string; conversation: string }[] }>(["approvals"]);
    expect(grants).toMatchObject([{ conversation: id }]);
    expect((await home.run(["chat", "-r", id, "-q", "delete something"])).code).toBe(0);
    const name = grants[0]?.name ?? "";
    expect(await home.run(["approvals", "revoke", name])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`--conversation ${id}`),
    });
    expect((await home.run(["approvals", "revoke", name, "--conversation", id])).code).toBe(0);
    expect((await home.run(["chat", "-r", id, "-q", "delete something"])).code).toBe(6);
  });

  it("keeps what is said meanwhile and answers it afterwards", async () => {
    const id = await park();
    expect(await home.run(["chat", "-r", id, "-q", "hello"])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("Your message is kept"),
    });
    const { code, stdout } = await home.run(["chat", "-r", id, "--deny"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("I am a script")]);
  });

  it("is not asked at all with --yolo", async () => {
    expect((await home.run(["chat", "-q", "delete something", "--yolo"])).code).toBe(0);
  });

  it("[CT-10] is answered once by ten that race, and its effect happens once", async () => {
    const { code, stderr } = await home.run(["chat", "-q", "run rm -rf gone; echo done >> effect.txt"]);
    const id = conversationIn(stderr);
    expect([code, existsSync(join(home.cwd, "effect.txt"))]).toEqual([6, false]);
    const racers = Array.from({ length: 10 }, () => home.run(["chat", "-r", id, "--approve", "once", "--json"]));
    const runs = await Promise.all(racers);
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
    expect(readFileSync(join(home.cwd, "effect.txt"), "utf8")).toBe("done\n");
    // Whoever comes late sees the same turn go on, or that nothing is left to do.
    const outcomes = runs.map(({ stdout }) => (JSON.parse(stdout) as { outcome: string }).outcome);
    expect(outcomes).toContain("completed");
    expect(outcomes.every((outcome) => ["completed", "idle"].includes(outcome))).toBe(true);
    expect((await home.messages(id)).filter(({ role }) => role === "tool")).toHaveLength(1);
  });
});

describe("several chats in one home", () => {
  it("speak at once, each in its own conversation, and one of them starts the host", async () => {
    const runs = await Promise.all(["one", "two", "three"].map((text) => home.run(["chat", "-q", text])));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await home.sessions()).toHaveLength(3);
  });

  it("keep nobody waiting: while one is open, others speak and permissions are taken back", async () => {
    const holder = home.start(["chat"]);
    try {
      holder.stdin?.write("hello\n");
      await new Promise((resolve) => holder.stdout?.once("data", resolve));
      expect(await home.run(["chat", "-q", "hi"])).toMatchObject({ code: 0 });
      expect(await home.run(["approvals", "revoke", "x"])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("nothing called x is allowed"),
      });
    } finally {
      holder.stdin?.end();
      await new Promise((resolve) => holder.once("close", resolve));
    }
    expect(await home.sessions()).toHaveLength(2);
  });

  it("are no reason to be refused, but a process that has the home is, for a command that writes; it says what to do", async () => {
    const holder = await holdHome(home.path, {});
    try {
      const { code, stderr } = await home.run(["approvals", "revoke", "x"]);
      expect(code).toBe(4);
      expect(stderr).toMatch(/Waiting for the host of this home, or another command/);
      expect(stderr).toMatch(/only one process may write to a home[\s\S]*talaria host stop/);
    } finally {
      holder.kill("SIGKILL");
    }
  });

  it("are refused with 4 by a home that another program writes to, and nothing is stored", async () => {
    const holder = await holdHome(home.path, {});
    try {
      const { code, stderr } = await home.run(["chat", "-q", "hi"]);
      expect([code, stderr]).toEqual([4, expect.stringContaining(`${home.path} is in use`)]);
      expect(stderr).toContain("Nothing was stored.");
    } finally {
      holder.kill("SIGKILL");
    }
  });
});
