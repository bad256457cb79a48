/** The start of a host: one per home, whatever is there already and wherever the last one died. */
import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hostPlace } from "#app/host/find-host.js";
import { systemClock } from "#base/clock.js";
import { greetHost } from "#client/start-host.js";
import { freePort } from "../support/free-port.js";
import { sample } from "../support/sample.js";
import { crashRecord, type HostHome, hostHome, isThere, until } from "./support/host-home.js";

let home: HostHome;
afterEach(() => home.remove());

describe("a home", () => {
  it("[HO-1] has one host: a second one refuses, names the first and ends with 4", async () => {
    home = hostHome();
    const first = await home.serve();
    const second = await home.spawn().done;
    expect([second.code, second.stderr]).toEqual([4, expect.stringContaining(`process ${first.pid}`)]);
    expect(await home.json(["host", "status"])).toMatchObject({ running: true, pid: first.pid, state: "serving" });
  });

  it("[HO-1] of eight hosts started at once has one, and the others end with 4", async () => {
    home = hostHome();
    const hosts = Array.from({ length: 8 }, () => home.spawn());
    const ends = hosts.map(({ done }) => done.then(({ code }) => code));
    const ended: (number | null)[] = [];
    for (const end of ends) void end.then((code) => ended.push(code));
    await until(() => ended.length >= 7, "seven give up");
    expect(ended).toEqual(Array.from({ length: 7 }, () => 4));
    const { pid } = await home.json<{ pid: number }>(["host", "status"]);
    expect(hosts.filter((host) => isThere(host.pid)).map((host) => host.pid)).toEqual([pid]);
  });

  it("[HO-1] waits for a short command that has the home instead of giving up", async () => {
    home = hostHome();
    const { takeHostLock } = await import("#store/sqlite/host-lock.js");
    const lock = await takeHostLock(home.paths.run, "0", systemClock);
    const host = home.spawn();
    await systemClock.sleep(500);
    lock.release();
    await until(async () => (await home.cli(["host", "status"])).code === 0, "it serves");
    expect(isThere(host.pid)).toBe(true);
  });

  it("[HO-2] takes no notice of the socket and the record that a dead host left", async () => {
    home = hostHome();
    const dead = await home.serve();
    dead.child.kill("SIGKILL");
    await dead.done;
    expect(lstatSync(home.paths.hostSocket).isSocket()).toBe(true);
    expect(await home.json(["host", "status"])).toMatchObject({ running: false, state: "none", crashed: true });
    const next = await home.serve();
    expect(await home.json(["host", "status"])).toMatchObject({ running: true, pid: next.pid });
  });

  it("[HO-2] takes no notice of a record that names a stranger, and never signals it", async () => {
    home = hostHome();
    const dead = await home.serve();
    dead.child.kill("SIGKILL");
    await dead.done;
    writeFileSync(home.paths.hostFile, JSON.stringify({ pid: process.pid, version: "9", startedMs: 1 }));
    const { code, stdout } = await home.cli(["host", "stop", "--force"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("No host runs")]);
  });

  it("[HO-3] tells a client that is newer, and offers the restart", async () => {
    home = hostHome();
    await home.serve();
    const wish = { place: hostPlace(home.paths), clock: systemClock, client: "test" };
    const newer = await greetHost({ ...wish, version: "99.0.0" });
    newer.line.close();
    expect(newer.hello.is_newer_client).toBe(true);
    const same = await greetHost({ ...wish, version: newer.hello.version });
    same.line.close();
    expect(same.hello.is_newer_client).toBeUndefined();
  });

  it("ends with 5 and says why when its store cannot be used", async () => {
    home = hostHome();
    await home.cli(["sessions", "list"]);
    writeFileSync(join(home.path, "state.db"), "this is no database, and it is long enough to look at".repeat(100));
    const { code, stderr } = await home.spawn().done;
    expect([code, stderr]).toEqual([5, expect.stringContaining("state.db")]);
  });
});

describe("a host that is killed", () => {
  const START = ["host.locked", "host.store-opened", "host.begun", "host.before-listen", "host.listening"];
  const STOP = [
    "host.doors-closed",
    "host.drained",
    "host.turns-released",
    "host.openings-closed",
    "host.hooks-left",
    "host.store-closed",
  ];

  it.each(sample(START))(
    "[HO-2] [CT-9] at %s while it starts leaves a home that the next one serves",
    async (point) => {
      home = hostHome();
      expect((await home.spawn({ TALARIA_FAULT: point }).done).signal).toBe("SIGKILL");
      const next = await home.serve();
      expect(await home.json(["host", "status"])).toMatchObject({ pid: next.pid, state: "serving" });
    },
  );

  it.each(sample(STOP))("[HO-2] [FQ-9] at %s while it stops leaves a home that the next one serves", async (point) => {
    home = hostHome();
    const host = await home.serve({ TALARIA_FAULT: point });
    host.child.kill("SIGTERM");
    expect((await host.done).signal).toBe("SIGKILL");
    expect(crashRecord(home).running).toMatchObject({ pid: host.pid });
    const next = await home.serve();
    expect(crashRecord(home).crashesMs).toHaveLength(1);
    next.child.kill("SIGTERM");
    expect((await next.done).code).toBe(143);
    expect(crashRecord(home)).toMatchObject({ running: null, lastEnd: { reason: "SIGTERM" } });
  });
});

describe("the port", () => {
  it("that another program has costs the port alone", async () => {
    home = hostHome();
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    await home.serve({ TALARIA_HOST_PORT: String(port) });
    other.close();
    expect(home.logged("the port cannot be used")).toMatchObject([{ port }]);
    expect(existsSync(home.paths.hostSocket)).toBe(true);
  });

  it("answers GET /health", async () => {
    home = hostHome();
    const port = await freePort();
    await home.serve({ TALARIA_HOST_PORT: String(port) });
    const answer = await fetch(`http://127.0.0.1:${port}/health`);
    expect([answer.status, await answer.json()]).toEqual([200, { live: true, ready: true, state: "serving" }]);
  });
});
