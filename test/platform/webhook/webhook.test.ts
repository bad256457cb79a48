import { createServer, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { eventually, type RecordingReceiver, recordingReceiver } from "#platform/contract/platform.contract.js";
import type { Platform } from "#platform/platform.js";
import { outcomeOf } from "#platform/webhook/account.js";
import { BODY_BYTES_MAX } from "#platform/webhook/inbound.js";
import { webhook } from "#platform/webhook/kind.js";
import { Door, postTo, SECRET, sign } from "./peer.js";

let door: Door;
let receiver: RecordingReceiver;
let platform: Platform;
let ending: AbortController;
let running: Promise<void>;

async function open(outUrl?: string): Promise<Platform> {
  const settings = webhook.settings.parse({ secret: SECRET, ...(outUrl === undefined ? {} : { out_url: outUrl }) });
  const log = createLogger({ path: "/dev/null", clock: systemClock });
  return webhook.open(settings, { account: "main", clock: systemClock, log, receiver, cursors: async () => new Map() });
}

beforeEach(async () => {
  receiver = recordingReceiver();
  platform = await open();
  ending = new AbortController();
  running = platform.run(ending.signal);
  door = await Door.open();
  door.platform = platform;
});

afterEach(async () => {
  ending.abort();
  await running;
  await door.close();
});

const hello = { id: "e1", chat: "c", user: "u", text: "hello" };
const HELLO = JSON.stringify(hello);
const nowS = () => Math.floor(systemClock.nowMs() / 1000);

describe("who may come in", () => {
  it("takes what is signed, and gives the same answer when it comes again", async () => {
    for (let times = 0; times < 3; times++)
      expect(await postTo(door.url, HELLO)).toEqual({ status: 200, body: '{"id":"e1"}' });
    expect(new Set(receiver.kept.map((one) => one.eventId))).toEqual(new Set(["e1"]));
  });

  const forged: readonly [string, string | Buffer, Record<string, string>][] = [
    ["no signature", HELLO, { "x-talaria-signature": "" }],
    [
      "another secret",
      HELLO,
      { "x-talaria-signature": sign(String(nowS()), "", HELLO, "another secret of this length") },
    ],
    ["another body", HELLO.replace("hello", "hullo"), { "x-talaria-signature": sign(String(nowS()), "", HELLO) }],
    ["a bare digest", HELLO, { "x-talaria-signature": sign(String(nowS()), "", HELLO).slice("sha256=".length) }],
    ["a longer signature", HELLO, { "x-talaria-signature": `${sign(String(nowS()), "", HELLO)}0` }],
    ["an old request", HELLO, { "x-talaria-timestamp": String(nowS() - 400) }],
    ["one from the future", HELLO, { "x-talaria-timestamp": String(nowS() + 400) }],
    ["no time", HELLO, { "x-talaria-timestamp": "soon" }],
    [
      "an old request with a new time",
      HELLO,
      { "x-talaria-timestamp": String(nowS()), "x-talaria-signature": sign(String(nowS() - 400), "", HELLO) },
    ],
    [
      "a request with another key",
      '{"chat":"c","user":"u","text":"hello"}',
      {
        "idempotency-key": "second",
        "x-talaria-timestamp": String(nowS()),
        "x-talaria-signature": sign(String(nowS()), "first", '{"chat":"c","user":"u","text":"hello"}'),
      },
    ],
  ];
  for (const [name, body, headers] of forged) {
    it(`turns away ${name}`, async () => {
      expect(await postTo(door.url, body, headers)).toMatchObject({ status: 401 });
      expect(receiver.heard).toEqual([]);
    });
  }

  const malformed: readonly [string, string | Buffer, Record<string, string>, number, RegExp][] = [
    ["no JSON", "hello", {}, 400, /no JSON/],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, /UTF-8/],
    ["a list", "[]", {}, 400, /body/],
    ["no text", '{"id":"1","chat":"c","user":"u"}', {}, 400, /text/],
    ["blank text", '{"id":"1","chat":"c","user":"u","text":" "}', {}, 400, /nothing is said/],
    ["no id", '{"chat":"c","user":"u","text":"x"}', {}, 400, /Idempotency-Key/],
    ["two ids", HELLO, { "idempotency-key": "other" }, 400, /differ/],
    ["a key that it does not know", JSON.stringify({ ...hello, txt: "" }), {}, 400, /txt/],
    ["too much", JSON.stringify({ ...hello, text: "x".repeat(BODY_BYTES_MAX) }), {}, 413, /at most/],
  ];
  for (const [name, body, headers, status, words] of malformed) {
    it(`says what is wrong with ${name}`, async () => {
      const given = await postTo(door.url, body, headers);
      expect(given.status).toBe(status);
      expect(JSON.parse(given.body).error).toMatch(words);
      expect(receiver.heard).toEqual([]);
    });
  }

  it("takes the id from the header where the body has none", async () => {
    const body = '{"chat":"c","user":"u","text":"x"}';
    expect(await postTo(door.url, body, { "idempotency-key": "k1" })).toMatchObject({ status: 200 });
    expect((await receiver.hears("x")).eventId).toBe("k1");
  });

  it("has one place, and one way to it", async () => {
    const request = { method: "POST", path: "/else", headers: {}, body: new Uint8Array() };
    expect(await platform.http?.(request)).toMatchObject({ status: 404 });
    expect(await platform.http?.({ ...request, path: "/", method: "GET" })).toMatchObject({ status: 405 });
  });

  it("[CT-8] asks to come again when it could not be kept, or while it is not running", async () => {
    receiver.rejectNext(1);
    expect(await postTo(door.url, HELLO)).toMatchObject({ status: 503 });
    expect(await postTo(door.url, HELLO)).toMatchObject({ status: 200 });
    ending.abort();
    await running;
    expect(await postTo(door.url, HELLO)).toMatchObject({ status: 503 });
  });
});

