/** Settings that are wrong, or cannot be met, beside a host: told where somebody looks, and nothing is stopped for them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.js";
import { hostHome } from "./support/host-home.js";

let home: ReturnType<typeof hostHome>;
let taken: Server | undefined;
afterEach(async () => {
  await home.remove();
  taken?.close();
});

const settings = (text: string): void => writeFileSync(home.paths.config, text, { mode: 0o600 });

async function takenPort(): Promise<number> {
  const server = createServer();
  taken = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

describe("a port that another program has", () => {
  it("is told by start, restart, status and doctor, and the host serves", async () => {
    home = hostHome();
    const port = await takenPort();
    const env = { TALARIA_HOST_PORT: String(port) };
    for (const verb of ["start", "restart"]) {
      const { code, stderr } = await home.cli(["host", verb], env);
      expect([code, stderr]).toEqual([0, expect.stringMatching(`port ${port} is not open.*another program has it`)]);
    }
    const { stdout } = await home.cli(["host", "status"]);
    expect(stdout).toMatch(new RegExp(`^pages +not on 127.0.0.1:${port}: another program has it$`, "m"));
    expect(await home.json(["host", "status"])).toMatchObject({ pages: { port, error: "another program has it" } });
    const { checks } = await home.json<{ checks: { check: string; text: string }[] }>(["doctor"]);
    expect(checks.find(({ check }) => check === "host")?.text).toMatch(/is not open for pages/);
  });

  it("that is free is shown where it is", async () => {
    home = hostHome();
    const port = await freePort();
    const { stdout } = await home.cli(["host", "start"], { TALARIA_HOST_PORT: String(port) });
    expect(stdout).toContain(`127.0.0.1:${port}`);
    expect((await home.cli(["host", "status"])).stdout).toMatch(new RegExp(`^pages +127.0.0.1:${port}$`, "m"));
  });
});

describe("a mistake in config.yaml beside a running host", () => {
  it("keeps a restart from stopping it, and that is said", async () => {
    home = hostHome();
    const host = await home.serve();
    settings("host:\n  linger_seconds: soon\n");
    const { code, stderr } = await home.cli(["host", "restart"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/linger_seconds.*Nothing was stopped/s)]);
    expect(await home.json(["host", "status"])).toMatchObject({ pid: host.pid, state: "serving" });
  });

  it("lets it be stopped, and says that none can be started", async () => {
    home = hostHome();
    await home.serve();
    settings("host:\n  linger_seconds: soon\n");
    const { code, stdout, stderr } = await home.cli(["host", "stop"]);
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining("has stopped"),
      expect.stringMatching(/no host can be started until this is corrected: .*linger_seconds/),
    ]);
  });

  it("is told by a chat", async () => {
    home = hostHome();
    await home.serve();
    settings("agent:\n  steps_max: many\n");
    const { code, stderr } = await home.cli(["chat", "-q", "hello"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/settings have a mistake.*steps_max/s)]);
  });
});

describe("host status", () => {
  it("has one style of names in its document", async () => {
    home = hostHome();
    mkdirSync(home.paths.plugins, { recursive: true });
    await home.serve();
    const document = await home.json(["host", "status"]);
    expect(Object.keys(document).filter((name) => /[_-]/.test(name))).toEqual([]);
    expect(document).toMatchObject({ running: true, hooksOwed: 0, pages: null, safeMode: null, otherVariables: [] });
  });
});

describe("a host that cannot be started", () => {
  it("leaves an entry in the log, which has nothing but entries, and its words to who started it", async () => {
    home = hostHome();
    settings("host:\n  linger_seconds: soon\n");
    const { code, stderr } = await home.cli(["chat", "-q", "hello"]);
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/linger_seconds/)]);
    expect(home.entries()).toMatchObject([{ level: "error", message: "the host could not be started" }]);
  });

  it("because one runs is no error", async () => {
    home = hostHome();
    await Promise.all(Array.from({ length: 4 }, () => home.cli(["chat", "-q", "hello"])));
    expect(home.entries().filter(({ level }) => level === "error")).toEqual([]);
  });
});
