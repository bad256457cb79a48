import { describe, expect, it } from "vitest";
import { chatTerminal } from "../support/chat-terminal.js";
import { CTRL_D, hasPty, type Terminal } from "./support/pty.js";

const BRIEF = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
/** In the middle of a word, with some words shown: the turn runs until the test lets it go on. */
const HELD = { pieceChars: 8, holdAfter: 12 };

const stage = chatTerminal([
  { when: { user: "brief" }, text: BRIEF, ...HELD },
  {
    when: { user: "look", steps: 0 },
    holdAfter: 0,
    calls: [{ name: "list_files", arguments: { path: "." } }],
  },
  {
    when: { user: "danger", steps: 0 },
    calls: [{ name: "terminal", arguments: { command: "rm -rf gone" } }],
  },
  { when: { user: "aside" }, text: "seen to in the background" },
  { text: "the answer" },
]);

async function open(args: readonly string[] = []): Promise<Terminal> {
  const terminal = stage.open(args, { NO_COLOR: "1" });
  await terminal.waitFor(/> /);
  return terminal;
}

const only = async (): Promise<string> => (await stage.home.sessions())[0]?.id ?? "";
const saidIn = async (id: string) =>
  (await stage.home.messages(id)).filter(({ role }) => role === "user").map(({ text }) => text);
const plain = (shown: string): string => shown.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r", "");

describe.skipIf(!hasPty)("a command that is typed while a turn runs", () => {
  it("[CT-7] is answered at once, above what comes, and tears no word of it", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("/status\r");
    await chat.waitFor(/> \/status[\s\S]*openai\/scripted/);
    await stage.model.go();
    const rest = plain(await chat.waitFor(/word39[\s\S]*> /));
    expect(rest).not.toContain("/status");
    const words = plain(chat.shown()).match(/\bword\d+\b/g);
    expect(words).toEqual(BRIEF.split(" "));
  });

  it("[CT-7] /stop ends the turn", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("/stop\r");
    await chat.waitFor(/\(interrupted; what was done is kept\)[\s\S]*> /);
    expect(chat.shown()).not.toContain("word39");
  });

  it("[CT-7] /steer reaches the turn that runs", async () => {
    const chat = await open();
    chat.type("look\r");
    await stage.model.held();
    chat.type("/steer be brave\r");
    await chat.waitFor(/> \/steer be brave/);
    await stage.model.go();
    await chat.waitFor(/added: be brave[\s\S]*the answer[\s\S]*> /);
    const roles = (await stage.home.messages(await only())).map(({ role }) => role);
    expect(roles.filter((role) => role === "assistant")).toHaveLength(2);
    expect(await saidIn(await only())).toEqual(["look", "be brave"]);
  });

  it("says so when it has to wait, and leaves the turn as it is", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("/undo\r");
    await chat.waitFor(/\/undo has to wait: a turn is running/);
    await stage.model.go();
    await chat.waitFor(/word39[\s\S]*> /);
    expect(await saidIn(await only())).toEqual(["brief"]);
  });

  it("/quit leaves at once, and the turn goes on in the host", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("/quit\r");
    expect(await chat.ended()).toBe(0);
    expect(chat.shown()).toContain("It goes on without you");
    expect(chat.shown()).not.toContain("word39");
    await stage.model.go();
    expect((await stage.home.run(["chat", "-c"])).stdout).toBe(`${BRIEF}\n`);
  });

  it("/new begins another conversation; lines of ordinary words stay in their order behind it", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type("/new\r");
    chat.type("hello\r");
    await chat.waitFor(/> hello[\s\S]*the answer[\s\S]*> /);
    await stage.model.go();
    expect(chat.shown()).not.toContain("word39");
    const sessions = await stage.home.sessionsWhen(
      (all) => all.length === 2 && all.every(({ messages }) => messages >= 2),
    );
    expect((await Promise.all(sessions.map(({ id }) => saidIn(id)))).flat().sort()).toEqual(["brief", "hello"]);
  });

  it("with a space before it is a message, sent after the turn", async () => {
    const chat = await open();
    chat.type("brief\r");
    await chat.waitFor(/word5 /);
    chat.type(" /status\r");
    await stage.model.go();
    await chat.waitFor(/word39[\s\S]*> {2}\/status[\s\S]*the answer[\s\S]*> /);
    expect(await saidIn(await only())).toEqual(["brief", "/status"]);
  });

  it("/approve at a question answers it", async () => {
    const chat = await open();
    chat.type("danger\r");
    await chat.waitFor(/\[o\/s\/a\/d\] /);
    chat.type("/deny not now\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    const [answered] = (await stage.home.messages(await only())).filter(({ role }) => role === "tool");
    expect(answered?.text).toContain("not now");
  });

  it("works in a turn that -r joins", async () => {
    const child = stage.home.start(["chat", "-q", "brief", "--stream-json"]);
    child.stdout?.resume();
    const id = await new Promise<string>((resolve) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        const [, found] = /"conversation":"(\w+)"/.exec(chunk.toString()) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const chat = await open(["chat", "-r", id]);
    await chat.waitFor(/word8 /);
    chat.type("/stop\r");
    await chat.waitFor(/\(interrupted; what was done is kept\)[\s\S]*> /);
    chat.type(CTRL_D);
    expect(await chat.ended()).toBe(0);
  });
});
