/** A real host with a port: what somebody learns who has no token, or who comes from elsewhere. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { connect as connectTo } from "#client/connect.js";
import { type Greeted, reachHost } from "#client/start-host.js";
import { freePort } from "../support/free-port.js";
import { type WireHome, wireHome } from "./support/home.js";
import { until } from "./support/socket-pair.js";

let home: WireHome;
let host: Greeted;
let port: number;
let token: string;

beforeAll(async () => {
  port = await freePort();
  home = wireHome();
  writeFileSync(join(home.path, "config.yaml"), `host:\n  port: ${port}\n`, { mode: 0o600 });
  host = await reachHost(home.wish());
  // The port opens after the socket.
  await until(() => existsSync(join(home.path, "run", "token")), "the token");
  token = readFileSync(join(home.path, "run", "token"), "utf8").trim();
  await until(
    () => readFileSync(join(home.path, "logs", "talaria.log"), "utf8").includes(`"port":${port}`),
    "the port",
  );
});
afterAll(async () => {
  host.line.close();
  await home.remove();
});

/** Every byte that comes back for these, until the line ends. */
async function everything(request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket
    .on("error", () => undefined)
    .on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
    });
  socket.write(request);
  await once(socket, "close");
  return heard;
}

const upgrade = (...headers: string[]): string =>
  [
    "GET /api/ws HTTP/1.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
    "",
    '\u0081\u0002{}{"id":1,"method":"session.list","params":{}}',
  ].join("\r\n");

describe("a stranger at the host's port", () => {
  const name = (): string => `Host: 127.0.0.1:${port}`;
  const shown = (): string => `Authorization: Bearer ${token}`;

  it.each([
    ["without a token", () => [name()], 401],
    ["with a wrong one", () => [name(), `Authorization: Bearer ${token.replace(/^./, "g")}`], 401],
    ["from another origin, token and all", () => [name(), shown(), "Origin: https://evil.example"], 403],
    ["under a name of its own, token and all", () => ["Host: evil.example", shown()], 403],
    ["without a name", () => [shown()], 403],
    ["under two names", () => [name(), "Host: evil.example", shown()], 403],
  ])("[WI-5] gets a status and nothing else %s", async (_who, headers, status) => {
    const heard = await everything(upgrade(...headers()));
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(heard).not.toContain("gateway.ready");
    expect(heard.length).toBeLessThan(150);
  });

  it("[WI-5] learns from /health that the host lives, and no secret", async () => {
    const heard = await everything(`GET /health HTTP/1.1\r\n${name()}\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1.1 200 /);
    for (const secret of [token, home.path]) expect(heard).not.toContain(secret);
    expect(JSON.parse(heard.split("\r\n\r\n")[1] ?? "")).toMatchObject({ live: true, ready: true });
  });

  it("is not the client with the token, whose line works", async () => {
    const line = await connectTo({ to: { url: `ws://127.0.0.1:${port}/api/ws`, token } });
    expect(await line.call("host.status", {})).toMatchObject({ pid: host.hello.pid });
    line.close();
    await expect(
      connectTo({ to: { url: `ws://127.0.0.1:${port}/api/ws`, token: "0".repeat(64) } }),
    ).rejects.toMatchObject({ code: "no-host" });
  });

  it("[WI-7] does not end the host with frames that a WebSocket cannot have", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws?token=${token}`);
    await once(socket, "open");
    const raw = (socket as unknown as { _socket: NodeJS.WritableStream })._socket;
    socket.on("error", () => undefined);
    raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]));
    await once(socket, "close");
    expect(await host.line.call("host.status", {})).toMatchObject({ pid: host.hello.pid });
  });

  it("[WI-6] finds socket, token and folder closed to others", () => {
    const run = join(home.path, "run");
    expect(statSync(run).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(run)) expect([file, statSync(join(run, file)).mode & 0o077]).toEqual([file, 0]);
  });
});
