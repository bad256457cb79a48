/** What becomes of a send, told by how far it came: every way in which Telegram or the line to it can fail. */

import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.js";
import { abortedOnce } from "../../../src/platform/contract/recording.js";
import type { SendOutcome } from "../../../src/platform/platform.js";
import { type Bench, openBench } from "./bench.js";
import { refusal, type TelegramFault } from "./fake-faults.js";
import type { FakeTelegram } from "./fake-telegram.js";
import { FORUM_ID, GROUP_ID, PEOPLE, TOPIC_ID } from "./fake-world.js";

let bench: Bench | undefined;
afterEach(async () => {
  for (const line of bench?.logged ?? []) expect(line).not.toContain(bench?.fake.token);
  await bench?.stop();
  bench = undefined;
});

async function open(settings: object = {}): Promise<Bench> {
  bench = await openBench({ settings });
  return bench;
}

/** For what hangs, not for what is slow. */
const LIMIT_MS = 30_000;
/** A line on which nothing is said at all is called off after this. */
const MUTE_MS = 600;
/** How long an answer trickles before the send is called off. */
const TRICKLE_MS = 300;
const ENDLESS: readonly TelegramFault["kind"][] = ["silent", "half-open", "slow"];
const said = (code: number, description: string, parameters?: object): TelegramFault => ({
  kind: "answer",
  status: code,
  body: JSON.stringify(refusal(code, description, parameters)),
});
const raw = (status: number, body: string, isTaken = false): TelegramFault => ({
  kind: "answer",
  status,
  body,
  isTaken,
});

const TABLE: readonly [string, TelegramFault, Partial<SendOutcome>, number][] = [
  [
    "429 with a second",
    said(429, "Too Many Requests: retry after 1", { retry_after: 1 }),
    { kind: "retry", afterMs: 1000 },
    0,
  ],
  ["429 with an hour", said(429, "Too Many Requests", { retry_after: 3600 }), { kind: "retry", afterMs: 3_600_000 }, 0],
  ["403 blocked", said(403, "Forbidden: bot was blocked by the user"), { kind: "refused" }, 0],
  [
    "400 that nobody foresaw",
    said(400, "Bad Request: MESSAGE_TOO_STRANGE"),
    { kind: "refused", why: "MESSAGE_TOO_STRANGE" },
    0,
  ],
  ["401", said(401, "Unauthorized"), { kind: "retry", scope: "platform" }, 0],
  ["500 in Telegram's words", said(500, "Internal Server Error: restart"), { kind: "unknown" }, 0],
  [
    "500 although it was taken",
    { ...(said(500, "Internal Server Error") as object), isTaken: true } as TelegramFault,
    { kind: "unknown" },
    1,
  ],
  ["502 of a front end", { kind: "server-error" }, { kind: "unknown" }, 0],
  ["504 although it was taken", raw(504, "<html>504</html>", true), { kind: "unknown" }, 1],
  ["413 of a front end", raw(413, "<html>413</html>"), { kind: "refused" }, 0],
  ["429 of a front end", raw(429, "slow down"), { kind: "retry", scope: "platform" }, 0],
  ["200 with a page", raw(200, "<html>Welcome to the hotel</html>"), { kind: "unknown" }, 0],
  ["200 with half an answer", raw(200, '{"ok":true,"resu', true), { kind: "unknown" }, 1],
  ["200 with nothing", raw(200, ""), { kind: "unknown" }, 0],
  ["200 with null", raw(200, "null"), { kind: "unknown" }, 0],
  ["200 without a yes", raw(200, "{}"), { kind: "unknown" }, 0],
  ["an answer without a number", raw(200, '{"ok":true,"result":{}}', true), { kind: "sent", receipt: "unnamed:d0" }, 1],
  [
    "an answer of another shape",
    raw(200, '{"ok":true,"result":true}', true),
    { kind: "sent", receipt: "unnamed:d0" },
    1,
  ],
  [
    "an answer with a wrong number",
    raw(200, '{"ok":true,"result":{"message_id":1}}', true),
    { kind: "sent", receipt: "1" },
    1,
  ],
  ["a line that is cut before", { kind: "cut-before" }, { kind: "unknown" }, 0],
  ["a line that is cut after, and people see it", { kind: "cut-after" }, { kind: "unknown" }, 1],
  ["a line that is cut within the answer", { kind: "cut-within" }, { kind: "unknown" }, 1],
  ["no answer, and people see it", { kind: "silent" }, { kind: "unknown" }, 1],
  ["no answer, and nobody sees it", { kind: "half-open" }, { kind: "unknown" }, 0],
  ["an answer byte by byte", { kind: "slow" }, { kind: "unknown" }, 1],
];

