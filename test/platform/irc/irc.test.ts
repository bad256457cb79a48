import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { eventually, type RecordingReceiver, recordingReceiver } from "#platform/contract/platform.contract.js";
import { irc } from "#platform/irc/kind.js";
import { type Platform, PlatformRefusal } from "#platform/platform.js";
import { type Server, startNgircd } from "./ngircd.js";
import { findNgircd } from "./ngircd-binary.js";
import { Person } from "./person.js";
import { ScriptedServer } from "./scripted-server.js";

const found = await findNgircd();
const hasServer = !("missing" in found);

let receiver: RecordingReceiver;
let ending: AbortController;
let running: Promise<unknown>;
const ends: (() => Promise<void>)[] = [];

beforeEach(() => {
  receiver = recordingReceiver();
  ending = new AbortController();
  running = Promise.resolve();
});

afterEach(async () => {
  ending.abort();
  await running;
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(port: number, more: Record<string, unknown> = {}): Promise<Platform> {
  const settings = irc.settings.parse({ host: "127.0.0.1", port, nick: "talaria", ...more });
  const log = createLogger({ path: "/dev/null", clock: systemClock });
  return irc.open(settings, { account: "main", clock: systemClock, log, receiver, cursors: async () => new Map() });
}

async function start(port: number, more: Record<string, unknown> = {}): Promise<Platform> {
  const platform = await open(port, more);
  running = platform.run(ending.signal).catch((error: unknown) => error);
  await eventually("it is up", () => receiver.ups > 0);
  return platform;
}

const send = (platform: Platform, id: string, text: string) =>
  platform.send(
    { id: "d", place: { chat: { type: id.startsWith("#") ? "group" : "dm", id } }, text },
    AbortSignal.timeout(30_000),
  );

describe.runIf(hasServer)("on a real server", () => {
  let server: Server;
  let alice: Person;

  beforeEach(async () => {
    if ("missing" in found) return;
    server = await startNgircd(found);
    ends.push(() => server.stop());
    alice = await Person.join(server.port, "alice", ["#kitchen"]);
    ends.push(() => alice.leave());
  });

  it("names people and private chats by their mask, and channels by name", async () => {
    await start(server.port, { channels: ["#Kitchen"] });
    await alice.say("talaria", "hello");
    await alice.say("#kitchen", "anybody there, talaria?");
    expect(await receiver.hears("hello")).toMatchObject({
      sender: { id: "alice!~alice@127.0.0.1", name: "alice" },
      chat: { type: "dm", id: expect.stringMatching(/^alice!.+@.+$/) },
    });
    expect(await receiver.hears("anybody there, talaria?")).toMatchObject({
      chat: { type: "group", id: "#kitchen" },
      isAddressed: true,
    });
  });

  it("is not addressed by a word that only begins like its name", async () => {
    await start(server.port, { channels: ["#kitchen"] });
    await alice.say("#kitchen", "talarias and not-talaria");
    expect((await receiver.hears("talarias and not-talaria")).isAddressed).toBe(false);
  });

  it("leaves notices, requests between clients and its own words alone", async () => {
    const platform = await start(server.port, { channels: ["#kitchen"] });
    alice.raw("NOTICE talaria :a notice");
    alice.raw("PRIVMSG talaria :\x01VERSION\x01");
    alice.raw("PRIVMSG talaria :\x01ACTION waves\x01");
    expect(await send(platform, "#kitchen", "my own words")).toMatchObject({ kind: "sent" });
    await alice.say("talaria", "\x02bold\x02 and \x0304,01red\x03");
    await receiver.hears("bold and red");
    expect(receiver.heard).toHaveLength(1);
    expect(alice.lines.some((line) => line.includes("VERSION"))).toBe(false);
  });

  it("is refused by whom it cannot reach: nobody of that name, a channel that is closed to it", async () => {
    const platform = await start(server.port);
    expect(await send(platform, "nobody", "hello")).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("401"),
    });
    expect(await send(platform, "#kitchen", "hello")).toMatchObject({ kind: "sent" });
    alice.raw("MODE #kitchen +n");
    await alice.settled();
    expect(await send(platform, "#kitchen", "again")).toMatchObject({
      kind: "refused",
      why: expect.stringMatching(/404|442/),
    });
    expect(await send(platform, "alice", "hello")).toMatchObject({ kind: "sent" });
  });

  it("writes one line for one send, whatever the target and the text say", async () => {
    const platform = await start(server.port);
    for (const target of ["alice\r\nQUIT", "alice,bob", "a b", "", ":alice"]) {
      expect(await send(platform, target, "hello")).toMatchObject({ kind: "refused" });
    }
    expect(await send(platform, "alice", "one\r\nQUIT :bye\0\x01")).toMatchObject({ kind: "sent" });
    await alice.settled();
    expect(alice.heard.map((one) => one.text)).toEqual(["one", "QUIT :bye"]);
  });

  it("arrives whole also where its own mask and the target are long", async () => {
    const channel = `#${"c".repeat(45)}`;
    const platform = await start(server.port, { nick: "talaria-with-a-long-nick", channels: [channel] });
    alice.raw(`JOIN ${channel}`);
    await alice.settled();
    const text = "wörter ".repeat(50).trim();
    expect(await send(platform, channel, text)).toMatchObject({ kind: "sent" });
    await alice.settled();
    expect(alice.heard.map((one) => one.text).join(" ")).toBe(text);
  });

  it("takes another nick while its own is taken, and its own when that is free again", async () => {
    const other = await Person.join(server.port, "talaria", ["#kitchen"]);
    ends.push(() => other.leave());
    const platform = await start(server.port, { channels: ["#kitchen"] });
    await alice.say("talaria_", "who are you?");
    await receiver.hears("who are you?");
    await alice.say("#kitchen", "talaria_: and here?");
    expect(await receiver.hears("and here?")).toMatchObject({ isAddressed: true });
    other.raw("QUIT :bye");
    await eventually("it has its nick", () => alice.lines.some((line) => /^:talaria_!\S+ NICK :?talaria$/.test(line)));
    await alice.say("talaria", "welcome back");
    await receiver.hears("welcome back");
    expect(await send(platform, "alice", "thank you")).toMatchObject({ kind: "sent" });
  });

  it("[CT-8] tells whoever said it that a message could not be kept", async () => {
    await start(server.port);
    receiver.rejectNext(2);
    await alice.say("talaria", "lost");
    await alice.say("talaria", "lost too");
    await eventually("it is told", () => alice.lines.some((line) => /NOTICE alice :.*say it again/.test(line)));
    await alice.say("talaria", "heard");
    await receiver.hears("heard");
    await alice.settled();
    expect(alice.lines.filter((line) => line.includes("NOTICE alice"))).toHaveLength(1);
  });

  it("knows that a wrong password is no use trying again", async () => {
    if ("missing" in found) return;
    const closed = await startNgircd(found, { password: "right" });
    ends.push(() => closed.stop());
    const platform = await open(closed.port, { password: "wrong" });
    await expect(platform.run(ending.signal)).rejects.toBeInstanceOf(PlatformRefusal);
    await start(closed.port, { password: "right" });
  });
});

