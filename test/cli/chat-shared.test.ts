import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostPid, killHost, LINGER, stopHost } from "../support/hosts.js";
import { type ChatHome, chatHome, conversationIn, heard, type ModelProcess, modelProcess } from "./support/chat.js";
import { CTRL_C, CTRL_D, hasPty, openTerminal, type Terminal } from "./support/pty.js";
import { finished } from "./support/run.js";

const BRIEF = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
/** With some words shown, the turn runs until the test lets it go on. */
const HELD = { text: BRIEF, pieceChars: 8, holdAfter: 12 };

let model: ModelProcess;
let home: ChatHome;
let open: Terminal[] = [];
beforeAll(async () => {
  model = await modelProcess([
    { when: { user: "brief" }, text: BRIEF, pieceChars: 8, chunkDelayMs: 10 },
    { when: { user: "held" }, ...HELD },
    {
      when: { user: "danger", steps: 0 },
      calls: [{ name: "terminal", arguments: { command: "rm -rf gone" } }],
    },
    {
      when: { user: "look", steps: 0 },
      text: "First I look.",
      calls: [{ name: "list_files", arguments: { path: "." } }],
    },
    { when: { user: "look", steps: 1 }, ...HELD },
    { text: "the answer" },
  ]);
});
afterAll(() => model.stop());
beforeEach(async () => {
  await model.hold();
  home = chatHome(model.env);
});
afterEach(async () => {
  for (const terminal of open.splice(0)) terminal.kill();
  await home.remove();
});

function terminal(args: readonly string[] = []): Terminal {
  const env = { ...LINGER, ...home.faults.env, ...model.env, NO_COLOR: "1" };
  const one = openTerminal(args, { home: home.path, cwd: home.cwd, env });
  open = [...open, one];
  return one;
}

const PROMPT = /> /;
const saidIn = async (id: string) =>
  (await home.messages(id)).filter(({ role }) => role === "user").map(({ text }) => text);
const rolesOf = async (id: string) => (await home.messages(id)).map(({ role }) => role);

describe.skipIf(!hasPty)("one conversation in two terminals", () => {
  it("shows in both what is said in either, marked as said elsewhere, above what is being typed", async () => {
    const id = conversationIn((await home.run(["chat", "-q", "hello"])).stderr);
    const [one, two] = [terminal(["chat", "-r", id]), terminal(["chat", "-r", id])];
    for (const each of [one, two]) await each.waitFor(/the answer[\s\S]*> /);
    two.type("half a tho");
    await two.waitFor(/half a tho/);
    one.type("brief\r");
    await one.waitFor(/word39/);
    await two.waitFor(/\(said elsewhere\) > brief/);
    expect(await two.waitFor(/word39[\s\S]*> half a tho/)).toContain("word0 word1");
    two.type("ught\r");
    await two.waitFor(/the answer[\s\S]*> /);
    await one.waitFor(/\(said elsewhere\) > half a thought[\s\S]*the answer[\s\S]*> /);
    expect(await saidIn(id)).toEqual(["hello", "brief", "half a thought"]);
  });

  it("asks in the one that spoke; the other can answer, and the first learns it", async () => {
    const id = conversationIn((await home.run(["chat", "-q", "hello"])).stderr);
    const [one, two] = [terminal(["chat", "-r", id]), terminal(["chat", "-r", id])];
    for (const each of [one, two]) await each.waitFor(/the answer[\s\S]*> /);
    one.type("danger\r");
    await one.waitFor(/\[o\/s\/a\/d\] /);
    await two.waitFor(/\$ rm -rf gone[\s\S]*\/continue answers it here[\s\S]*> /);
    two.type("/continue\r");
    await two.waitFor(/\[o\/s\/a\/d\] /);
    two.type("d\r");
    await two.waitFor(/denied[\s\S]*the answer[\s\S]*> /);
    await one.waitFor(/the answer[\s\S]*> /);
    expect((await home.messages(id)).filter(({ role }) => role === "tool")).toHaveLength(1);
  });
});

const plain = (shown: string): string => shown.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r", "");