describe("a send to Telegram", () => {
  it.each(TABLE)("[CT-4] tells of %s", async (_, fault, outcome, count) => {
    const { fake, send } = await open();
    fake.fail(["send"], fault);
    const signal = ENDLESS.includes(fault.kind) ? onceMet(fake, "sendMessage", fault) : AbortSignal.timeout(LIMIT_MS);
    expect(await send("dm", "hello", signal)).toMatchObject(outcome);
    expect(fake.sent()).toHaveLength(count);
    expect(fake.calls()["sendMessage"], "one request, no retry of the library's own").toBe(1);
  });

  it("[CT-4] proves that nothing left when nobody listens", async () => {
    const { fake, send, logged } = await open();
    const heal = await fake.partition();
    expect(await send("dm", "hello")).toMatchObject({ kind: "retry", scope: "platform" });
    await heal();
    expect(await send("dm", "hello")).toMatchObject({ kind: "sent" });
    expect(JSON.stringify(logged)).not.toContain(fake.token);
  });

  it("[CT-4] proves that nothing left when the name leads nowhere", async () => {
    const { send, fake } = await open({ api_root: "http://telegram.invalid" });
    const outcome = await send("dm", "hello");
    expect(outcome).toMatchObject({ kind: "retry", scope: "platform" });
    expect(JSON.stringify(outcome)).not.toContain(fake.token);
  });

  it("[CT-4] proves that nothing left when the line is never encrypted", async () => {
    const mute = await listen(createServer());
    const garbled = await listen(createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
    try {
      for (const server of [mute, garbled]) {
        const { port } = server.address() as AddressInfo;
        const { send, stop } = await openBench({ settings: { api_root: `https://127.0.0.1:${port}` } });
        expect(await send("dm", "hello", AbortSignal.timeout(MUTE_MS))).toMatchObject({
          kind: "retry",
          scope: "platform",
        });
        await stop();
      }
    } finally {
      mute.close();
      garbled.close();
    }
  });

  it("[CT-4] says again as plain text what Telegram cannot read, once", async () => {
    const { fake, send } = await open();
    fake.fail(["send"], { kind: "markup-refused" });
    expect(await send("dm", "**bold** <words>")).toMatchObject({ kind: "sent" });
    expect(fake.sent()).toMatchObject([{ text: "**bold** <words>", parseMode: undefined }]);
    fake.fail(["send"], said(400, "Bad Request: can't parse entities"), 2);
    expect(await send("dm", "again")).toMatchObject({ kind: "refused" });
    expect(fake.sent()).toHaveLength(1);
  });

  it("[CT-4] judges the plain attempt as any other", async () => {
    const { fake, send } = await open();
    fake.fail(["send"], { kind: "markup-refused" });
    fake.fail(["send"], { kind: "cut-after" });
    expect(await send("dm", "hello")).toMatchObject({ kind: "unknown" });
    expect(fake.sent()).toHaveLength(1);
  });

  it("[CT-4] writes to a group that moved under its new number, and remembers it", async () => {
    const { fake, send } = await open();
    fake.world.meet(-10055);
    fake.world.moved.set(GROUP_ID, -10055);
    expect(await send("group", "hello")).toMatchObject({ kind: "sent" });
    expect(await send("group", "again")).toMatchObject({ kind: "sent" });
    expect(fake.sent().map((one) => one.chatId)).toEqual([-10055, -10055]);
    expect(fake.calls()["sendMessage"]).toBe(3);
    fake.world.moved.set(-10055, -10055);
    expect(await send("group", "in a circle")).toMatchObject({ kind: "refused" });
  });

  it("[CT-4] refuses where a topic is closed or a chat is gone", async () => {
    const { fake, send } = await open();
    fake.world.closedTopics.add(TOPIC_ID);
    expect(await send("thread", "hello")).toEqual({ kind: "refused", why: "TOPIC_CLOSED" });
    const place = { chat: { type: "dm" as const, id: "999" } };
    expect(await send("dm", { place, text: "hello" })).toEqual({ kind: "refused", why: "chat not found" });
    expect(await send("dm", "")).toMatchObject({ kind: "refused" });
    expect(await send("dm", "x".repeat(5_000))).toEqual({ kind: "refused", why: "message is too long" });
  });

  it("[CT-4] goes on at the part that flood control held up", async () => {
    const { fake, send } = await open();
    expect(await send("dm", "part 1")).toMatchObject({ kind: "sent" });
    fake.fail(["send"], { kind: "rate-limited", afterMs: 25_000 });
    expect(await send("dm", "part 2")).toMatchObject({ kind: "retry", afterMs: 25_000 });
    expect(await send("dm", "part 2")).toMatchObject({ kind: "sent" });
    expect((await fake.peer.shown("dm")).map((one) => one.text)).toEqual(["part 1", "part 2"]);
  });

  it("reaches the general topic of a forum without naming it", async () => {
    const { fake, send } = await open();
    const place = { chat: { type: "group" as const, id: String(FORUM_ID), threadId: "1" } };
    expect(await send("thread", { place, text: "hello" })).toMatchObject({ kind: "sent" });
    expect(fake.sent()).toMatchObject([{ chatId: FORUM_ID, text: "hello" }]);
    expect(fake.sent()[0]?.threadId).toBeUndefined();
  });

  it("refuses a button that carries too much, before a byte leaves", async () => {
    const { fake, send } = await open();
    const buttons = [{ label: "Yes", token: "ü".repeat(40) }];
    expect(await send("dm", { text: "May I?", buttons })).toMatchObject({ kind: "refused" });
    expect(fake.calls()["sendMessage"]).toBeUndefined();
  });
});

describe("an edit", () => {
  it("takes an unchanged text for done, and refuses what is gone", async () => {
    const { fake, platform, send } = await open();
    const first = await send("dm", "one");
    const receipt = first.kind === "sent" ? first.receipt : "";
    const place = { chat: { type: "dm" as const, id: String(PEOPLE.alice.id) } };
    const edit = (text: string, of = receipt, signal = AbortSignal.timeout(LIMIT_MS)) =>
      platform.edit?.(place, of, { id: "e", place, text }, signal);
    expect(await edit("**two**")).toEqual({ kind: "sent", receipt });
    expect(await edit("**two**")).toEqual({ kind: "sent", receipt });
    expect(fake.sent()).toMatchObject([{ text: "two", tags: ["b"] }]);
    expect(await edit("three", "999999")).toEqual({ kind: "refused", why: "message to edit not found" });
    expect(await edit("three", "unnamed:d0")).toMatchObject({ kind: "refused" });
    fake.fail(["editMessageText"], { kind: "rate-limited", afterMs: 3_000 });
    expect(await edit("four")).toMatchObject({ kind: "retry", afterMs: 3_000 });
    fake.fail(["editMessageText"], { kind: "silent" });
    const met = onceMet(fake, "editMessageText", { kind: "silent" });
    expect(await edit("five", receipt, met)).toMatchObject({ kind: "unknown" });
    fake.fail(["editMessageText"], { kind: "markup-refused" });
    expect(await edit("**six**")).toMatchObject({ kind: "sent" });
    expect(fake.sent()).toMatchObject([{ text: "**six**" }]);
  });
});

/** A signal for a request that would never end: aborted once Telegram has met it, and made of it what it does. */
function onceMet(fake: FakeTelegram, method: string, fault: TelegramFault): AbortSignal {
  const before = { calls: fake.calls()[method] ?? 0, sent: fake.sent().length };
  const isDone = (): boolean =>
    method !== "sendMessage" || fault.kind === "half-open" || fake.sent().length > before.sent;
  return abortedOnce("the request is met", async () => {
    if ((fake.calls()[method] ?? 0) === before.calls || !isDone()) return false;
    if (fault.kind === "slow") await systemClock.sleep(TRICKLE_MS);
    return true;
  });
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
