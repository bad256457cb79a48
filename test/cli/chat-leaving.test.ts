import { describe, expect, it } from "vitest";
import { chatTerminal } from "../support/chat-terminal.js";
import { conversationIn, heard } from "./support/chat.js";
import { CTRL_D, hasPty, type Terminal } from "./support/pty.js";
import { finished } from "./support/run.js";

const stage = chatTerminal([
  {
    when: { user: "danger", steps: 0 },
    calls: [{ name: "terminal", arguments: { command: "rm -rf gone" } }],
  },
  { when: { user: "cut" }, text: "the answer", holdAfter: 0 },
  { text: "the answer" },
]);

const park = async (): Promise<string> => conversationIn((await stage.home.run(["chat", "-q", "danger"])).stderr);
const waiting = async () =>
  (await stage.home.json<{ waiting: { conversation: string }[] }>(["approvals"])).waiting.map(
    ({ conversation }) => conversation,
  );
const rolesOf = async (id: string) => (await stage.home.messages(id)).map(({ role }) => role);

describe("/resume from a pipe", () => {
  it("shows what waits there, ends with 6, and leaves it waiting", async () => {
    const id = await park();
    const { code, stderr } = await stage.home.run([], { input: `/resume ${id}\n` });
    expect([code, stderr]).toEqual([6, expect.stringContaining("$ rm -rf gone")]);
    expect(await waiting()).toEqual([id]);
    expect(await rolesOf(id)).toEqual(["user", "assistant"]);
  });

  it("[FQ-2] finishes a turn that was cut", async () => {
    const id = await stage.home.cut(["chat", "-q", "to be cut"], "turn.claimed");
    const chat = stage.home.start([]);
    const run = finished(chat);
    chat.stdin?.end(`/resume ${id}\n`);
    // The host that it starts goes on with the turn by itself: held, so that it is not over before the chat is there.
    await heard(chat.stderr, new RegExp(`conversation ${id}`));
    await stage.model.go();
    const { code, stdout } = await run;
    expect([code, stdout]).toEqual([0, "the answer\n"]);
    expect(await rolesOf(id)).toEqual(["user", "assistant"]);
  });
});

describe("leaving a conversation whose turn waits", () => {
  it.each(["-c", "-r"])("by the end of a chat that was opened with %s keeps it waiting", async (flag) => {
    const id = await park();
    const { code } = await stage.home.run(["chat", flag, ...(flag === "-r" ? [id] : [])]);
    expect([code, await waiting()]).toEqual([6, [id]]);
  });
});

describe.skipIf(!hasPty)("leaving in a terminal a conversation whose turn waits", () => {
  const leaveWaiting = async (chat: Terminal): Promise<void> => {
    await chat.waitFor(/> /);
    chat.type("danger\r");
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type(CTRL_D);
    await chat.waitFor(/\/continue asks again[\s\S]*> /);
  };

  it.each([
    ["/new", "/new\r"],
    ["/new with a title", "/new another\r"],
  ])("by %s keeps it waiting, and says how it is answered", async (_how, typed) => {
    const chat = stage.open([]);
    await leaveWaiting(chat);
    const [id = ""] = await waiting();
    chat.type(typed);
    expect(await chat.waitFor(/New session[\s\S]*> /)).toContain(`/resume ${id}`);
    chat.type("hello\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type("/quit\r");
    expect(await chat.ended()).toBe(0);
    expect(await waiting()).toEqual([id]);
    expect((await stage.home.run(["chat", "-r", id, "--deny"])).code).toBe(0);
  });

  it("by /resume elsewhere and back keeps it waiting, and asks it again", async () => {
    const other = conversationIn((await stage.home.run(["chat", "-q", "hello"])).stderr);
    const chat = stage.open([]);
    await leaveWaiting(chat);
    const [id = ""] = await waiting();
    chat.type(`/resume ${other}\r`);
    expect(await chat.waitFor(/the answer[\s\S]*> /)).toContain("> hello");
    expect(await waiting()).toEqual([id]);
    chat.type(`/resume ${id}\r`);
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type("d\r");
    await chat.waitFor(/the answer/);
    expect(await waiting()).toEqual([]);
  });

  it("by Ctrl-D, after /resume went there, keeps it waiting", async () => {
    const id = await park();
    const chat = stage.open([]);
    await chat.waitFor(/> /);
    chat.type(`/resume ${id}\r`);
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type(CTRL_D);
    await chat.waitFor(/> /);
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(0);
    expect(await waiting()).toEqual([id]);
  });
});
