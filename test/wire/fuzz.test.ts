/**
 * Everything that is no request, thrown at a real host by every line: it answers or ends the line, lives, and a
 * conversation that was there before is the same byte for byte afterwards.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Greeted, reachHost } from "#client/start-host.js";
import { METHODS } from "#protocol/methods.js";
import { memoryOf, type WireHome, wireHome } from "./support/home.js";
import { linesAt, until } from "./support/socket-pair.js";

let home: WireHome;
let host: Greeted;
let conversation: string;
let before: string;

beforeAll(async () => {
  home = wireHome();
  host = await reachHost(home.wish());
  const { line } = host;
  const done = new Promise<void>((resolve) => {
    line.onEvent(({ type }) => type === "message.complete" && resolve());
  });
  conversation = (await line.call("session.create", { cols: 80 })).session_id;
  await line.call("prompt.submit", { session_id: conversation, text: "hello" });
  await done;
  before = await exported();
});
afterAll(async () => {
  host.line.close();
  await home.remove();
});

/** The conversation and all there are, as they are kept. */
async function exported(): Promise<string> {
  const shown = await home.run(["sessions", "show", conversation, "--all", "--json"]);
  const { messages, title } = JSON.parse(shown.stdout);
  expect(messages).toHaveLength(2);
  return JSON.stringify([title, messages]);
}

async function unharmed(): Promise<void> {
  expect(await exported()).toBe(before);
  expect(home.hostPid()).toBe(host.hello.pid);
  const { pid } = await host.line.call("host.status", {});
  expect(pid).toBe(host.hello.pid);
}

async function dial(): Promise<{ socket: Socket; lines: string[] }> {
  const socket = connect(home.socketPath);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const lines = linesAt(socket);
  await until(() => lines.length === 1, "ready");
  return { socket, lines };
}

/** Throws the bytes and asks something after them: an answer to that, or an end of the line, comes. */
async function survives(bytes: Buffer, cut?: (socket: Socket) => Promise<void>): Promise<string[]> {
  const { socket, lines } = await dial();
  if (cut === undefined) socket.write(bytes);
  else await cut(socket);
  socket.write('\n{"id":"after","method":"host.status","params":{}}\n');
  await until(
    () => lines.some((line) => line.includes('"after"')) || socket.readableEnded || socket.closed,
    "an answer",
  );
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  socket.destroy();
  return lines;
}

