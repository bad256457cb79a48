import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { greetHost, type HostWish, reachHost } from "#client/start-host.js";
import { isAlive, type WireHome, wireHome } from "./support/home.js";
import { until } from "./support/socket-pair.js";

let home: WireHome;
beforeEach(() => {
  home = wireHome();
});
afterEach(() => home.remove());

const script = (code: string): HostWish["command"] => [process.execPath, "-e", code];

describe("reaching a host", () => {
  it("[WI-11] starts one host for five clients that come at once", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => reachHost(home.wish())));
    const pids = new Set(all.map(({ hello }) => hello.pid));
    expect(pids.size).toBe(1);
    expect(pids.has(home.hostPid() ?? 0)).toBe(true);
    for (const { line } of all) line.close();
  });

  it("starts another when the last one was killed, and its socket is still there", async () => {
    const first = await reachHost(home.wish());
    process.kill(first.hello.pid, "SIGKILL");
    await first.line.closed;
    const second = await reachHost(home.wish());
    expect(second.hello.pid).not.toBe(first.hello.pid);
    expect(isAlive(second.hello.pid)).toBe(true);
    second.line.close();
  });

  it("starts a host that outlives this process's group and has no terminal", async () => {
    const { hello, line } = await reachHost(home.wish());
    const { readFileSync } = await import("node:fs");
    const session = readFileSync(`/proc/${hello.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[3];
    expect(Number(session)).toBe(hello.pid);
    line.close();
  });

  it("shows the last words of a host that dies at its start", async () => {
    writeFileSync(join(home.path, "logs", "host.out"), "an old line\n");
    const command = script("console.error('the store cannot be opened: no space'); process.exit(5)");
    const failed = reachHost(home.wish({ command }));
    await expect(failed).rejects.toThrow(/ended with 5 before it was ready.*the store cannot be opened: no space/s);
    await expect(failed).rejects.not.toThrow(/an old line/);
    await expect(reachHost(home.wish({ command: ["/does/not/exist"] }))).rejects.toThrow(/ENOENT/);
  });

  it("says so when a host is not ready in time", async () => {
    const command = script("setTimeout(() => undefined, 3000)");
    await expect(reachHost(home.wish({ command, timeoutMs: 300 }))).rejects.toMatchObject({ code: "host-start" });
  });

  it("takes its turn after somebody who had the home for a moment", async () => {
    const mark = join(home.path, "first");
    const [program, ...args] = home.wish().command;
    const code = `
      const { existsSync, writeFileSync } = require("node:fs");
      const { spawnSync } = require("node:child_process");
      if (existsSync(${JSON.stringify(mark)})) {
        spawnSync(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: "inherit" });
      } else {
        writeFileSync(${JSON.stringify(mark)}, "");
        process.exit(4);
      }`;
    const { hello, line } = await reachHost(home.wish({ command: script(code) }));
    expect(hello.pid).toBe(home.hostPid());
    line.close();
  });

  it("says who has the home when it never becomes free", async () => {
    // A shell is there and gone at once, also on a busy machine.
    const command: HostWish["command"] = ["/bin/sh", "-c", "exit 4"];
    await expect(reachHost(home.wish({ command, timeoutMs: 3_000 }))).rejects.toMatchObject({ code: "home-locked" });
  });

  it("says what to do about a host that hangs", async () => {
    const { hello, line } = await reachHost(home.wish());
    process.kill(hello.pid, "SIGSTOP");
    await expect(reachHost(home.wish({ timeoutMs: 300 }))).rejects.toThrow(/does not answer.*host stop --force/);
    process.kill(hello.pid, "SIGCONT");
    line.close();
  });

  it("stops waiting when nobody wants it any more", async () => {
    const stopping = new AbortController();
    const waiting = reachHost(
      home.wish({ command: script("setTimeout(() => undefined, 3000)"), signal: stopping.signal }),
    );
    stopping.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("starts none when it was only asked for one", async () => {
    await expect(greetHost(home.wish())).rejects.toMatchObject({ code: "no-host" });
    expect(home.hostPid()).toBeUndefined();
  });

  it("reaches a host whose home lies too deep for a socket's path", async () => {
    const deep = join(home.path, "d".repeat(60), "e".repeat(60));
    const env = { ...home.env, TALARIA_HOME: deep };
    const { mkdirSync } = await import("node:fs");
    mkdirSync(join(deep, "logs"), { recursive: true, mode: 0o700 });
    const { hostCommand } = await import("#client/host-command.js");
    const place = {
      socketPath: join(deep, "run", "host.sock"),
      logPath: join(deep, "logs", "talaria.log"),
      homePath: deep,
    };
    const { hello, line } = await reachHost(home.wish({ place, env, command: hostCommand(deep) }));
    await line.call("host.stop", { force: true });
    await line.closed;
    await until(() => !isAlive(hello.pid), "its end");
  });
});
