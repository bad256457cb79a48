import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { type ConversationId, randomIds, type SessionId, type ToolCallId, type TurnId } from "#base/ids.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { effectOf, type Tool, type ToolContext, type ToolResult } from "../tool.js";
import { toolEnvironment } from "./environment.js";
import { createProcesses, type Processes } from "./processes.js";
import { createTerminalTools, OUTPUT_CHARS } from "./terminal.js";

let folder: string;
let processes: Processes;
let terminal: Tool;
let processTool: Tool;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-terminal-"));
  processes = createProcesses({ clock: systemClock, newId: randomIds });
  const [first, second] = createTerminalTools({ processes });
  if (first === undefined || second === undefined) throw new Error("two tools");
  terminal = first;
  processTool = second;
});

afterEach(async () => {
  await processes.endAll();
  removeFolder(folder);
});

const reports: string[] = [];

function contextWith(given: Partial<ToolContext> = {}): ToolContext {
  const session = randomIds<SessionId>();
  const conversation = given.conversation ?? ("conversation-1" as ConversationId);
  reports.length = 0;
  return {
    cwd: folder,
    home: join(folder, "home"),
    signal: new AbortController().signal,
    clock: systemClock,
    call: randomIds<ToolCallId>(),
    session,
    turn: "turn-1" as TurnId,
    env: toolEnvironment(process.env, { session, conversation }),
    spoolDir: join(folder, "spool"),
    reply: undefined,
    report: (line) => reports.push(line),
    recall: () => Promise.resolve(undefined),
    ...given,
    conversation,
  };
}

function run(input: Record<string, unknown>, context = contextWith()): Promise<ToolResult> {
  return terminal.run(terminal.input.parse(input), context);
}

function ask(input: Record<string, unknown>, context = contextWith()): Promise<ToolResult> {
  return processTool.run(processTool.input.parse(input), context);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie still has its number; whoever adopted it has not looked yet.
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}

async function until(isTrue: () => boolean, limitMs = 45_000): Promise<void> {
  for (const endMs = performance.now() + limitMs; performance.now() < endMs; await systemClock.sleep(10)) {
    if (isTrue()) return;
  }
  throw new Error("it never came true");
}

function pidIn(name: string): number {
  return Number(readFileSync(join(folder, name), "utf8"));
}

function fileIsWritten(name: string): boolean {
  try {
    return statSync(join(folder, name)).size > 0;
  } catch {
    return false;
  }
}

