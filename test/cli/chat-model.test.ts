import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChatHome, chatHome, conversationIn, heard, type ModelProcess, modelProcess } from "./support/chat.js";
import { finished } from "./support/run.js";

const ODD_TEXT = "  two spaces, \u001b[31mred\u001b[0m, tab\t, 👩‍👩‍👧, trailing  \n\nend ";
const SECRET = "sk-live-0123456789abcdefghij";
const BRIEF = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
/** With its first words shown, each in one piece, the turn runs until the test lets it go on. */
const HELD = { pieceChars: 6, holdAfter: 16 };

let model: ModelProcess;
let home: ChatHome;
beforeAll(async () => {
  model = await modelProcess([
    { when: { user: "odd" }, text: ODD_TEXT },
    { when: { user: "brief" }, text: BRIEF, ...HELD },
    { when: { user: "slow" }, text: BRIEF, ...HELD },
    { when: { user: "flaky", model: "scripted" }, fault: { kind: "status", status: 401, message: "not now" } },
    { when: { user: "flaky" }, text: "at last" },
    { when: { user: "refuse" }, fault: { kind: "status", status: 401, message: `no such key ${SECRET}` } },
    {
      when: { user: "edit", steps: 0 },
      calls: [
        { name: "write_file", arguments: { path: "list.txt", content: `${"line\n".repeat(30)}key=${SECRET}\n` } },
      ],
    },
    {
      when: { user: "colour", steps: 0 },
      calls: [{ name: "clarify", arguments: { question: "Which colour?", choices: ["red", "blue"] } }],
    },
    {
      when: { user: "sleep", steps: 0 },
      calls: [{ name: "terminal", arguments: { command: "echo started > started.txt; sleep 60" } }],
    },
    { text: "done" },
  ]);
});
afterAll(() => model.stop());
beforeEach(async () => {
  await model.hold();
  home = chatHome(model.env);
});
afterEach(() => home.remove());