describe("on a server that can more, or less", () => {
  let server: ScriptedServer;

  async function scripted(caps = ""): Promise<void> {
    server = await ScriptedServer.start(caps);
    ends.push(() => server.stop());
  }

  it("[CT-2] takes the server's names of messages, and the account behind a mask", async () => {
    await scripted("message-tags account-tag");
    await start(server.port);
    server.tell("@msgid=abc;account=ally :alice!a@h PRIVMSG talaria :hello");
    server.tell("@msgid=abc;account=ally :alice!a@h PRIVMSG talaria :hello");
    await eventually("both are heard", () => receiver.heard.length === 2);
    for (const one of receiver.heard)
      expect(one).toMatchObject({ eventId: "msgid:abc", sender: { altId: "account:ally" } });
  });

  it("[CT-2] does not hear again what is played back without names", async () => {
    await scripted("batch message-tags");
    await start(server.port);
    server.tell(":s BATCH +1 znc.in/playback talaria");
    server.tell("@batch=1 :alice!a@h PRIVMSG talaria :from before");
    server.tell(":s BATCH -1");
    server.tell(":alice!a@h PRIVMSG talaria :from now");
    await receiver.hears("from now");
    expect(receiver.heard).toHaveLength(1);
  });

  it("shows the server's name of what it said as its receipt", async () => {
    await scripted("echo-message message-tags");
    server.answer = (line) => (line.startsWith("PRIVMSG") ? [`@msgid=m7 :talaria!t@h ${line}`] : undefined);
    const platform = await start(server.port);
    expect(await send(platform, "alice", "hello")).toEqual({ kind: "sent", receipt: "m7" });
    expect(receiver.heard).toEqual([]);
  });

  it("[CT-4] tells the answers to several sends apart", async () => {
    await scripted();
    const platform = await start(server.port);
    const pings: string[] = [];
    server.answer = (line) => {
      if (line.startsWith("PING")) pings.push(line.slice("PING ".length));
      return line.startsWith("PING") ? [] : undefined;
    };
    const outcomes = ["alice", "bob", "carol"].map((nick) => send(platform, nick, "hello"));
    await eventually("all were asked about", () => pings.length === 3);
    server.tell(":s 401 talaria bob :No such nick");
    for (const token of pings) server.tell(`:s PONG s :${token}`);
    expect((await Promise.all(outcomes)).map((one) => one.kind)).toEqual(["sent", "refused", "sent"]);
  });

  it("survives lines that make no sense", async () => {
    await scripted();
    await start(server.port);
    for (const line of [
      ":x PRIVMSG",
      "PRIVMSG",
      ":x NOTICE",
      ":x NICK",
      ":x MODE",
      "@ : ",
      ":x 353",
      ":x KICK",
      "\xff\xfe",
      ":x CAP",
    ])
      server.tell(line);
    server.tell(":alice!a@h PRIVMSG talaria :still there?");
    await receiver.hears("still there?");
  });

  it("knows that an account it cannot log in to is no use trying again", async () => {
    await scripted();
    const platform = await open(server.port, { sasl: { account: "a", password: "b" } });
    server.answer = (line) => (line.startsWith("USER") ? [":s 904 talaria :SASL authentication failed"] : undefined);
    await expect(platform.run(ending.signal)).rejects.toBeInstanceOf(PlatformRefusal);
  });

  it("logs in to its account where that is asked of it, and does not come in without", async () => {
    const settings = { sasl: { account: "ally", password: "secret" } };
    for (const caps of ["", "multi-prefix"]) {
      await scripted(caps);
      await expect((await open(server.port, settings)).run(ending.signal)).rejects.toBeInstanceOf(PlatformRefusal);
    }
    await scripted("sasl");
    server.answer = (line) => {
      if (line === "AUTHENTICATE PLAIN") return ["AUTHENTICATE +"];
      const isRight = line === `AUTHENTICATE ${Buffer.from("ally\0ally\0secret").toString("base64")}`;
      return isRight
        ? [":s 900 * * ally :You are now logged in", ":s 903 * :SASL authentication successful"]
        : undefined;
    };
    await start(server.port, settings);
  });

  it("says that the line is lost when there is nobody", async () => {
    await scripted();
    const { port } = server;
    await server.stop();
    ends.length = 0;
    await expect((await open(port)).run(ending.signal)).rejects.toThrow(/ECONNREFUSED/);
  });

  it("ends at once while the server says nothing", async () => {
    await scripted();
    server.answer = () => [];
    const platform = await open(server.port);
    const over = platform.run(ending.signal);
    await eventually("it has come", () => server.lines.length > 0);
    const startMs = systemClock.monotonicMs();
    ending.abort();
    await over;
    expect(systemClock.monotonicMs() - startMs).toBeLessThan(15_000);
    expect(receiver.ups).toBe(0);
  });
});