describe("a command that is waited for", () => {
  it("returns what was printed, both streams in order, and the exit code", async () => {
    const result = await run({ command: "echo one; echo two >&2; echo three; exit 3" });
    expect(result.kind).toBe("error");
    expect(result.text).toMatch(/^one\ntwo\nthree\n\[exit code 3, \d+\.\d s\]$/);
    expect(result.body).toMatchObject({ exitCode: 3, ended: "ended" });
  });

  it("gives true pipes: /dev/stdout, /dev/stderr and /dev/stdin can be opened", async () => {
    const result = await run({ command: "echo a >/dev/stderr; echo b >/dev/stdout; cat /dev/stdin", stdin: "c\n" });
    expect(result.text).toMatch(/^a\nb\nc\n\[exit code 0/);
  });

  it("closes standard input unless something is given", async () => {
    expect((await run({ command: "cat; echo end" })).text).toMatch(/^end\n/);
    expect((await run({ command: "wc -c", stdin: "x".repeat(90_000) })).text).toMatch(/^90000\n/);
  });

  it("minds no input that nobody reads", async () => {
    expect((await run({ command: "exit 0", stdin: "x".repeat(90_000) })).kind).toBe("ok");
  });

  it("runs in the working directory, or in the one that is named", async () => {
    mkdirSync(join(folder, "sub"));
    expect((await run({ command: "pwd -P" })).text).toContain(`${folder}\n`);
    expect((await run({ command: "pwd -P", cwd: "sub" })).text).toContain(`${join(folder, "sub")}\n`);
    expect(await run({ command: "touch made", cwd: "nowhere" })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("nothing was run"),
    });
  });

  it("[CR-4] knows its session and conversation from the call, not from the process", async () => {
    const [a, b] = [
      contextWith({ conversation: "a" as ConversationId }),
      contextWith({ conversation: "b" as ConversationId }),
    ];
    const command = 'echo "$TALARIA_SESSION_ID $TALARIA_CONVERSATION_ID"';
    const [first, second] = await Promise.all([run({ command }, a), run({ command }, b)]);
    expect(first.text).toContain(`${a.session} a\n`);
    expect(second.text).toContain(`${b.session} b\n`);
  });

  it("makes colours, progress bars and broken bytes readable", async () => {
    const result = await run({
      command: String.raw`printf '\033[31mred\033[0m\n10%%\r55%%\r100%%\n\377\376ok\n\0end\n'`,
    });
    expect(result.text).toMatch(/^red\n100%\n\ufffd\ufffdok\n␀end\n\[exit code 0/);
  });

  it("shows beginning and end of long output and keeps the whole in a file", async () => {
    const context = contextWith();
    const result = await run({ command: "seq 1 20000" }, context);
    expect(result.text.length).toBeLessThan(OUTPUT_CHARS + 1000);
    expect(result.text).toMatch(/^1\n2\n/);
    expect(result.text).toMatch(/20000\n\[exit code 0/);
    const spool = join(context.spoolDir, `${context.call}.txt`);
    expect(result.text).toContain(`the whole is in ${spool}`);
    expect(result.body).toMatchObject({ spool });
    const lines = readFileSync(spool, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(20_000);
    expect(statSync(spool).mode & 0o777).toBe(0o600);
  });

  it("reports progress now and then, not for every line", async () => {
    await run({ command: "for i in $(seq 1 200); do echo line $i; done; sleep 0.7; echo last" });
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.length).toBeLessThan(50);
  });

  it("[CT-5] declares that a started call is never started again", () => {
    expect(effectOf(terminal, { command: "ls" })).toBe("at-most-once");
  });
});

describe("a command that does not end by itself", () => {
  it("is ended with its whole group when its time is over, and says so", async () => {
    const result = await run({ command: "sleep 60 & echo $! > child; sleep 60", timeout_s: 1 });
    expect(result.kind).toBe("error");
    expect(result.text).toContain("ended after its time limit of 1 s");
    await until(() => !lives(pidIn("child")));
  });

  it("is killed when it ignores being asked", async () => {
    const result = await run({
      command: "trap '' TERM; echo $$ > self; echo deaf; while :; do sleep 0.1; done",
      timeout_s: 1,
    });
    expect(result.text).toMatch(/^deaf\n/);
    await until(() => !lives(pidIn("self")));
  });

  it("is ended by an interrupt, and what it printed until then is kept", async () => {
    const abort = new AbortController();
    const running = run({ command: "echo begun; echo $$ > self; sleep 60" }, contextWith({ signal: abort.signal }));
    await until(() => fileIsWritten("self"));
    abort.abort();
    const result = await running;
    expect(result.text).toMatch(/^begun\n\[interrupted after/);
    await until(() => !lives(pidIn("self")));
  });

  it("is heard to its last word", async () => {
    const abort = new AbortController();
    const command = "trap 'seq 1 5000; exit 0' TERM; echo > mark; while :; do sleep 0.05; done";
    const running = run({ command }, contextWith({ signal: abort.signal }));
    await until(() => fileIsWritten("mark"));
    abort.abort();
    expect((await running).text).toContain("\n5000\n[interrupted");
  });

  it("does not start at all when the interrupt came first", async () => {
    const result = await run({ command: "touch made" }, contextWith({ signal: AbortSignal.abort() }));
    expect(result.text).toContain("nothing was run");
    expect(fileIsWritten("made")).toBe(false);
  });
});

describe("what a command leaves behind", () => {
  it("[TC-20] does not hold up the result though it holds the pipe, and ends with the turn", async () => {
    const started = performance.now();
    const result = await run({ command: "sleep 60 & echo $! > child; echo done" });
    expect(performance.now() - started).toBeLessThan(45_000);
    expect(result.text).toMatch(/^done\n\[exit code 0; something it started still runs/);
    expect(lives(pidIn("child"))).toBe(true);
    await processes.endTurn("another" as TurnId);
    expect(lives(pidIn("child"))).toBe(true);
    await processes.endTurn("turn-1" as TurnId);
    await until(() => !lives(pidIn("child")));
  });

  it("[TC-20] ends with the turn when it closed its pipes, too", async () => {
    await run({ command: "sleep 60 >/dev/null 2>&1 </dev/null & echo $! > child" });
    expect(lives(pidIn("child"))).toBe(true);
    await processes.endTurn("turn-1" as TurnId);
    await until(() => !lives(pidIn("child")));
  });
});

describe("a process in the background", () => {
  async function start(command: string, context = contextWith()): Promise<string> {
    const result = await run({ command, background: true }, context);
    expect(result.kind).toBe("ok");
    return String(result.body?.["process"]);
  }

  it("returns its id at once, and can be polled, waited for and read on from a character", async () => {
    const id = await start("echo one; until [ -e gate ]; do sleep 0.02; done; echo two; exit 4");
    expect((await ask({ action: "poll", id })).text).toMatch(/running for \d+ s/);
    writeFileSync(join(folder, "gate"), "");
    const end = await ask({ action: "wait", id, timeout_s: 45 });
    expect(end.text).toMatch(/exit code 4 after[\s\S]*one\ntwo\n/);
    expect(end.body).toMatchObject({ phase: "ended", next: 8 });
    expect((await ask({ action: "poll", id, since: 4 })).text).toMatch(/\ntwo\n\n\[next since: 8/);
  });

  it("waits no longer than it is told, and not after an interrupt", async () => {
    const id = await start("sleep 60");
    expect((await ask({ action: "wait", id, timeout_s: 1 })).text).toContain("running");
    const result = await ask({ action: "wait", id, timeout_s: 60 }, contextWith({ signal: AbortSignal.timeout(50) }));
    expect(result.text).toContain("running");
  });

  it("reads what is written to it until its input is closed", async () => {
    const id = await start('while read -r line; do echo "got $line"; done; echo bye');
    expect((await ask({ action: "write", id, text: "first\n" })).kind).toBe("ok");
    expect((await ask({ action: "write", id, text: "second\n", close: true })).kind).toBe("ok");
    expect((await ask({ action: "wait", id })).text).toContain("got first\ngot second\nbye\n");
    expect(await ask({ action: "write", id, text: "late\n" })).toMatchObject({ kind: "error" });
  });

  it("is killed with everything it started, as often as one likes", async () => {
    const id = await start("sleep 60 & echo $! > child; wait");
    await until(() => fileIsWritten("child"));
    for (let i = 0; i < 2; i++) expect((await ask({ action: "kill", id })).kind).toBe("ok");
    await until(() => !lives(pidIn("child")));
    expect((await ask({ action: "list" })).text).toMatch(/killed after/);
  });

  it("[TC-21] is nobody else's business, outlives its turn, and keeps its conversation alive until it ends", async () => {
    const mine = contextWith();
    const other = contextWith({ conversation: "conversation-2" as ConversationId });
    const id = await start("sleep 60", mine);
    expect((await ask({ action: "list" }, other)).text).toBe("No background processes.");
    for (const action of ["poll", "kill", "write", "wait"]) {
      expect((await ask({ action, id, text: "x" }, other)).text).toContain("There is no process");
    }
    await processes.endTurn(mine.turn);
    expect(processes.hasLive(mine.conversation)).toBe(true);
    expect(processes.hasLive(other.conversation)).toBe(false);
    await ask({ action: "kill", id }, mine);
    expect(processes.hasLive(mine.conversation)).toBe(false);
  });

  it("[TC-21] ends with the host", async () => {
    await start("echo $$ > self; sleep 60");
    await until(() => fileIsWritten("self"));
    await processes.endAll();
    await until(() => !lives(pidIn("self")));
    expect((await run({ command: "touch late" })).text).toContain("shutting down");
  });

  it("is refused beyond the bound, and the ended ones are forgotten beyond theirs", async () => {
    const context = contextWith();
    for (let i = 0; i < 16; i++) await start("sleep 60", context);
    expect((await run({ command: "sleep 60", background: true }, context)).text).toContain("16 background processes");
    for (const one of processes.list(context.conversation)) await processes.kill(one);
    for (let i = 0; i < 3; i++) await ask({ action: "wait", id: await start("true", context) }, context);
    expect(processes.list(context.conversation)).toHaveLength(16);
  });

  it("[CT-5] says of each action what may be done again", () => {
    const effects = ["list", "poll", "wait", "write", "kill"].map((action) => effectOf(processTool, { action }));
    expect(effects).toEqual(["read-only", "read-only", "read-only", "at-most-once", "idempotent"]);
  });
});

describe("before a command runs", () => {
  const judge = async (tool: Tool, input: Record<string, unknown>): Promise<string> => {
    const guard = await tool.guard?.(tool.input.parse(input), { cwd: folder, home: join(folder, "home") });
    return guard?.kind === "ask" ? guard.grant : (guard?.kind ?? "none");
  };

  it("[AP-23] [AP-24] it is judged, with what it reads and where it runs", async () => {
    expect(await judge(terminal, { command: "ls" })).toBe("allow");
    expect(await judge(terminal, { command: "rm -rf build" })).toBe("terminal:recursive-delete");
    expect(await judge(terminal, { command: "rm -rf /" })).toBe("refuse");
    expect(await judge(terminal, { command: "rm -rf *", cwd: "/" })).toBe("refuse");
    expect(await judge(terminal, { command: "bash", stdin: "rm -rf /" })).toBe("refuse");
    expect(await judge(terminal, { command: `kill ${process.pid}` })).toBe("refuse");
    expect(await judge(terminal, { command: "cat ./home/.env" })).toBe("refuse");
  });

  it("[AP-23] a link to our own folder opens nothing, also one that was made after the judgement", async () => {
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", ".env"), "KEY=1");
    writeFileSync(join(folder, "home", "state.db"), "x");
    const commands = ["cat link/.env | rev", "rm -f link/state.db", "echo 'approvals: {}' >> link/config.yaml"];
    for (const command of commands) expect(await judge(terminal, { command })).toBe("allow");
    symlinkSync("home", join(folder, "link"));
    expect(execFileSync("cat", [join(folder, "link", ".env")], { encoding: "utf8" })).toBe("KEY=1");
    for (const command of commands) {
      expect(await judge(terminal, { command })).toBe("refuse");
      expect(await run({ command })).toMatchObject({
        kind: "error",
        text: expect.stringMatching(/^Refused: .*nothing was run/),
      });
    }
    expect(fileIsWritten("home/state.db")).toBe(true);
    expect(fileIsWritten("home/config.yaml")).toBe(false);
  });

  it("[AP-20] a working directory outside is asked about, together with what else is asked", async () => {
    expect(await judge(terminal, { command: "ls", cwd: "/usr/share" })).toBe("write outside: /usr/share");
    expect(await judge(terminal, { command: "sudo ls", cwd: "/usr/share" })).toBe(
      "terminal:elevate, write outside: /usr/share",
    );
    expect(await judge(terminal, { command: "ls", cwd: "home/run" })).toBe("refuse");
  });

  it("[AP-23] so is what is written to a process, since that may be a shell", async () => {
    expect(await judge(processTool, { action: "write", id: "x", text: "rm -rf /\n" })).toBe("refuse");
    expect(await judge(processTool, { action: "write", id: "x", text: "y\n" })).toBe("allow");
    expect(await judge(processTool, { action: "list" })).toBe("allow");
  });

  it("[AP-23] in pieces is judged as the whole that the process reads", async () => {
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", ".env"), "KEY=told");
    const id = String((await run({ command: "bash", background: true })).body?.["process"]);
    const pieces: readonly (readonly string[])[] = [
      ["cat home/.e", "nv\n"],
      ["D=home\n", "F=.env\n", 'cat "$D/$F"\n'],
      ["cd home\n", "cat .en", "v\n"],
      ["cat \\\n", "home/.env\n"],
      ["if true; then\n", "rm -rf \\\n", "/\n"],
    ];
    for (const [index, given] of pieces.entries()) {
      for (const [at, text] of given.entries()) {
        const isLast = at === given.length - 1;
        const input = { action: "write", id, text };
        const isRefused = (await judge(processTool, input)) === "refuse";
        expect([index, at, isRefused]).toEqual([index, at, isLast]);
        // Also when it was judged before the others were written.
        expect((await ask(input)).kind).toBe(isLast ? "error" : "ok");
      }
      expect((await ask({ action: "write", id, text: "\n" })).kind).toBe("ok");
    }
    await ask({ action: "write", id, text: "", close: true });
    expect((await ask({ action: "wait", id })).text).not.toContain("told");
  });

  it("[AP-23] is judged as code as well, since what reads it may be no shell", async () => {
    const id = String((await run({ command: "python3 -i", background: true })).body?.["process"]);
    const write = (text: string): Promise<string> => judge(processTool, { action: "write", id, text });
    expect(await write("import os; os.system('rm -rf /')\n")).toBe("refuse");
    expect(await write('shutil.rmtree("/etc")\n')).toBe("refuse");
    expect(await write(`open("${join(folder, "home", ".env")}").read()\n`)).toBe("refuse");
    expect(await write('open(f"/proc/{p}/environ")\n')).toBe("refuse");
    expect(await write('print("it\'s fine", 1 + 1)\n')).toBe("allow");
  });

  it("[AP-24] a program that does what is written to it is asked about before it starts", async () => {
    const open = "terminal:open-interpreter";
    for (const command of [
      "bash",
      "sh -i",
      "timeout 60 bash --norc",
      "bash -s -- a",
      "python3",
      "python3 -i setup.py",
      "python3 -u -",
      "node",
      "node --inspect",
      "psql mydb",
      "sqlite3 a.db",
      "docker run -i --rm alpine",
      "source /dev/stdin",
      "xargs -I{} sh -c '{}'",
      "make -f -",
      "vim x",
    ]) {
      expect([command, await judge(terminal, { command, background: true })]).toEqual([command, open]);
      expect([command, await judge(terminal, { command })]).toEqual([command, "allow"]);
    }
    for (const command of [
      "npm run dev",
      "node server.js",
      "python3 -m http.server -d src 8000",
      "python3 -u worker.py",
      "bash build.sh",
      "bash -c 'sleep 1'",
      "php -S localhost:8000",
      "sqlite3 a.db 'select 1'",
      "psql -c 'select 1'",
      "docker compose up",
      "tail -f a.log",
      "while read -r line; do echo $line; done",
      "cat",
      "sleep 60",
    ]) {
      expect([command, await judge(terminal, { command, background: true })]).toEqual([command, "allow"]);
    }
  });

  it("refuses input that no command can be", () => {
    for (const input of [
      { command: "" },
      { command: "a\0b" },
      { command: "x", timeout_s: 0 },
      { command: "x", timeout_s: 1e6 },
    ]) {
      expect(terminal.input.safeParse(input).success).toBe(false);
    }
  });

  it("is told to a person in one line", () => {
    expect(terminal.summary({ command: "npm\n  test", background: true })).toBe("$ npm test &");
    expect(terminal.summary({ command: "x".repeat(500) }).length).toBeLessThan(130);
  });
});

it("a spool that cannot be written costs the copy, not the command", async () => {
  writeFileSync(join(folder, "spool"), "a file where a folder should be");
  const result = await run({ command: "seq 1 20000" });
  expect(result).toMatchObject({ kind: "ok", text: expect.stringMatching(/left out and not kept/) });
});
