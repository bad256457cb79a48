import { mkdtempSync, renameSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { console as consoleKind } from "#platform/console/kind.js";
import { LINE_CHARS_MAX } from "#platform/console/wire.js";
import { eventually, type RecordingReceiver, recordingReceiver } from "#platform/contract/platform.contract.js";
import { type Platform, PlatformRefusal } from "#platform/platform.js";
import { removeFolder } from "../../support/remove-folder.js";

let folder: string;
let path: string;
let receiver: RecordingReceiver;
let ending: AbortController;
let running: Promise<void>;
const sockets: Socket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tc-"));
  path = join(folder, "c.sock");
  receiver = recordingReceiver();
  ending = new AbortController();
  running = Promise.resolve();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  ending.abort();
  await running.catch(() => undefined);
  removeFolder(folder);
});

const open = (socket = path): Promise<Platform> =>
  consoleKind.open(
    { socket, name: "talaria" },
    {
      account: "main",
      clock: systemClock,
      log: createLogger({ path: join(folder, "log"), clock: systemClock }),
      receiver,
      cursors: async () => new Map(),
    },
  );

async function start(): Promise<Platform> {
  const platform = await open();
  running = platform.run(ending.signal);
  await eventually("it is up", () => receiver.ups > 0);
  return platform;
}

function client(): { socket: Socket; lines(): readonly string[] } {
  const socket = connect(path);
  sockets.push(socket);
  let text = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { socket, lines: () => text.split("\n").filter((line) => line !== "") };
}

const place = { chat: { type: "dm" as const, id: "console" } };

describe("a person at a bare socket", () => {
  it("types words and sees words", async () => {
    const platform = await start();
    const person = client();
    person.socket.write("hello there\n");
    const heard = await receiver.hears("hello there");
    expect(heard).toMatchObject({ chat: { type: "dm", id: "console" }, sender: { id: "console" }, isAddressed: true });
    const outcome = await platform.send({ id: "d1", place, text: "good day" }, AbortSignal.timeout(30_000));
    expect(outcome).toEqual({ kind: "sent", receipt: "d1" });
    await eventually("it is there", () => person.lines().includes("good day"));
  });

  it("sees an answer grow, and not anew at every word", async () => {
    const platform = await start();
    const person = client();
    person.socket.write("hello there\n");
    await receiver.hears("hello there");
    const say = (text: string) => ({ id: "d1", place, text });
    const signal = AbortSignal.timeout(30_000);
    await platform.send(say("It is"), signal);
    await platform.edit?.(place, "d1", say("It is noon.\nNearly"), signal);
    await platform.edit?.(place, "d1", say("It is noon.\nNearly so."), signal);
    await platform.edit?.(place, "d1", say("No."), signal);
    await platform.send({ ...say("Another."), id: "d2" }, signal);
    await eventually("all is there", () => person.lines().includes("Another."));
    expect(person.lines()).toEqual(["It is noon.", "Nearly so.", "No.", "Another."]);
  });

  it("[CT-2] says every line under an id of its own, on every connection", async () => {
    await start();
    client().socket.write("same\nsame\n");
    client().socket.write("same\n");
    await eventually("all are heard", () => receiver.heard.length === 3);
    expect(new Set(receiver.heard.map((one) => one.eventId)).size).toBe(3);
  });

  it("is told when something could not be kept", async () => {
    await start();
    receiver.rejectNext(1);
    const person = client();
    person.socket.write("hello\n");
    await eventually("it is told", () => person.lines().includes("! the disk is full"));
  });
});

describe("a client that speaks JSON", () => {
  it("[CT-3] that shows one chat is not told of another's, which waits for somebody who shows it", async () => {
    const platform = await start();
    const mine = client();
    mine.socket.write('{"type":"hello","chat":"mine"}\n{"id":"1","chat":"mine","who":"me","text":"hello"}\n');
    await receiver.hears("hello");
    const theirs = { id: "d1", place: { chat: { type: "dm" as const, id: "theirs" } }, text: "for them" };
    expect(await platform.send(theirs, AbortSignal.timeout(30_000))).toMatchObject({ kind: "retry" });
    const sending = platform.send({ ...theirs, id: "d2", place: { chat: { type: "dm", id: "mine" } } }, ending.signal);
    await eventually("it is told", () => mine.lines().some((line) => line.includes('"d2"')));
    mine.socket.write('{"type":"shown","id":"d2"}\n');
    expect(await sending).toEqual({ kind: "sent", receipt: "d2" });
    expect(mine.lines().join()).not.toContain("d1");
  });

  it("is told what is wrong with a line, and goes on", async () => {
    await start();
    const one = client();
    one.socket.write('{"type":"hello"}\n{"id":"1","chat":"c","text":"no sender"}\nnonsense\n');
    one.socket.write('{"id":"2","chat":"c","who":"me","text":"hello"}\n');
    await receiver.hears("hello");
    await eventually("it is kept", () => one.lines().some((line) => line.includes("kept")));
    expect(one.lines().map((line) => JSON.parse(line))).toEqual([
      { type: "refused", id: "1", why: expect.any(String) },
      { type: "refused", why: expect.any(String) },
      { type: "kept", id: "2" },
    ]);
  });

  it("loses its line when it sends one without end", async () => {
    await start();
    const one = client();
    const closed = new Promise((resolve) => one.socket.once("close", resolve));
    one.socket.write("x".repeat(LINE_CHARS_MAX + 10));
    await closed;
    expect(one.lines()[0]).toContain("at most");
  });

  it("is read no further while too much of what it said is not kept yet", async () => {
    await start();
    const release = receiver.hold();
    const one = client();
    const line = JSON.stringify({ chat: "c", who: "me", text: "x".repeat(60_000) });
    for (let at = 0; at < 400; at++) one.socket.write(`${line.replace("{", `{"id":"${at}",`)}\n`);
    await eventually("it has begun", () => receiver.heard.length >= 64);
    await systemClock.sleep(100);
    expect(receiver.heard.length).toBeLessThan(150);
    release();
    await eventually("all of it is kept", () => receiver.kept.length === 400);
  });
});

describe("the socket", () => {
  it("is closed to other users", async () => {
    await start();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("takes the place of one that a dead process left", async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(path, resolve));
    // Closing would remove the file; a process that dies does not close.
    const kept = join(folder, "kept.sock");
    renameSync(path, kept);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(kept, path);
    await start();
    client().socket.write("hello\n");
    await receiver.hears("hello");
  });

  it("is left to another process that listens there", async () => {
    await start();
    const second = await open();
    await expect(second.run(ending.signal)).rejects.toBeInstanceOf(PlatformRefusal);
  });

  it("is never a file that is something else, nor longer than a kernel allows", async () => {
    writeFileSync(path, "precious");
    await expect((await open()).run(ending.signal)).rejects.toBeInstanceOf(PlatformRefusal);
    await expect((await open(join(folder, "x".repeat(110)))).run(ending.signal)).rejects.toBeInstanceOf(
      PlatformRefusal,
    );
    expect(statSync(path).size).toBe(8);
  });

  it("keeps what is to be shown for whoever comes when nobody is there", async () => {
    const platform = await start();
    client();
    const outcome = await platform.send({ id: "d1", place, text: "hello" }, AbortSignal.timeout(30_000));
    expect(outcome).toMatchObject({ kind: "retry" });
  });
});
