import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { type Clock, systemClock } from "#base/clock.js";
import { freePort } from "../../../test/support/free-port.js";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { until } from "../../../test/wire/support/socket-pair.js";
import { BACKLOG_BYTES_MAX, BACKLOG_BYTES_SOFT, FRAME_CHARS_MAX, type Wire } from "../wire.js";
import type { ServePlatform } from "./platform-door.js";
import { HEADERS_TIME_MS, listenOnWebSocket, type WebSocketListening } from "./websocket.js";
import { PING_EVERY_MS } from "./websocket-wire.js";

const token = "0123456789abcdef".repeat(4);
const authorization = `Bearer ${token}`;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Stage {
  readonly listening: WebSocketListening;
  readonly wires: Wire[];
  readonly frames: string[];
  readonly ends: string[];
  dial(options?: ClientOptions & { path?: string; protocols?: string[] }): WebSocket;
}

async function stage({
  clock = systemClock,
  connectionsMax,
  onFrame,
  platforms,
  port = 0,
}: {
  clock?: Clock;
  connectionsMax?: number;
  onFrame?: (wire: Wire, text: string) => void;
  platforms?: ServePlatform;
  port?: number;
} = {}): Promise<Stage> {
  const wires: Wire[] = [];
  const frames: string[] = [];
  const ends: string[] = [];
  const listening = await listenOnWebSocket({
    port,
    clock,
    token,
    health: () => ({ live: true, ready: true, version: "1" }),
    accept(wire) {
      wires.push(wire);
      wire.listen({
        frame(text) {
          frames.push(text);
          onFrame?.(wire, text);
        },
        gone: (why) => void ends.push(why),
      });
    },
    ...(connectionsMax !== undefined && { connectionsMax }),
    ...(platforms && { platforms }),
  });
  closing.push(() => listening.close());
  const dial: Stage["dial"] = ({ path = "/api/ws", protocols = [], ...options } = {}) => {
    const socket = new WebSocket(`ws://127.0.0.1:${listening.port}${path}`, protocols, {
      headers: { authorization },
      ...options,
    });
    socket.on("error", () => undefined);
    closing.push(() => socket.terminate());
    return socket;
  };
  return { listening, wires, frames, ends, dial };
}

async function refusal(socket: WebSocket): Promise<{ status: number; body: string; headers: object }> {
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, import("node:http").IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, body, headers: response.headers };
}

function get(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers }, async (response) => {
      let body = "";
      for await (const chunk of response) body += String(chunk);
      resolve({ status: response.statusCode ?? 0, body });
    });
    asked.once("error", reject);
    asked.end();
  });
}

