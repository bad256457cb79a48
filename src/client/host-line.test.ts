import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/wire/support/socket-pair.js";
import { type ToyHost, toyHost } from "../../test/wire/support/toy-host.js";
import { connect } from "./connect.js";
import { CALLS_MAX, type HostEvent, type HostLine, RpcError } from "./host-line.js";

let host: ToyHost;
let line: HostLine;
let events: HostEvent[];

async function begin(kind: "socket" | "websocket"): Promise<void> {
  host = await toyHost(({ params }) => ({ echo: params }), kind);
  events = [];
  line = await connect({ to: host.to, onEvent: (event) => void events.push(event) });
}
afterEach(async () => {
  line.close();
  await host.remove();
});

describe.each(["socket", "websocket"] as const)("a line to a host over a %s", (kind) => {
  beforeEach(() => begin(kind));

  it("hears the first event, and answers calls by their id in any order", async () => {
    const late: (() => void)[] = [];
    host.answering = ({ params }) =>
      params["session_id"] === "slow" ? new Promise((resolve) => late.push(() => resolve({ n: 1 }))) : { n: 2 };
    const slow = line.call("session.usage", { session_id: "slow" });
    expect(await line.call("session.usage", { session_id: "fast" })).toEqual({ n: 2 });
    for (const act of late) act();
    expect(await slow).toEqual({ n: 1 });
    expect(events.map(({ type }) => type)).toEqual(["gateway.ready"]);
  });

  it("rejects with the host's own words and number", async () => {
    host.answering = () => ({ error: { code: 4007, message: "no such session" } });
    const failed = line.call("session.resume", { session_id: "x" });
    await expect(failed).rejects.toBeInstanceOf(RpcError);
    await expect(failed).rejects.toMatchObject({ code: 4007, message: "no such session" });
  });

  it("ends every open call with host-gone when the line is lost", async () => {
    host.answering = () => "silence";
    const calls = [line.call("host.status", {}), line.call("session.list", {})];
    await until(() => host.calls.length === 2, "the calls");
    await host.stop("shutting-down");
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "host-gone" });
    expect(await line.closed).toMatchObject({ kind: "told", reason: "shutting-down" });
    await expect(line.call("host.status", {})).rejects.toMatchObject({ code: "host-gone" });
  });

  it("ends a call at its deadline, and takes no answer after it", async () => {
    const late: (() => void)[] = [];
    host.answering = () => new Promise((resolve) => late.push(() => resolve({ n: 1 })));
    await expect(line.call("host.status", {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: "host-slow" });
    for (const act of late) act();
    host.answering = () => ({ n: 2 });
    expect(await line.call("host.status", {})).toEqual({ n: 2 });
  });

  it("ends a call that nobody wants any more", async () => {
    host.answering = () => "silence";
    const wanted = new AbortController();
    const call = line.call("host.status", {}, { signal: wanted.signal });
    wanted.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  it("refuses one call too many instead of growing", async () => {
    host.answering = () => "silence";
    const calls = Array.from({ length: CALLS_MAX }, () => line.call("host.status", {}).catch(() => "ended"));
    await expect(line.call("host.status", {})).rejects.toThrow(/calls have no answer/);
    line.close();
    expect(await Promise.all(calls)).toEqual(calls.map(() => "ended"));
  });

  it("reads nothing while it is held, and loses nothing", async () => {
    const wire =
      "url" in host.to
        ? await (await import("./websocket-wire.js")).openWebSocketWire(host.to)
        : await (await import("./socket-wire.js")).openSocketWire(host.to);
    const heard: string[] = [];
    wire.listen({ frame: (text) => void heard.push(text), gone: () => undefined });
    await until(() => heard.length === 1, "ready");
    wire.hold(true);
    for (let seq = 0; seq < 1_000; seq++) host.tell({ type: "message.delta", session_id: "c", seq });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard.length).toBeLessThan(50);
    wire.hold(false);
    await until(() => heard.length === 1_001, "everything");
    expect(heard.slice(1).map((text) => JSON.parse(text).params.seq)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => at),
    );
    wire.close();
  });
});

describe("a line to nobody", () => {
  beforeEach(() => begin("socket"));

  it("says that no host listens, also behind a stale socket or a link to nowhere", async () => {
    await host.stop();
    await expect(connect({ to: host })).rejects.toMatchObject({ code: "no-host" });
    symlinkSync(join(host.folder, "gone"), join(host.folder, "link.sock"));
    const link = { socketPath: join(host.folder, "link.sock") };
    await expect(connect({ to: link })).rejects.toMatchObject({ code: "no-host" });
    const deep = { socketPath: `/tmp/${"d".repeat(200)}/host.sock` };
    await expect(connect({ to: deep })).rejects.toMatchObject({ code: "no-host" });
  });
});