describe("what goes out", () => {
  const clock = { nowMs: () => Date.UTC(2030, 0, 1) };
  const cases: readonly [number, string | undefined, object][] = [
    [200, undefined, { kind: "sent", receipt: "key" }],
    [204, undefined, { kind: "sent", receipt: "key" }],
    [409, undefined, { kind: "sent", receipt: "key" }],
    [429, "7", { kind: "retry", afterMs: 7_000, scope: "platform" }],
    [503, "Tue, 01 Jan 2030 00:01:00 GMT", { kind: "retry", afterMs: 60_000, scope: "platform" }],
    [503, "nonsense", { kind: "retry", afterMs: 5_000 }],
    [503, "999999999", { kind: "retry", afterMs: 3_600_000 }],
    [500, undefined, { kind: "retry", afterMs: 5_000 }],
    [504, undefined, { kind: "retry" }],
    [408, undefined, { kind: "retry" }],
    [302, undefined, { kind: "refused" }],
    [400, undefined, { kind: "refused" }],
    [401, undefined, { kind: "refused" }],
    [404, undefined, { kind: "refused" }],
  ];
  for (const [status, retryAfter, outcome] of cases) {
    it(`[CT-4] takes ${status}${retryAfter === undefined ? "" : ` (${retryAfter})`} for what it is`, () => {
      expect(outcomeOf({ status, retryAfter, body: "" }, "key", clock)).toMatchObject(outcome);
    });
  }

  it("takes the other side's id for the receipt", () => {
    expect(outcomeOf({ status: 201, retryAfter: undefined, body: '{"id":"m1"}' }, "key", clock)).toEqual({
      kind: "sent",
      receipt: "m1",
    });
    for (const body of ["ok", "null", '{"id":7}', '{"id":""}', "[]"]) {
      expect(outcomeOf({ status: 201, retryAfter: undefined, body }, "key", clock)).toEqual({
        kind: "sent",
        receipt: "key",
      });
    }
  });

  const outgoing = { id: "d1", place: { chat: { type: "dm" as const, id: "c" } }, text: "hello" };

  it("is refused where there is no address to send to", async () => {
    expect(await platform.send(outgoing, AbortSignal.timeout(30_000))).toMatchObject({ kind: "refused" });
  });

  it("is tried again where nobody listens, and says nothing of the secret", async () => {
    const outcome = await (await open("http://127.0.0.1:1/x")).send(outgoing, AbortSignal.timeout(30_000));
    expect(outcome).toMatchObject({ kind: "retry" });
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
  });

  async function against(
    answer: (response: ServerResponse) => void,
    act: (one: Platform) => Promise<void>,
  ): Promise<void> {
    const server: Server = createServer((_, response) => answer(response));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    try {
      await act(await open(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`));
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("follows no redirect", async () => {
    let requests = 0;
    await against(
      (response) => {
        requests++;
        response.writeHead(307, { location: "/" }).end();
      },
      async (one) => expect(await one.send(outgoing, AbortSignal.timeout(30_000))).toMatchObject({ kind: "refused" }),
    );
    expect(requests).toBe(1);
  });

  it("does not read an answer without end", async () => {
    await against(
      (response) => {
        response.writeHead(200);
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(10_000)));
        };
        response.on("drain", more);
        more();
      },
      async (one) =>
        expect(await one.send(outgoing, AbortSignal.timeout(30_000))).toEqual({ kind: "sent", receipt: "d1" }),
    );
  });

  it("has a secret that is worth the name, and an address that is one", () => {
    expect(webhook.settings.safeParse({ secret: "short" }).success).toBe(false);
    expect(webhook.settings.safeParse({ secret: SECRET, out_url: "ftp://x.example" }).success).toBe(false);
    expect(webhook.settings.safeParse({ secret: SECRET, out_url: "https://x.example/y" }).success).toBe(true);
  });

  it("is up as soon as it runs", async () => {
    await eventually("it is up", () => receiver.ups === 1);
  });
});