describe.skipIf(!hasPty)("what is said elsewhere", () => {
  const both = async (): Promise<readonly [string, Terminal, Terminal]> => {
    const id = conversationIn((await home.run(["chat", "-q", "hello"])).stderr);
    const [one, two] = [terminal(["chat", "-r", id]), terminal(["chat", "-r", id])];
    for (const each of [one, two]) await each.waitFor(/the answer[\s\S]*> /);
    return [id, one, two];
  };

  /** What was shown up to there; the rest is for whoever waits next. */
  const begun = async (shown: Terminal, pattern: RegExp): Promise<string> =>
    pattern.exec(await shown.waitFor(pattern))?.[0] ?? "";

  it("is broken between words, and an empty line parts it from the prompt", async () => {
    const [, one, two] = await both();
    one.type("brief\r");
    const shown = plain(await two.waitFor(/word39\r\n[\s\S]*> /));
    const lines = shown.split("\n").map((line) => line.replace(/^> /, ""));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(shown).toMatch(/word39\n\n> $/);
  });

  it("while a turn runs here is named before its answer", async () => {
    const [, one, two] = await both();
    one.type("held\r");
    await two.waitFor(/said elsewhere/);
    two.type("more\r");
    await two.waitFor(/more/);
    await model.go();
    expect(plain(await one.waitFor(/word39[\s\S]*the answer[\s\S]*> /))).toMatch(
      /word39\s[\s\S]*\(said elsewhere\) > more\n(?:> )?the answer\n\n> /,
    );
  });

  it("is shown from its first word to who speaks into it or comes to it later, and no word twice", async () => {
    const [id, one, two] = await both();
    const three = terminal();
    await three.waitFor(PROMPT);
    one.type("look\r");
    await one.waitFor(/word3 /);
    await two.waitFor(/\(said elsewhere\) > look[\s\S]*First I look\.[\s\S]*list_files/);
    two.type("more\r");
    three.type(`/resume ${id}\r`);
    // What came before is there before anything follows.
    const before = await begun(two, /more[\s\S]*word3 /);
    const later = await begun(three, /First I look\.[\s\S]*list_files[\s\S]*word3 /);
    await model.go();
    const rest = /word39[\s\S]*the answer[\s\S]*> /;
    const [spoke, came] = [before + (await two.waitFor(rest)), later + (await three.waitFor(rest))].map(plain);
    expect(spoke?.match(/word\d+|First/g)).toEqual(BRIEF.split(" "));
    expect(came?.match(/word\d+|First/g)).toEqual(["First", ...BRIEF.split(" ")]);
  });

  it("is told as interrupted where it was, and Ctrl-C sends nothing that was typed ahead", async () => {
    const [id, one, two] = await both();
    one.type("held\r");
    await two.waitFor(/said elsewhere/);
    two.type("more\r");
    // The mark of a turn that is waited for: what was said is stored, and Ctrl-C is for the turn.
    await two.waitFor(/more[\s\S]*…/);
    two.type("typed ahead\r");
    two.type(CTRL_C);
    const shown = plain(await two.waitFor(/the answer[\s\S]*> [\s\S]*typed ahead/));
    expect(shown).toMatch(/\(interrupted; what was done is kept\)[\s\S]*the answer/);
    expect(shown).not.toMatch(/the answer[\s\S]*\(interrupted/);
    expect(await saidIn(id)).toEqual(["hello", "held", "more"]);
  });

  it("answers a question here, which says so", async () => {
    const [id, one] = await both();
    one.type("danger\r");
    await one.waitFor(/\[o\/s\/a\/d\] /);
    await home.run(["chat", "-r", id, "--deny"]);
    await one.waitFor(/\(answered elsewhere: denied\)[\s\S]*the answer[\s\S]*> /);
  });
});

describe.skipIf(!hasPty)("/background", () => {
  it("says above the prompt when it is done", async () => {
    const chat = terminal();
    await chat.waitFor(PROMPT);
    chat.type("hello\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type("/background brief\r");
    await chat.waitFor(/It works on that in the background: (\w+)/);
    await chat.waitFor(/\(background \w{16} is done\) word0 [\s\S]*word39[\s\S]*> /);
  });
});

describe("a terminal that is gone", () => {
  it.each(["SIGKILL", "SIGHUP", "SIGTERM"] as const)(
    "[FQ-1] [FQ-2] by %s leaves the turn running: it ends in the host, said once",
    async (signal) => {
      const child = home.start(["chat", "-q", "held", "--stream-json"]);
      const id = /"conversation":"(\w+)"/.exec(await heard(child.stdout, /word4/))?.[1] ?? "";
      const host = hostPid(home.path);
      child.kill(signal);
      await once(child, "close");
      const joined = home.run(["chat", "-r", id]);
      await model.go();
      const { code, stdout } = await joined;
      expect([code, stdout]).toEqual([0, `${BRIEF}\n`]);
      expect([await saidIn(id), await rolesOf(id)]).toEqual([["held"], ["user", "assistant"]]);
      expect(hostPid(home.path)).toBe(host);
    },
  );

  it("leaves a turn that nobody watches, and it ends by itself", async () => {
    const child = home.start(["chat", "-q", "held", "--stream-json"]);
    const id = /"conversation":"(\w+)"/.exec(await heard(child.stdout, /word4/))?.[1] ?? "";
    child.kill("SIGKILL");
    await once(child, "close");
    await model.go();
    await expect.poll(() => rolesOf(id)).toHaveLength(2);
    expect(await home.messages(id)).toMatchObject([{ text: "held" }, { text: BRIEF }]);
  });

  it.skipIf(!hasPty)("[FQ-10] leaves a turn that -r joins and shows from its beginning", async () => {
    const first = terminal();
    await first.waitFor(PROMPT);
    first.type("look\r");
    await first.waitFor(/word3 /);
    first.kill();
    const second = terminal(["chat", "-c"]);
    const joined = await second.waitFor(/word3 /);
    await model.go();
    const shown = joined + (await second.waitFor(/word39[\s\S]*> /));
    expect(shown).toMatch(/> look[\s\S]*First I look\.[\s\S]*list_files[\s\S]*word0 word1/);
    second.type(CTRL_D);
    expect(await second.ended()).toBe(0);
  });
});

describe("a host that dies under an open chat", () => {
  it.skipIf(!hasPty)("is started again at the prompt, and what is typed is said once", async () => {
    const chat = terminal();
    await chat.waitFor(PROMPT);
    chat.type("hello\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type("begun ");
    await chat.waitFor(/begun/);
    killHost(home.path);
    await chat.waitFor(/The line to the host is lost[\s\S]*> begun/);
    chat.type("and ended\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    chat.type(CTRL_D);
    await chat.ended();
    const [session] = await home.sessions();
    expect(await saidIn(session?.id ?? "")).toEqual(["hello", "begun and ended"]);
  });

  it.skipIf(!hasPty)("[FQ-1] is started again in mid-turn, and the turn goes on where it was", async () => {
    const chat = terminal();
    await chat.waitFor(PROMPT);
    chat.type("held\r");
    await chat.waitFor(/word5 /);
    killHost(home.path);
    await chat.waitFor(/The line to the host is lost/);
    await model.go();
    await chat.waitFor(/word39[\s\S]*> /);
    const [session] = await home.sessions();
    expect(await home.messages(session?.id ?? "")).toMatchObject([{ text: "held" }, { text: BRIEF }]);
  });

  it("[FQ-1] [FQ-2] loses nothing of one message from the shell, killed in mid-answer", async () => {
    const child = home.start(["chat", "-q", "held", "--stream-json"]);
    const ended = finished(child);
    await heard(child.stdout, /word4/);
    killHost(home.path);
    await model.go();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, string>;
    expect(result).toMatchObject({ type: "result", outcome: "completed", text: BRIEF });
    expect(await rolesOf(result["conversation"] ?? "")).toEqual(["user", "assistant"]);
  });

  it.skipIf(!hasPty)("is left alone when a person stopped it, until there is something to say", async () => {
    const chat = terminal();
    await chat.waitFor(PROMPT);
    chat.type("hello\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    await stopHost(home.path);
    await chat.waitFor(/The line to the host is lost[\s\S]*> /);
    await sleep(500);
    expect(hostPid(home.path)).toBeUndefined();
    chat.type("more\r");
    await chat.waitFor(/the answer[\s\S]*> /);
    const [session] = await home.sessions();
    expect(await saidIn(session?.id ?? "")).toEqual(["hello", "more"]);
  });
});

describe.skipIf(!hasPty)("leaving in mid-turn", () => {
  it("by Ctrl-C twice ends the program at once; the conversation goes on", async () => {
    const chat = terminal();
    await chat.waitFor(PROMPT);
    chat.type("held\r");
    await chat.waitFor(/word5 /);
    chat.type(CTRL_C);
    chat.type(CTRL_C);
    await chat.ended();
    await model.go();
    const [session] = await home.sessions();
    expect(await home.run(["chat", "-r", session?.id ?? "", "-q", "hello"])).toMatchObject({ stdout: "the answer\n" });
    expect(await saidIn(session?.id ?? "")).toEqual(["held", "hello"]);
  });
});
