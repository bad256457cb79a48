import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { PLATFORM_BODY_BYTES_MAX, type PlatformRequest, type ServePlatform } from "./platform-door.js";
import { listenOnWebSocket, type WebSocketListening } from "./websocket.js";

let door: WebSocketListening | undefined;
afterEach(async () => {
  await door?.close();
  door = undefined;
});

async function open(platforms?: ServePlatform): Promise<number> {
  door = await listenOnWebSocket({
    port: 0,
    clock: systemClock,
    token: "t".repeat(43),
    accept: () => undefined,
    health: () => ({ live: true, ready: true }),
    ...(platforms && { platforms }),
  });
  return door.port;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function call(
  port: number,
  path: string,
  wish: { method?: string; body?: Uint8Array; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { method = "POST", body = new Uint8Array(), headers = {} } = wish;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("the door for platforms", () => {
  it("[GW-46] hands on method, path, headers and the very bytes, under any host name and without a token", async () => {
    const heard: [string, PlatformRequest][] = [];
    const port = await open(async (platform, given) => {
      heard.push([platform, given]);
      return { status: 202, headers: { "x-seen": "yes" }, body: "ok" };
    });
    const body = Buffer.from([0, 255, 10, 13]);
    const headers = { host: "talaria.example.org", "x-signature": "abc" };
    const answer = await call(port, "/platforms/webhook/in?x=1", { method: "PUT", body, headers });
    expect(answer).toEqual({ status: 202, body: "ok" });
    expect(heard).toMatchObject([["webhook", { method: "PUT", path: "/in?x=1", headers: { "x-signature": "abc" } }]]);
    expect(Buffer.from(heard[0]?.[1].body ?? [])).toEqual(body);
    await call(port, "/platforms/slack");
    expect(heard[1]).toMatchObject(["slack", { path: "/" }]);
  });

  it("[GW-46] takes no more than a megabyte, whether or not its length was told", async () => {
    let calls = 0;
    const port = await open(async () => {
      calls++;
      return { status: 200 };
    });
    const most = Buffer.alloc(PLATFORM_BODY_BYTES_MAX);
    expect((await call(port, "/platforms/a/", { body: most })).status).toBe(200);
    const more = Buffer.alloc(PLATFORM_BODY_BYTES_MAX + 1);
    expect((await call(port, "/platforms/a/", { body: more })).status).toBe(413);
    expect(
      (await call(port, "/platforms/a/", { body: more, headers: { "transfer-encoding": "chunked" } })).status,
    ).toBe(413);
    expect(calls).toBe(1);
  });

  it("[GW-46] answers 500 when an adapter throws, and says nothing of why", async () => {
    const port = await open(async () => {
      throw new Error("a secret");
    });
    expect(await call(port, "/platforms/a/")).toEqual({ status: 500, body: "" });
  });

  it("[GW-46] is not there without platforms, and is nobody else's place", async () => {
    const port = await open();
    expect((await call(port, "/platforms/a/")).status).toBe(404);
    expect((await call(port, "/platforms/../health", { method: "GET" })).status).toBe(404);
    expect((await call(port, "/health", { method: "GET", headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("[GW-46] survives somebody who hangs up in the middle of a body", async () => {
    const port = await open(async () => ({ status: 200 }));
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write("POST /platforms/a/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf", () =>
          socket.destroy(),
        );
      });
      socket.on("close", () => resolve());
    });
    expect((await call(port, "/platforms/a/")).status).toBe(200);
  });
});
