import type { RequestListener } from "node:http";
import { createServer as createPlain } from "node:http";
import { createServer as createTls } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createLine, ForeignAnswer, LineError } from "./line.js";

/** A key of this test alone, for 127.0.0.1; it protects nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWvyrAkY2Q70y0ING
azNrtIj2RqXD8qDnSIuzDZGGMMihRANCAARhriQhmT3SyZOxHzp3PC9ytAheaGIT
kW6BViXW04bbjqMkEzFXOc3hCOu+gTRokOOEHLWKXcAK0aUasI1yzKh4
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIULTqL0csD9p2xwD6z5TlV5mph8jowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTExNTE0NDE0OVoYDzIxMjYxMDIy
MTQ0MTQ5WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARhriQhmT3SyZOxHzp3PC9ytAheaGITkW6BViXW04bbjqMkEzFXOc3h
COu+gTRokOOEHLWKXcAK0aUasI1yzKh4o2QwYjAdBgNVHQ4EFgQUFLlTkagKxkf1
QcVuYLwFylv4becwHwYDVR0jBBgwFoAUFLlTkagKxkf1QcVuYLwFylv4becwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQCM/bMfHIRspw4CyUFi0DzkjCKRYdUlJnMnl41Vt1vNlgIgfCcu6w874cU2HI88
GudRZoVGK+8FwKspwWbfpJh8nig=
-----END CERTIFICATE-----`;

const servers: (Server & { closeAllConnections(): void })[] = [];
const trust = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
afterEach(async () => {
  if (trust === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = trust;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(isTls: boolean, listener: RequestListener): Promise<string> {
  const server = isTls ? createTls({ key: KEY, cert: CERTIFICATE }, listener) : createPlain(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  if (isTls) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  return `${isTls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}/bot1:secret/sendMessage`;
}

const POST = { method: "POST", body: '{"text":"hello"}' };

describe.each([false, true])("a line, encrypted: %s", (isTls) => {
  it("brings an answer, over one connection as long as it is used", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve(isTls, (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{"ok":true,"result":1}');
    });
    const line = createLine();
    for (let times = 0; times < 3; times++) {
      expect(await (await line.fetch(url, POST)).json()).toEqual({ ok: true, result: 1 });
    }
    expect(ports.size).toBe(1);
  });

  it("[CT-4] says that bytes may have left when it is cut, on a new connection and on one that was used before", async () => {
    let isCutting = true;
    const url = await serve(isTls, (request, response) => {
      if (isCutting) request.socket.destroy();
      else response.end('{"ok":true}');
    });
    const line = createLine();
    await expect(line.fetch(url, POST)).rejects.toMatchObject({ reached: "bytes" });
    isCutting = false;
    await line.fetch(url, POST);
    isCutting = true;
    await expect(line.fetch(url, POST)).rejects.toMatchObject({ reached: "bytes" });
  });

  it("[CT-4] says that nothing left when nobody listens, or when it was called off before", async () => {
    const url = await serve(isTls, (_, response) => response.end("{}"));
    const line = createLine();
    const early = line.fetch(url, { ...POST, signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ reached: "nothing" });
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    await expect(line.fetch(url, POST)).rejects.toMatchObject({ reached: "nothing" });
  });

  it("[CT-4] is called off in the middle of an answer", async () => {
    const limit = new AbortController();
    const url = await serve(isTls, (_, response) => {
      response.write('{"ok":');
      setTimeout(() => limit.abort(), 50);
    });
    const called = createLine().fetch(url, { ...POST, signal: limit.signal });
    await expect(called).rejects.toMatchObject({ reached: "bytes", message: "no whole answer in time" });
  });
});

describe("what a line tells", () => {
  it("[CT-4] proves that nothing left where a certificate is not trusted, and never names the address", async () => {
    const url = await serve(true, (_, response) => response.end('{"ok":true}'));
    delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    const error = await createLine()
      .fetch(url, POST)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(LineError);
    expect(error).toMatchObject({ reached: "nothing", message: expect.stringMatching(/self-signed/) });
    expect(String(error)).not.toContain("secret");
  });

  it("knows an answer of somebody else, and how long that one asks to wait", async () => {
    const url = await serve(false, (_, response) => response.writeHead(503, { "retry-after": "7" }).end("busy"));
    const answer = await createLine().fetch(url, POST);
    await expect(answer.json()).rejects.toEqual(new ForeignAnswer(503, 7));
    await expect(answer.json()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 7 });
  });

  it("follows no other address", async () => {
    const url = await serve(false, (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    await expect((await createLine().fetch(url, POST)).json()).rejects.toMatchObject({ status: 302 });
  });
});