describe("talaria chat with a model server", () => {
  it("uses the server that the environment names, and no demo", async () => {
    const { code, stdout, stderr } = await home.run(["chat", "-q", "hello"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toMatch(/^conversation \w{16} {2}openai\/scripted\n$/);
    const titled = await home.sessionsWhen(([session]) => session?.title !== null);
    expect(titled).toMatchObject([{ title: "Scripted title" }]);
  });

  it("[LS-12] passes the text on unchanged", async () => {
    expect(await home.run(["chat", "-q", "odd"])).toMatchObject({ code: 0, stdout: `${ODD_TEXT}\n` });
    expect(await home.json(["chat", "-q", "odd"])).toMatchObject({ text: ODD_TEXT, isDemo: false });
  });

  it("refuses a message that never fits the model's window, before anything is stored", async () => {
    await home.run(["config", "set", "model.context_tokens", "2000"]);
    const { code, stderr } = await home.run(["chat", "-q", "word ".repeat(3_000)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/window of openai\/scripted/);
    expect(stderr).toContain("nothing was stored");
    expect(await home.sessions()).toEqual([]);
  });

  it("says that a cost is unknown, never that it is nothing", async () => {
    const { spent } = await home.json<{ spent: Record<string, unknown> }>(["chat", "-q", "hello"]);
    expect(spent).toMatchObject({ inputTokens: expect.any(Number), costUsd: null });
  });

  it("[LS-11] ends with 1 and the error's own words, without secrets", async () => {
    const { code, stdout, stderr } = await home.run(["chat", "-q", "refuse"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("no such key [redacted]");
    expect(stderr).toContain("/reset");
    expect(stderr).not.toContain(SECRET);
    const again = await home.json(["chat", "-q", "refuse", "--message-id", "r"]);
    expect(again).toMatchObject({ outcome: "failed", reason: expect.stringContaining("no such key") });
    const known = await home.run(["chat", "-q", "refuse", "--message-id", "r"]);
    expect([known.code, known.stderr]).toEqual([1, expect.stringContaining("it has no answer; failed: no such key")]);
  });

  it("says after a failure that the message has no answer, and --retry asks it again in its place", async () => {
    const other = ["--model", "openai/other"];
    const failed = await home.run(["chat", "-q", "flaky"]);
    const id = conversationIn(failed.stderr);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(`talaria chat -r ${id} --retry`)]);
    const shown = await home.run(["chat", "-r", id]);
    expect([shown.code, shown.stdout]).toEqual([0, ""]);
    expect(shown.stderr).toContain("The last message has no answer.\n> flaky\n");
    expect(shown.stderr).toContain(`talaria chat -r ${id} --retry`);
    expect(shown.stderr).not.toContain("Nothing is left to do");
    expect(await home.run(["chat", "-r", id, "--retry", ...other])).toMatchObject({ code: 0, stdout: "at last\n" });
    expect((await home.messages(id)).map(({ text }) => text)).toEqual(["flaky", "at last"]);
    expect(await home.json(["chat", "-c", "--retry", ...other])).toMatchObject({ conversation: id, text: "at last" });
  });

  it("has nothing to retry where nothing was said, and finishes what is open instead", async () => {
    await home.run([], { input: "/title empty\n" });
    expect(await home.run(["chat", "-r", "empty", "--retry"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing to ask again"),
    });
    const id = await home.cut(["chat", "-q", "brief"], "turn.claimed");
    const child = home.start(["chat", "-r", id, "--retry"]);
    child.stdin?.end();
    const ended = finished(child);
    await heard(child.stderr, /The last turn is not over/);
    await model.go();
    expect(await ended).toMatchObject({ code: 0, stdout: `${BRIEF}\n` });
    expect(await home.messages(id)).toHaveLength(2);
  });

  it("[CT-1] loses nothing when it is killed while it asks again", async () => {
    const id = conversationIn((await home.run(["chat", "-q", "refuse"])).stderr);
    expect(await home.cut(["chat", "-r", id, "--retry"], "run.before-claim:2")).toBe(id);
    // The host that this starts asks again by itself, and may have its refusal before the chat is there to see it fail.
    expect((await home.run(["chat", "-r", id])).stderr).toContain(id);
    expect((await home.messages(id)).filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["refuse"]);
  });

  it("shows an edit as a short diff without secrets", async () => {
    const { code, stderr } = await home.run(["chat", "-q", "edit", "--yolo"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^✓ .*list\.txt.* {2}\+31 −0\n( {2}\+line\n){10} {2}… 21 more changed lines$/m);
    expect(stderr).not.toContain(SECRET);
  });

  it("asks a question in words, and --reply answers it by number or by words", async () => {
    for (const [reply, answer] of [
      ["2", "blue"],
      ["green", "green"],
    ] as const) {
      const asked = await home.run(["chat", "-q", "colour"]);
      const id = conversationIn(asked.stderr);
      expect([asked.code, asked.stderr]).toEqual([
        6,
        expect.stringMatching(/Which colour\?\n {2}1\. red\n {2}2\. blue\n/),
      ]);
      expect(asked.stderr).toContain(`talaria chat -r ${id} --reply TEXT`);
      expect((await home.run(["chat", "-r", id, "--approve"])).code).toBe(2);
      expect(await home.run(["chat", "-r", id, "--reply", reply])).toMatchObject({ code: 0, stdout: "done\n" });
      expect((await home.messages(id)).find(({ role }) => role === "tool")?.text).toBe(answer);
    }
  });
});

describe("Ctrl-C", () => {
  it("[FQ-1] [LS-9] settles the turn as interrupted, keeps what was streamed, and ends with 130", async () => {
    const child = home.start(["chat", "-q", "slow", "--stream-json"]);
    const ended = finished(child);
    await heard(child.stdout, /word9/);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, string>;
    expect(result).toMatchObject({ type: "result", outcome: "interrupted-by-user" });
    expect(result).not.toHaveProperty("notice");
    const messages = await home.messages(result["conversation"] ?? "");
    const cut = messages.find(({ role }) => role === "assistant");
    expect(cut).toMatchObject({ text: expect.stringMatching(/^word0 .*word9/), body: { interrupted: true } });
    expect(await home.sessions()).toMatchObject([{ ended: { reason: "cli_close" } }]);
  });

  it("[FQ-10] leaves a conversation that shows where it was cut", async () => {
    const child = home.start(["chat", "-q", "slow", "--stream-json"]);
    const ended = finished(child);
    const id = /"conversation":"(\w+)"/.exec(await heard(child.stdout, /word9/))?.[1] ?? "";
    child.kill("SIGINT");
    await ended;
    const { code, stdout, stderr } = await home.run(["chat", "-r", id]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^word0 /)]);
    expect(stderr).toContain("(the answer was cut here by an interruption)");
  });

  it("ends a running command with the turn", async () => {
    const child = home.start(["chat", "-q", "sleep", "--yolo", "--stream-json"]);
    const ended = finished(child);
    await heard(child.stdout, /"call-started"/);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect([code, stdout]).toEqual([130, expect.stringContaining('"outcome":"interrupted-by-user"')]);
  });

  it("[FQ-1] pressed twice ends the program; whatever was stored then, the conversation goes on", async () => {
    const child = home.start(["chat", "-q", "slow", "--stream-json"]);
    const ended = finished(child);
    const id = /"conversation":"(\w+)"/.exec(await heard(child.stdout, /word9/))?.[1] ?? "";
    child.kill("SIGINT");
    await heard(child.stdout, /"interrupting"/);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect((await home.run(["chat", "-r", id, "-q", "hello"])).stdout).toBe("done\n");
    expect((await home.messages(id)).filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
      "slow",
      "hello",
    ]);
  });
});

describe("a terminal that goes away", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "[FQ-1] [FQ-2] by %s loses nothing: the next start finishes the turn",
    async (signal) => {
      const child = home.start(["chat", "-q", "brief", "--stream-json"]);
      const id = /"conversation":"(\w+)"/.exec(await heard(child.stdout, /word4/))?.[1] ?? "";
      child.kill(signal);
      await once(child, "close");
      const joined = home.run(["chat", "-r", id]);
      await model.go();
      const { code, stdout } = await joined;
      expect([code, stdout]).toEqual([0, `${BRIEF}\n`]);
      const said = (await home.messages(id)).filter(({ role }) => role === "user");
      expect(said.map(({ text }) => text)).toEqual(["brief"]);
    },
  );
});
