import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reachHost } from "#client/start-host.js";
import { isAlive, memoryOf, type RpcChild, type WireHome, wireHome } from "./support/home.js";
import { until } from "./support/socket-pair.js";

let home: WireHome;
beforeEach(() => {
  home = wireHome();
});
afterEach(() => home.remove());

async function talking(): Promise<{ rpc: RpcChild; session: string }> {
  const rpc = home.rpc();
  rpc.send({ id: "r1", method: "session.create", params: { cols: 80 } });
  const { result } = await rpc.answer("r1");
  return { rpc, session: result?.["session_id"] ?? "" };
}

const typesIn = (rpc: RpcChild): string[] =>
  rpc.frames().flatMap(({ params }) => (params === undefined ? [] : [params["type"]]));

/** How long the program takes is its own affair [WI-9], by LEAVE_TIME_MS; here it must not hang. */
async function codeAfter(rpc: RpcChild, act: () => void): Promise<number | null> {
  act();
  const { code } = await rpc.ended;
  return code;
}

describe("talaria rpc --stdio", () => {
  it("[WI-8] starts a host, and its first frame is gateway.ready though it was asked before", async () => {
    const rpc = home.rpc();
    rpc.send({ id: "r1", method: "pet.cells", params: { state: "idle" } });
    await rpc.answer("r1");
    expect(rpc.lines[0]).toContain('"gateway.ready"');
    expect(rpc.stderr()).toBe("");
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "[WI-9] ends with 0 by %s, and its host goes on",
    async (signal) => {
      const { rpc } = await talking();
      expect(await codeAfter(rpc, () => rpc.process.kill(signal))).toBe(0);
      expect(isAlive(home.hostPid() ?? 0)).toBe(true);
    },
  );

  it("[WI-9] ends with 0 by its input's end, every request answered", async () => {
    const { rpc } = await talking();
    rpc.send({ id: "last", method: "session.list", params: {} });
    expect(await codeAfter(rpc, () => rpc.process.stdin?.end())).toBe(0);
    expect((await rpc.answer("last"))["result"]).toBeDefined();
  });

  it.each(["SIGTERM", "stdin"] as const)("[WI-9] ends by %s though the host hangs", async (how) => {
    const { rpc } = await talking();
    const pid = home.hostPid() ?? 0;
    process.kill(pid, "SIGSTOP");
    rpc.send({ id: "stuck", method: "session.list", params: {} });
    try {
      const code = await codeAfter(rpc, () =>
        how === "stdin" ? rpc.process.stdin?.end() : rpc.process.kill("SIGTERM"),
      );
      expect(code).toBe(0);
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });

  it("[WI-9] ends though the client does not read", async () => {
    const { rpc } = await talking();
    rpc.process.stdout?.pause();
    for (let id = 0; id < 3_000; id++) rpc.send({ id, method: "commands.catalog", params: {} });
    // Time for its output to fill; when there was less, it has less to leave behind.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await codeAfter(rpc, () => rpc.process.kill("SIGTERM"))).toBe(0);
  });

  it("[WI-9] ends when nobody reads its output any more", async () => {
    const { rpc } = await talking();
    rpc.process.stdout?.destroy();
    rpc.send({ id: "r2", method: "session.list", params: {} });
    const { code } = await rpc.ended;
    expect(code).toBe(0);
  });

  it("[WI-9] only detaches when it is killed: the turn it began goes on", async () => {
    const { rpc, session } = await talking();
    rpc.send({ id: "p1", method: "prompt.submit", params: { session_id: session, text: "hello" } });
    await rpc.answer("p1");
    rpc.process.kill("SIGKILL");
    await rpc.ended;
    const { line } = await reachHost(home.wish());
    const roles = async () =>
      (await line.call("session.resume", { session_id: session })).messages.map(({ role }) => role);
    await expect.poll(roles).toEqual(["user", "assistant"]);
    line.close();
  });

  it("[WI-10] answers what the host owed when it is killed, starts another, and goes on in the same session", async () => {
    const { rpc, session } = await talking();
    rpc.send({ id: "p1", method: "prompt.submit", params: { session_id: session, text: "hello" } });
    await until(() => typesIn(rpc).includes("message.complete"), "the first turn");
    const first = home.hostPid() ?? 0;
    const mark = join(home.path, "begun");
    rpc.send({ id: "owed", method: "shell.exec", params: { command: `touch ${mark}; sleep 300` } });
    await until(() => existsSync(mark), "the host is at it");
    process.kill(first, "SIGKILL");
    expect(await rpc.answer("owed")).toMatchObject({ error: { code: -32000 } });
    rpc.send({ id: "p2", method: "prompt.submit", params: { session_id: session, text: "again" } });
    expect(await rpc.answer("p2")).toMatchObject({ result: { status: "streaming" } });
    const completes = (): number => typesIn(rpc).filter((type) => type === "message.complete").length;
    await until(() => completes() === 2, "the second turn");
    expect(home.hostPid()).not.toBe(first);
    expect(typesIn(rpc).filter((type) => type === "gateway.ready")).toHaveLength(1);
    const seqs = rpc.frames().flatMap(({ params }) => (params?.["seq"] === undefined ? [] : [Number(params["seq"])]));
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it("[WI-10] keeps a session in which nothing was said yet over a restart of the host", async () => {
    const { rpc, session } = await talking();
    const first = home.hostPid();
    expect((await home.run(["host", "restart"])).code).toBe(0);
    await until(() => rpc.stderr().includes("opening another"), "the loss");
    rpc.send({ id: "p1", method: "prompt.submit", params: { session_id: session, text: "hello" } });
    expect(await rpc.answer("p1")).toMatchObject({ result: { status: "streaming" } });
    await until(() => typesIn(rpc).includes("message.complete"), "the turn");
    expect(home.hostPid()).not.toBe(first);
  });

  it("works where the client does", async () => {
    const { rpc } = await talking();
    expect(await rpc.answer("r1")).toMatchObject({ result: { info: { cwd: home.path } } });
  });

  it("[WI-4] does not grow for a client that does not read", async () => {
    const { rpc } = await talking();
    const before = memoryOf(rpc.process.pid ?? 0);
    rpc.process.stdout?.pause();
    let isWritable = true;
    for (let round = 0; round < 40; round++) {
      for (let id = 0; id < 500 && isWritable; id++) {
        isWritable =
          rpc.process.stdin?.write(`{"id":"${round}.${id}","method":"commands.catalog","params":{}}\n`) ?? false;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
      isWritable = rpc.process.stdin?.writableNeedDrain === false;
    }
    expect(memoryOf(rpc.process.pid ?? 0) - before).toBeLessThan(40_000_000);
    expect(memoryOf(home.hostPid() ?? 0)).toBeLessThan(250_000_000);
    rpc.process.stdout?.resume();
    rpc.process.kill("SIGTERM");
    await once(rpc.process, "exit");
  });
});

describe("talaria rpc call", () => {
  it("prints a result, and says what is wrong with a call", async () => {
    const status = await home.run(["rpc", "call", "host.status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ pid: home.hostPid() });
    const unknown = await home.run(["rpc", "call", "no.such", "--json"]);
    expect([unknown.code, JSON.parse(unknown.stderr).error.message]).toEqual([2, expect.stringContaining("no.such")]);
    const missing = await home.run(["rpc", "call", "session.resume", '{"session_id":"nope"}']);
    expect(missing.code).toBe(3);
    const broken = await home.run(["rpc", "call", "host.status", "{"]);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("no JSON")]);
  });

  it("starts nothing with --no-start", async () => {
    const { code, stderr } = await home.run(["rpc", "call", "host.status", "--no-start"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("no host runs")]);
    expect(home.hostPid()).toBeUndefined();
  });
});

describe("talaria rpc", () => {
  it("prints the schema, and wants to know how", async () => {
    const schema = await home.run(["rpc", "--schema"]);
    expect(JSON.parse(schema.stdout)).toMatchObject({ title: "Talaria RPC" });
    const bare = await home.run(["rpc"]);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("--stdio")]);
    expect((await home.run(["rpc", "--stdio", "--schema"])).code).toBe(2);
  });
});