const lines = (...texts: string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(""));
const request = (id: unknown, method: unknown, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

describe("frames that are none", () => {
  it.each([
    ["malformed JSON", lines("{", "}", '{"id":', "nul", "'a'", "{'id':1}", '{"id":1,}')],
    ["JSON of another kind", lines("1", "null", "true", '"x"', "[]", '[{"id":1,"method":"host.status"}]', "{}")],
    ["binary", Buffer.concat([Buffer.from([0, 1, 2, 0xff, 0xfe, 0xc3, 0x28, 0x80]), Buffer.alloc(5_000, 0x80)])],
    ["a byte order mark", Buffer.from("\ufeff{}\n")],
    ["NULs", Buffer.alloc(100_000)],
    ["very deep arrays", lines("[".repeat(1_000_000))],
    ["very deep objects", lines('{"a":'.repeat(200_000))],
    ["deep parameters", lines(request("d", "host.status", JSON.parse("[".repeat(60) + "]".repeat(60))))],
    ["ten thousand tiny frames", lines(...Array.from({ length: 10_000 }, () => "{}"))],
    ["a hundred thousand blank lines", Buffer.alloc(100_000, 0x0a)],
    ["two megabytes of text in a name", lines(request("n", "x".repeat(2_000_000), {}))],
    ["two megabytes in a parameter", lines(request("p", "session.title", { session_id: "x".repeat(2_000_000) }))],
  ])("[WI-7] leave the host and its conversations as they were: %s", async (_name, bytes) => {
    await survives(bytes);
    await unharmed();
  });

  it("[WI-7] answers odd ids with the same id or with none", async () => {
    const ids = ["", " ", "ä", "a\u0000b", "\u2028", -1, 1.5, 0, Number.MAX_SAFE_INTEGER, "x".repeat(256)];
    const heard = await survives(lines(...ids.map((id) => request(id, "host.status", {}))));
    const answered = heard.flatMap((line) => ("id" in JSON.parse(line) ? [JSON.parse(line).id] : []));
    for (const id of ids) expect(answered).toContainEqual(id === 0 ? 0 : id);
    const odd = [null, true, [], {}, 1e300, "x".repeat(257)];
    const refused = await survives(
      lines(
        ...odd.map((id) => request(id, "host.status", {})),
        '{"id":12345678901234567890,"method":"host.status"}',
        '{"id":1e400,"method":"host.status"}',
      ),
    );
    expect(refused.filter((line) => JSON.parse(line).id === null)).toHaveLength(odd.length + 2);
  });

  it("[WI-7] answers parameters of every wrong kind, for every method, with an error or a result", async () => {
    const wrong = [
      null,
      1,
      "x",
      [],
      { session_id: 5 },
      { session_id: {} },
      { session_id: "x", text: [] },
      { __proto__: 1 },
    ];
    const methods = Object.keys(METHODS).filter((name) => !["host.stop", "connection.bye"].includes(name));
    const { socket, lines: heard } = await dial();
    const asked = methods.flatMap((method) => wrong.map((params, at) => [`${method}/${at}`, method, params] as const));
    const extra = ["constructor", "__proto__", "toString", "hasOwnProperty", ""].map(
      (name) => [`x/${name}`, name, {}] as const,
    );
    for (const [id, method, params] of [...asked, ...extra]) {
      socket.write(`${request(id, method, params)}\n`);
      await until(() => heard.some((line) => JSON.parse(line).id === id || line.includes(`"id":"${id}"`)), id);
      heard.splice(0);
    }
    socket.destroy();
    await unharmed();
  }, 120_000);

  it("[WI-2] reads a request the same wherever it is cut, byte by byte", async () => {
    const bytes = lines(request("ä漢🪽", "host.status", { text: "\u2028 漢" }));
    const heard = await survives(bytes, async (socket) => {
      socket.setNoDelay(true);
      for (const byte of bytes) {
        socket.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(heard.some((line) => JSON.parse(line).id === "ä漢🪽")).toBe(true);
  });

  it("[WI-7] survives whatever chance brings", async () => {
    const json = fc.json({ maxDepth: 5 });
    const almost = fc
      .record({ id: fc.jsonValue(), method: fc.constantFrom(...Object.keys(METHODS), "x"), params: fc.jsonValue() })
      .filter(({ method }) => !["host.stop", "connection.bye", "shell.exec", "process.stop"].includes(method))
      .map((frame) => JSON.stringify(frame));
    const cut = fc.tuple(almost, fc.nat(200)).map(([text, at]) => text.slice(0, at));
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString("latin1"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(json, almost, cut, bytes), { maxLength: 30 }), async (frames) => {
        await survives(Buffer.from(frames.join("\n"), "latin1"));
      }),
      { numRuns: 60 },
    );
    await unharmed();
  }, 120_000);

  it("[WI-1] ends the line of a frame that is too long, and holds none of it afterwards", async () => {
    const memory = memoryOf(host.hello.pid);
    for (let round = 0; round < 10; round++) {
      const { socket, lines: heard } = await dial();
      for (let sent = 0; sent < 5_000_000 && !socket.closed; sent += 500_000) socket.write("x".repeat(500_000));
      await until(() => socket.readableEnded || socket.closed, "the end");
      // The other end may be gone before its last word is read; if it is read, it says why.
      if (heard.length > 1) expect(heard.at(-1)).toContain("bad-frame");
    }
    expect(memoryOf(host.hello.pid) - memory).toBeLessThan(120_000_000);
    await unharmed();
  });

  it("[WI-7] lets a hundred half frames hang and serves everybody else", async () => {
    const hanging = await Promise.all(Array.from({ length: 100 }, () => dial()));
    for (const { socket } of hanging) socket.write('{"id":1,"method":"host.sta');
    expect(await host.line.call("host.status", {}, { timeoutMs: 20_000 })).toMatchObject({ pid: host.hello.pid });
    for (const { socket } of hanging) socket.destroy();
    await unharmed();
  });

  it("[WI-7] forgets requests of a client that left before their answers", async () => {
    for (let round = 0; round < 20; round++) {
      const { socket } = await dial();
      for (let id = 0; id < 100; id++) socket.write(`${request(id, "session.list", {})}\n`);
      socket.destroy();
    }
    await unharmed();
  });
});