describe("the host's WebSocket", () => {
  it("carries frames both ways, text or binary", async () => {
    const { dial, frames, wires } = await stage();
    const socket = dial();
    await once(socket, "open");
    socket.send('{"a":"ä"}');
    socket.send(Buffer.from('{"b":"漢"}'));
    await until(() => frames.length === 2, "two frames");
    expect(frames).toEqual(['{"a":"ä"}', '{"b":"漢"}']);
    wires[0]?.send('{"c":1}');
    const [message, isBinary] = (await once(socket, "message")) as [Buffer, boolean];
    expect([message.toString(), isBinary]).toEqual(['{"c":1}', false]);
  });

  it("closes on a binary frame that is no text, with the reason", async () => {
    const { dial, ends, frames } = await stage();
    const socket = dial();
    await once(socket, "open");
    socket.send(Buffer.of(0xff, 0xfe, 0x00));
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1007, "a frame is UTF-8 text"]);
    expect(frames).toEqual([]);
    await until(() => ends.length === 1, "the end");
    expect(ends).toEqual(["bad-frame"]);
  });

  it("[WI-1] closes on a frame that is too long", async () => {
    const { dial, frames } = await stage();
    for (const text of ["x".repeat(FRAME_CHARS_MAX + 1), "x".repeat(FRAME_CHARS_MAX * 3 + 1)]) {
      const socket = dial();
      await once(socket, "open");
      socket.send(text);
      const [code] = (await once(socket, "close")) as [number];
      expect(code).toBe(1009);
    }
    expect(frames).toEqual([]);
  });

  it.each([
    ["without a token", { headers: {} }, 401],
    ["with a wrong token", { headers: { authorization: `Bearer ${"f".repeat(64)}` } }, 401],
    ["from another origin", { headers: { authorization, origin: "https://evil.example" } }, 403],
    ["under another name", { headers: { authorization, host: "evil.example" } }, 403],
    ["at another place", { path: "/api/pty" }, 404],
  ])("[WI-5] tells a client %s a status and nothing else", async (_name, options, status) => {
    const { dial, wires } = await stage();
    const answer = await refusal(dial(options as never));
    expect(answer.status).toBe(status);
    expect(answer.body).toBe("");
    expect(Object.keys(answer.headers).sort()).toEqual(["connection", "content-length"]);
    expect(wires).toEqual([]);
  });

  it("lets a browser show its token as a subprotocol, and does not repeat it", async () => {
    const { dial } = await stage();
    const socket = dial({ headers: {}, protocols: ["talaria", `talaria.token.${token}`] });
    await once(socket, "open");
    expect(socket.protocol).toBe("talaria");
  });

  it("agrees on no compression", async () => {
    const { dial } = await stage();
    const socket = dial({ perMessageDeflate: true });
    await once(socket, "open");
    expect(socket.extensions).toBe("");
  });

  it("tells its health to this machine, without secrets, and nothing else", async () => {
    const { listening } = await stage();
    const { status, body } = await get(listening.port, "/health");
    expect([status, JSON.parse(body)]).toEqual([200, { live: true, ready: true, version: "1" }]);
    expect((await get(listening.port, "/")).status).toBe(404);
    expect((await get(listening.port, "/api/ws")).status).toBe(404);
    expect(await get(listening.port, "/health", { host: "evil.example" })).toEqual({ status: 403, body: "" });
  });

  it("[WI-1] cuts off whoever dawdles over the headers, or says nothing at all", async () => {
    const { listening } = await stage();
    const silent = connect(listening.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    const slow = connect(listening.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    closing.push(
      () => silent.destroy(),
      () => slow.destroy(),
    );
    slow.write("GET /api/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
    const drip = setInterval(() => slow.write("a"), 200);
    await until(() => silent.closed && slow.closed, "the cut", HEADERS_TIME_MS + 30_000);
    clearInterval(drip);
  });

  it("refuses one client too many before the upgrade", async () => {
    const { dial } = await stage({ connectionsMax: 1 });
    await once(dial(), "open");
    expect((await refusal(dial())).status).toBe(503);
  });

  it("[WI-3] drops a client that reads too slowly, with the reason, and bounds what it holds for it", async () => {
    const { dial, wires, ends } = await stage();
    const socket = dial();
    await once(socket, "open");
    await until(() => wires.length === 1, "the wire");
    socket.pause();
    const [wire] = wires;
    for (let sent = 0; ends.length === 0 && sent < 2_000; sent++) {
      wire?.send("y".repeat(100_000));
      await Promise.resolve();
    }
    expect(ends).toEqual(["too-slow"]);
    expect(wire?.backlogBytes()).toBeLessThan(BACKLOG_BYTES_MAX + 300_000);
    socket.resume();
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1013, "too-slow"]);
  });

  it("[WI-4] does not read a client that does not take its answers", async () => {
    const { dial, wires, frames, ends } = await stage({ onFrame: (wire) => wire.send("a".repeat(100_000)) });
    const socket = dial();
    await once(socket, "open");
    socket.pause();
    for (let count = 0; count < 2_000; count++) socket.send("x".repeat(10_000));
    await until(() => (wires[0]?.backlogBytes() ?? 0) > BACKLOG_BYTES_SOFT, "the backlog");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ends).toEqual([]);
    const answered = frames.length;
    expect(answered).toBeLessThan(200);
    socket.resume();
    await until(() => frames.length > answered + 20, "more frames");
  });

  it("ends a line on which nobody answers a ping, and leaves the others", async () => {
    const clock = new ManualClock();
    const { dial, ends, frames, wires } = await stage({ clock });
    const dead = dial({ autoPong: false });
    const alive = dial();
    await Promise.all([once(dead, "open"), once(alive, "open")]);
    await until(() => wires.length === 2, "both");
    const pinged = once(alive, "ping");
    clock.advance(PING_EVERY_MS);
    await pinged;
    // What is said behind its answer to the ping has come when the answer has.
    alive.send("still here");
    await until(() => frames.length === 1, "its answer");
    clock.advance(PING_EVERY_MS);
    await once(dead, "close");
    await until(() => ends.length > 0, "the end");
    expect(ends).toEqual(["bad-frame"]);
    expect(alive.readyState).toBe(WebSocket.OPEN);
  });

  it("tells why the host ends the line", async () => {
    const { dial, wires } = await stage();
    const socket = dial();
    await once(socket, "open");
    await until(() => wires.length === 1, "the wire");
    wires[0]?.end("shutting-down");
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1001, "shutting-down"]);
  });

  it("says which port is taken", async () => {
    const { listening } = await stage();
    const wish = { port: listening.port, clock: systemClock, token, accept: () => undefined };
    await expect(listenOnWebSocket({ ...wish, health: () => ({ live: true, ready: true }) })).rejects.toThrow(
      /another program uses this port/,
    );
  });

  it("[GW-18] [HO-7] that is shut tells clients why, strangers nothing more than before, and serves platforms and those who are in", async () => {
    const { listening, dial, frames } = await stage({ platforms: async () => ({ status: 200, body: "kept" }) });
    const before = dial();
    await once(before, "open");
    listening.shut();
    const answer = await refusal(dial());
    expect(answer).toMatchObject({ status: 503, body: "the host is stopping\n", headers: { "retry-after": "5" } });
    expect(await refusal(dial({ headers: {} }))).toMatchObject({ status: 401, body: "" });
    expect(await get(listening.port, "/platforms/a/")).toEqual({ status: 200, body: "kept" });
    expect(await get(listening.port, "/health")).toMatchObject({ status: 200 });
    before.send("still here");
    await until(() => frames.length === 1, "its frame");
  });

  it("[GW-18] that is closed answers what is being asked, and its port is free at once", async () => {
    let keep: () => void = () => undefined;
    const kept = new Promise<void>((resolve) => {
      keep = resolve;
    });
    let asked = 0;
    const port = await freePort();
    const { listening } = await stage({
      port,
      platforms: async () => {
        asked++;
        await kept;
        return { status: 200, body: "kept" };
      },
    });
    const underWay = get(port, "/platforms/a/");
    await until(() => asked === 1, "the request");
    await listening.close();
    await expect(get(port, "/platforms/a/")).rejects.toThrow("ECONNREFUSED");
    const health = () => ({ live: true, ready: true });
    const next = await listenOnWebSocket({ port, clock: systemClock, token, accept: () => undefined, health });
    closing.push(() => next.close());
    keep();
    expect(await underWay).toEqual({ status: 200, body: "kept" });
    expect(asked).toBe(1);
  });
});
