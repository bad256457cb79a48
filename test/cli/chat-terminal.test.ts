import { describe, expect, it } from "vitest";
import { chatTerminal } from "../support/chat-terminal.js";
import { conversationIn } from "./support/chat.js";
import { CTRL_C, CTRL_D, hasPty } from "./support/pty.js";

const BRIEF = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
/** With some words shown, the turn runs until the test lets it go on. */
const HELD = { text: BRIEF, pieceChars: 8, holdAfter: 12 };

const stage = chatTerminal([
  { when: { user: "brief" }, ...HELD },
  { when: { user: "slow" }, ...HELD },
  {
    when: { user: "colour", steps: 0 },
    calls: [{ name: "clarify", arguments: { question: "Which colour?", choices: ["red", "blue"] } }],
  },
  {
    when: { user: "later danger", steps: 0 },
    holdAfter: 0,
    calls: [{ name: "terminal", arguments: { command: "rm -rf gone" } }],
  },
  {
    when: { user: "danger", steps: 0 },
    calls: [{ name: "terminal", arguments: { command: "rm -rf gone sk-live-0123456789abcdefghij" } }],
  },
  { text: "the \u001b[2Janswer" },
]);

const PROMPT = /> /;

describe.skipIf(!hasPty)("the chat of lines in a terminal", () => {
  it("[LS-1] greets, and stores nothing until something is said", async () => {
    const chat = stage.open([]);
    const greeting = await chat.waitFor(PROMPT);
    expect(greeting).toContain("Talaria");
    expect(greeting).toContain("openai/scripted");
    expect(greeting).toContain("/help");
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(0);
    expect(await stage.home.sessions()).toEqual([]);
  });

  it("says that the demo is not an AI", async () => {
    const chat = stage.open([], { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", TALARIA_MODEL: "demo/demo" });
    expect(await chat.waitFor(PROMPT)).toContain("not an AI");
  });

  it("answers a line, shows nothing that moves the cursor, and leaves by /quit", async () => {
    const chat = stage.open([], { NO_COLOR: "1" });
    await chat.waitFor(PROMPT);
    chat.type("hello\r");
    expect(await chat.waitFor(/the answer\r\n[^>]*> /)).not.toContain("\u001b[2J");
    chat.type("/quit\r");
    expect(await chat.ended()).toBe(0);
    expect(chat.shown()).not.toMatch(/\u001b\[[0-9;]+m/);
    const [session] = await stage.home.sessionsWhen(([one]) => one?.title !== null);
    expect(session).toMatchObject({ messages: 2, title: "Scripted title", ended: { reason: "cli_close" } });
    expect(chat.shown()).toContain(`conversation ${session?.id}`);
  });

  it("streams text as it comes; Ctrl-C ends the turn and not the program", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("slow\r");
    await chat.waitFor(/word5 /);
    chat.type(CTRL_C);
    await chat.waitFor(/interrupted; what was done is kept/);
    await chat.waitFor(PROMPT);
    chat.type("/continue\r");
    await chat.waitFor(/the answer/);
    await chat.waitFor(PROMPT);
    chat.type(CTRL_C);
    await chat.waitFor(/Ctrl-C again, or Ctrl-D, leaves/);
    await chat.waitFor(PROMPT);
    chat.type(CTRL_C);
    expect(await chat.ended()).toBe(0);
    const [session] = await stage.home.sessions();
    expect(
      (await stage.home.messages(session?.id ?? "")).filter(({ role }) => role === "user").map(({ text }) => text),
    ).toEqual(["slow", "continue"]);
  });

  it("asks for leave with closed choices and no default, and shows no secret", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("danger\r");
    const question = await chat.waitFor(/\[o\/s\/a\/d\] /);
    expect(question).toContain("$ rm -rf gone [redacted]");
    for (const noAnswer of ["\r", "y\r", "yes\r", "ok\r", "once more\r"]) {
      chat.type(noAnswer);
      await chat.waitFor(/Only o, s, a or d[^\n]*\n[\s\S]*\[o\/s\/a\/d\] /);
    }
    chat.type("d not today\r");
    await chat.waitFor(/✗.*denied by you/);
    await chat.waitFor(PROMPT);
    const [session] = await stage.home.sessions();
    const denied = (await stage.home.messages(session?.id ?? "")).find(({ role }) => role === "tool");
    expect(denied).toMatchObject({ text: expect.stringContaining("not today"), body: { outcome: "denied" } });
  });

  it("takes nothing that was typed before a question as its answer", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("danger\ro\ro\r");
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type("d\r");
    await chat.waitFor(/✗.*denied/);
  });

  it("takes nothing that was typed while the turn ran as the answer to what it then asks", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("later danger\r");
    await chat.waitFor(/conversation \w{16}/);
    chat.type("o\r/status\r");
    // What was typed before this was read before it.
    await chat.waitFor(/> \/status[\s\S]*openai\/scripted/);
    await stage.model.go();
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type("d\r");
    await chat.waitFor(/✗.*denied/);
  });

  it("keeps what is typed while a turn runs: unseen till then, sent afterwards, edited on in the prompt", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("hello ahead\rbegun");
    await stage.model.go();
    const rest = await chat.waitFor(/> \S*hello ahead/);
    expect(rest.slice(0, rest.indexOf("word39"))).not.toContain("ahead");
    await chat.waitFor(/the answer[\s\S]*> [\s\S]*begun/);
    chat.type(" and ended\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    const [session] = await stage.home.sessions();
    expect(
      (await stage.home.messages(session?.id ?? "")).filter(({ role }) => role === "user").map(({ text }) => text),
    ).toEqual(["brief", "hello ahead", "begun and ended"]);
  });

  it("gives what was typed back to the prompt when Ctrl-C ends the turn, and sends none of it", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("slow\r");
    await chat.waitFor(/word5 /);
    chat.type("a second thought\r");
    chat.type(CTRL_C);
    await chat.waitFor(/interrupted; what was done is kept/);
    await chat.waitFor(/> [\s\S]*a second thought/);
    chat.type("!\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    const [session] = await stage.home.sessions();
    expect(
      (await stage.home.messages(session?.id ?? "")).filter(({ role }) => role === "user").map(({ text }) => text),
    ).toEqual(["slow", "a second thought!"]);
  });

  it("leaves after the turn when Ctrl-D was typed while it ran", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type(CTRL_D);
    await stage.model.go();
    await chat.waitFor(/word39/);
    expect(await chat.ended()).toBe(0);
  });

  it("leaves a question waiting at Ctrl-D; /continue asks it again", async () => {
    const chat = stage.open(["chat"]);
    await chat.waitFor(PROMPT);
    chat.type("colour\r");
    await chat.waitFor(/Your answer: /);
    chat.type(CTRL_D);
    await chat.waitFor(/\/continue asks again/);
    await chat.waitFor(PROMPT);
    expect(await stage.home.json(["approvals"])).toMatchObject({ waiting: [{ question: { kind: "clarify" } }] });
    chat.type("/continue\r");
    await chat.waitFor(/1\. red[\s\S]*Your answer: /);
    chat.type("1\r");
    await chat.waitFor(/the answer/);
    await chat.waitFor(PROMPT);
    const [session] = await stage.home.sessions();
    expect((await stage.home.messages(session?.id ?? "")).find(({ role }) => role === "tool")?.text).toBe("red");
  });

  it("interrupts the turn by Ctrl-C in a question", async () => {
    const chat = stage.open([]);
    await chat.waitFor(PROMPT);
    chat.type("danger\r");
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type(CTRL_C);
    await chat.waitFor(/interrupted; what was done is kept/);
    await chat.waitFor(PROMPT);
    expect(await stage.home.json(["approvals"])).toMatchObject({ waiting: [] });
  });

  it("goes on where a conversation was, finishing what was cut first", async () => {
    const id = await stage.home.cut(["chat", "-q", "hello"], "turn.claimed");
    const chat = stage.open(["chat", "-r", id]);
    const shown = await chat.waitFor(/the answer[\s\S]*> /);
    expect(shown).toContain(id);
    chat.type("hello again\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(0);
    expect((await stage.home.messages(id)).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

describe.skipIf(!hasPty)("a terminal of 80 columns", () => {
  const plain = (shown: string): string[] => shown.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").split(/\r?\n/);

  it("breaks no id in the greeting, and says at the end how to go on", async () => {
    const title = "a title that is as long as it may be and then some more of it";
    const id = conversationIn((await stage.home.run(["chat", "-q", "hello", "--title", title])).stderr);
    const chat = stage.open([], { NO_COLOR: "1" });
    const greeting = await chat.waitFor(PROMPT);
    expect(greeting).toContain(id);
    for (const line of plain(greeting)) expect(line.length, line).toBeLessThanOrEqual(80);
    chat.type(`/resume ${id.slice(0, 10)}\r`);
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type(CTRL_D);
    await chat.waitFor(/talaria chat -c goes on here\./);
    expect(await chat.ended()).toBe(0);
  });

  it("goes on with -c in what was last opened here, be it not the newest", async () => {
    const id = conversationIn((await stage.home.run(["chat", "-q", "hello"])).stderr);
    await stage.home.run(["chat", "-q", "hello"]);
    const chat = stage.open(["chat", "-r", id]);
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type(CTRL_D);
    await chat.waitFor(/talaria chat -c goes on here\./);
    expect(await chat.ended()).toBe(0);
    expect(conversationIn((await stage.home.run(["chat", "-c", "-q", "more"])).stderr)).toBe(id);
  });

  it("names the conversation at the end when another terminal was used since", async () => {
    const id = conversationIn((await stage.home.run(["chat", "-q", "hello"])).stderr);
    const chat = stage.open(["chat", "-r", id]);
    await chat.waitFor(/the answer[\s\S]*> /);
    await stage.home.run(["chat", "-q", "hello"]);
    chat.type(CTRL_D);
    await chat.waitFor(new RegExp(`talaria chat -r ${id} goes on here\\.`));
  });

  it("goes on with -c in a background conversation that was resumed into", async () => {
    const chat = stage.open([], { NO_COLOR: "1" });
    await chat.waitFor(PROMPT);
    chat.type("hello\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type("/background aside\r");
    await chat.waitFor(/\(background \w{16} is done\)/);
    const task = /\(background (\w{16}) is done\)/.exec(chat.shown())?.[1] ?? "";
    chat.type(`/resume ${task}\r`);
    await chat.waitFor(/You are in[\s\S]*the answer[\s\S]*> /);
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(0);
    expect(conversationIn((await stage.home.run(["chat", "-c", "-q", "more"])).stderr)).toBe(task);
  });

  it("says a failure in lines that fit", async () => {
    const chat = stage.open([
      "chat",
      "-q",
      "hi",
      "--cwd",
      "/nowhere/at/all/in/a/folder/that/is/not/there/and/has/a/long/name",
    ]);
    expect(await chat.ended()).toBe(2);
    for (const line of plain(chat.shown())) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});

describe.skipIf(!hasPty)("one message in a terminal", () => {
  it("streams the answer once and asks on the way", async () => {
    const chat = stage.open(["chat", "-q", "danger"]);
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type("o\r");
    await chat.waitFor(/the answer/);
    expect(await chat.ended()).toBe(0);
    expect(chat.shown().split("the answer")).toHaveLength(2);
  });

  it("leaves the turn waiting with 6 when the question is left by Ctrl-D", async () => {
    const chat = stage.open(["chat", "-q", "danger"]);
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(6);
    expect(chat.shown()).toMatch(/talaria chat -r \w{16} --approve once/);
  });
});
