import { once } from "node:events";
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

async function endedWithin(rpc: RpcChild, act: () => void): Promise<{ code: number | null; tookMs: number }> {
  const begunMs = performance.now();
  act();
  const { code } = await rpc.ended;
  return { code, tookMs: performance.now() - begunMs };
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
    "[WI-9] ends with 0 within a second of %s, and its host goes on",
    async (signal) => {
      const { rpc } = await talking();
      const { code, tookMs } = await endedWithin(rpc, () => rpc.process.kill(signal));
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(1_000);
      expect(isAlive(home.hostPid() ?? 0)).toBe(true);
    },
  );

  it("[WI-9] ends with 0 within a second of its input's end, every request answered", async () => {
    const { rpc } = await talking();
    rpc.send({ id: "last", method: "session.list", params: {} });
    const { code, tookMs } = await endedWithin(rpc, () => rpc.process.stdin?.end());
    expect([code, tookMs < 1_000]).toEqual([0, true]);
    expect((await rpc.answer("last"))["result"]).toBeDefined();
  });

  it.each(["SIGTERM", "stdin"] as const)("[WI-9] ends in time by %s though the host hangs", async (how) => {
    const { rpc } = await talking();
    const pid = home.hostPid() ?? 0;
    process.kill(pid, "SIGSTOP");
    rpc.send({ id: "stuck", method: "session.list", params: {} });
    try {
      const { code, tookMs } = await endedWithin(rpc, () =>
        how === "stdin" ? rpc.process.stdin?.end() : rpc.process.kill("SIGTERM"),
      );
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(1_000);
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });

  it("[WI-9] ends in time though the client does not read", async () => {
    const { rpc } = await talking();
    rpc.process.stdout?.pause();
    for (let id = 0; id < 3_000; id++) rpc.send({ id, method: "commands.catalog", params: {} });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { code, tookMs } = await endedWithin(rpc, () => rpc.process.kill("SIGTERM"));
    expect([code, tookMs < 1_200]).toEqual([0, true]);
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
    const rows = async () => (await line.call("session.resume", { session_id: session })).messages;
    for (let tries = 0; (await rows()).at(-1)?.role !== "assistant"; tries++) {
      expect(tries).toBeLessThan(200);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await rows()).map(({ role }) => role)).toEqual(["user", "assistant"]);
    line.close();
  });

  it("[WI-10] answers what the host owed when it is killed, starts another, and goes on in the same session", async () => {
    const { rpc, session } = await talking();
    rpc.send({ id: "p1", method: "prompt.submit", params: { session_id: session, text: "hello" } });
    await until(() => typesIn(rpc).includes("message.complete"), "the first turn");
    const first = home.hostPid() ?? 0;
    process.kill(first, "SIGSTOP");
    rpc.send({ id: "owed", method: "session.list", params: {} });
    await new Promise((resolve) => setTimeout(resolve, 50));
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
