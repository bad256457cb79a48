import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeKnock, type Knock } from "./doorkeeper.js";
import { offeredToken, readOrMakeToken } from "./token.js";

const token = "a".repeat(64);
const rules = { token, allowedOrigins: ["https://talaria.example"], allowedHosts: ["talaria.example"] };
const good: Knock = {
  method: "GET",
  url: "/api/ws",
  headers: { host: "127.0.0.1:4180", authorization: `Bearer ${token}` },
};
const knock = (headers: Knock["headers"], more: Partial<Knock> = {}): number | "welcome" => {
  const verdict = judgeKnock({ ...good, ...more, headers: { ...good.headers, ...headers } }, rules);
  return verdict.kind === "welcome" ? "welcome" : verdict.status;
};

describe("[WI-5] who may open a WebSocket", () => {
  it.each([
    ["a program with the token", {}],
    ["one by name", { host: "localhost" }],
    ["one over IPv6", { host: "[::1]:4180" }],
    ["a page of this machine", { origin: "http://localhost:5173" }],
    ["a page of this machine over IPv6", { origin: "http://[::1]:5173" }],
    ["a page that the settings allow", { origin: "https://talaria.example", host: "talaria.example:443" }],
  ])("lets %s in", (_name, headers) => {
    expect(knock(headers)).toBe("welcome");
  });

  it.each([
    ["another site's page", { origin: "https://evil.example" }, 403],
    ["a page that looks like this machine's", { origin: "http://localhost.evil.example" }, 403],
    ["a page that hides behind a user name", { origin: "http://localhost@evil.example" }, 403],
    ["a page without an origin of its own", { origin: "null" }, 403],
    ["a page from a file", { origin: "file://" }, 403],
    ["a name that a stranger's DNS points here", { host: "evil.example:4180" }, 403],
    ["a request without a name", { host: undefined }, 403],
    ["no token", { authorization: undefined }, 401],
    ["a wrong token", { authorization: `Bearer ${"b".repeat(64)}` }, 401],
    ["a token that is too short", { authorization: `Bearer ${token.slice(1)}` }, 401],
    ["an empty token", { authorization: "Bearer " }, 401],
    ["another scheme", { authorization: `Basic ${token}` }, 401],
  ])("keeps %s out", (_name, headers, status) => {
    expect(knock(headers)).toBe(status);
  });

  it("says nothing about other places, token or not", () => {
    expect(knock({}, { url: "/" })).toBe(404);
    expect(knock({}, { url: "/api/ws/" })).toBe(404);
    expect(knock({ authorization: undefined }, { url: "/api/pty" })).toBe(404);
    expect(knock({}, { method: "POST" })).toBe(404);
  });

  it("takes the token from a header, a subprotocol or the address", () => {
    expect(knock({ authorization: undefined }, { url: `/api/ws?token=${token}` })).toBe("welcome");
    expect(knock({ authorization: undefined, "sec-websocket-protocol": `talaria, talaria.token.${token}` })).toBe(
      "welcome",
    );
    expect(offeredToken({ "sec-websocket-protocol": "talaria" }, new URLSearchParams())).toBeUndefined();
  });

  it("does not take a second token when the first is wrong", () => {
    expect(knock({ authorization: "Bearer wrong" }, { url: `/api/ws?token=${token}` })).toBe(401);
  });
});

describe("the token", () => {
  it("is made once, 0600, and made again when it is damaged or others could have read it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tt-"));
    try {
      const path = join(folder, "token");
      const first = await readOrMakeToken(path);
      expect(first).toMatch(/^[0-9a-f]{64}$/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(await readOrMakeToken(path)).toBe(first);
      chmodSync(path, 0o644);
      const second = await readOrMakeToken(path);
      expect(second).not.toBe(first);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      writeFileSync(path, "abc");
      expect(await readOrMakeToken(path)).toMatch(/^[0-9a-f]{64}$/);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    }
  });
});
