import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "#base/clock.js";
import { linesAt, until } from "../../../test/wire/support/socket-pair.js";
import type { Wire } from "../wire.js";
import { listenOnSocket, SOCKET_PATH_BYTES_MAX, type SocketListening } from "./socket.js";

let folder: string;
let path: string;
let wires: Wire[];
let open: (SocketListening | Socket)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ts-"));
  path = join(folder, "run", "host.sock");
  mkdirSync(dirname(path), { mode: 0o700 });
  wires = [];
  open = [];
});
afterEach(async () => {
  for (const one of open) await ("close" in one ? one.close() : one.destroy());
  for (const wire of wires) wire.end("done");
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function listen(more: { connectionsMax?: number; env?: NodeJS.ProcessEnv; path?: string } = {}) {
  const listening = await listenOnSocket({ path, clock, accept: (wire) => void wires.push(wire), ...more });
  open.push(listening);
  return listening;
}

async function dial(to = path): Promise<Socket> {
  const socket = connect(to);
  open.push(socket);
  await once(socket, "connect");
  return socket;
}

const modeOf = (file: string): number => lstatSync(file).mode & 0o777;

describe("the home's socket", () => {
  it("[WI-6] is 0600 in a folder that it closes to others first, whatever the umask is", async () => {
    chmodSync(dirname(path), 0o755);
    const umask = process.umask(0);
    try {
      await listen();
    } finally {
      process.umask(umask);
    }
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(dirname(path))).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(["host.sock"]);
  });

  it("replaces the socket of a dead host", async () => {
    const dead = createServer();
    const before = join(dirname(path), "old");
    dead.listen(before);
    await once(dead, "listening");
    symlinkSync("old", path);
    await listen();
    expect(lstatSync(path).isSocket()).toBe(true);
    await dial();
    await until(() => wires.length === 1, "the client");
    dead.close();
  });

  it.each(["host.sock", ".host.sock"])("says that a folder is in the way at %s, and leaves it", async (name) => {
    const folder = join(dirname(path), name);
    mkdirSync(folder);
    await expect(listen()).rejects.toMatchObject({ code: "cannot-listen", message: expect.stringContaining(folder) });
    expect(lstatSync(folder).isDirectory()).toBe(true);
  });

  it("replaces whatever a crash left under its temporary name", async () => {
    const listening = await listen();
    await listening.close();
    symlinkSync("nowhere", join(dirname(path), ".host.sock"));
    symlinkSync("nowhere", path);
    await listen();
    await dial();
    await until(() => wires.length === 1, "the client");
  });

  it("goes away when it is closed, and leaves a newer one alone", async () => {
    const first = await listen();
    await first.close();
    expect(existsSync(path)).toBe(false);
    const second = await listen();
    const third = await listen();
    await second.close();
    expect(lstatSync(path).isSocket()).toBe(true);
    await third.close();
    expect(existsSync(path)).toBe(false);
  });

  it("keeps open lines when it is closed", async () => {
    const listening = await listen();
    const socket = await dial();
    const heard = linesAt(socket);
    await until(() => wires.length === 1, "the client");
    await listening.close();
    wires[0]?.send("1");
    await until(() => heard.length === 1, "the frame");
  });

  it("[WI-1] refuses one client too many with a reason, and takes the next when there is room", async () => {
    await listen({ connectionsMax: 2 });
    const first = await dial();
    await dial();
    const third = await dial();
    const heard = linesAt(third);
    await until(() => third.readableEnded, "the refusal");
    expect(JSON.parse(heard[0] ?? "").params.payload.reason).toBe("too-many");
    expect(wires).toHaveLength(2);
    first.destroy();
    // Until the server has noticed, whoever comes is one too many.
    while (wires.length < 3) {
      const next = await dial();
      linesAt(next);
      await until(() => wires.length === 3 || next.readableEnded, "an answer to the next client");
    }
  });

  it("makes a short socket and a link to it where the home lies too deep", async () => {
    const deep = join(folder, "d".repeat(SOCKET_PATH_BYTES_MAX), "run", "host.sock");
    mkdirSync(dirname(deep), { recursive: true, mode: 0o700 });
    const listening = await listen({ path: deep, env: {} });
    const target = readlinkSync(deep);
    expect(Buffer.byteLength(target)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
    expect(modeOf(dirname(target))).toBe(0o700);
    expect(modeOf(target)).toBe(0o600);
    await dial(target);
    await until(() => wires.length === 1, "the client");
    await listening.close();
    expect(existsSync(dirname(target))).toBe(false);
    expect(lstatSync(deep, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("prefers the system's run-time folder, and clears up after a host that died", async () => {
    const deep = join(folder, "d".repeat(SOCKET_PATH_BYTES_MAX), "run", "host.sock");
    mkdirSync(dirname(deep), { recursive: true, mode: 0o700 });
    await listen({ path: deep, env: { XDG_RUNTIME_DIR: folder } });
    const left = readlinkSync(deep);
    expect(dirname(dirname(left))).toBe(folder);
    await listen({ path: deep, env: { XDG_RUNTIME_DIR: join(folder, "missing") } });
    expect(existsSync(dirname(left))).toBe(false);
    expect(dirname(dirname(readlinkSync(deep)))).toBe(tmpdir());
  });

  it("says what to do when no folder is short enough", async () => {
    const deep = join(folder, "d".repeat(SOCKET_PATH_BYTES_MAX), "run", "host.sock");
    mkdirSync(dirname(deep), { recursive: true, mode: 0o700 });
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = dirname(deep);
    try {
      await expect(listen({ path: deep, env: {} })).rejects.toThrow(/longer than the \d+ bytes.*TALARIA_HOME/s);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });

  it("does not listen below a file", async () => {
    await expect(listen({ path: join(path, "x", "host.sock") })).rejects.toThrow();
    expect(statSync(dirname(path)).isDirectory()).toBe(true);
  });
});
