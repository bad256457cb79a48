import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { until } from "../../../test/wire/support/socket-pair.js";
import { type ToyHost, toyHost } from "../../../test/wire/support/toy-host.js";
import { openSocketWire } from "../socket-wire.js";
import { Bridge, LEAVE_TIME_MS, OPEN_MAX } from "./bridge.js";

let host: ToyHost;
let input: PassThrough;
let output: PassThrough;
let lines: string[];
let notes: string[];
let bridge: Bridge;
let left: Promise<void>;
/** What the host was asked, the bridge's own greeting left out. */
let heard: () => ToyHost["calls"];

beforeEach(async () => {
  host = await toyHost(({ method, params }) => ({ method, ...params }));
  heard = () => host.calls.filter(({ method }) => method !== "host.hello");
  input = new PassThrough();
  output = new PassThrough();
  lines = [];
  notes = [];
  begin();
});
afterEach(async () => {
  await bridge.leave("told");
  await host.remove();
});

function begin(open = () => openSocketWire(host)): void {
  bridge = new Bridge(
    { input, output, open, clock, hello: { client: "test", cwd: "/w" }, note: (text) => void notes.push(text) },
    { idPrefix: "own-" },
  );
  left = bridge.run();
}

function read(): void {
  let rest = "";
  // This test's own: a bridge that is left may still say something.
  lines = [];
  const mine = lines;
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    mine.push(...parts);
  });
}

const ask = (id: unknown, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const frames = (): Record<string, never>[] => lines.map((line) => JSON.parse(line));
const types = (): string[] => frames().flatMap(({ params }) => (params === undefined ? [] : [params["type"]]));
const answersTo = (id: unknown) => frames().filter((frame) => frame["id"] === id);

describe("a client's pipes joined with a host", () => {
  it("[WI-8] hears gateway.ready first and once, over any number of hosts", async () => {
    read();
    input.write(ask("r1", "pet.cells"));
    await until(() => answersTo("r1").length === 1, "the answer");
    expect(types()[0]).toBe("gateway.ready");
    expect(lines[0]).toContain("gateway.ready");
    await host.stop();
    await host.start();
    input.write(ask("r2", "pet.cells"));
    await until(() => answersTo("r2").length === 1, "the second answer");
    expect(types().filter((type) => type === "gateway.ready")).toHaveLength(1);
  });

  it("greets every host before anything else, so that sessions work where the client does", async () => {
    read();
    input.write(ask("r1", "session.create"));
    await until(() => answersTo("r1").length === 1, "the answer");
    expect(host.calls[0]).toEqual({ method: "host.hello", params: { client: "test", cwd: "/w" } });
    for (const wire of host.wires) wire.end("done");
    await until(() => host.calls.filter(({ method }) => method === "host.hello").length === 2, "the second greeting");
  });

  it("answers what was said before a host was there", async () => {
    await bridge.leave("told");
    await host.stop();
    input = new PassThrough();
    output = new PassThrough();
    let isUp = false;
    begin(async () => {
      await until(() => isUp, "the host");
      return openSocketWire(host);
    });
    read();
    for (let count = 0; count < 50; count++) input.write(ask(count, "pet.cells", { n: count }));
    await host.start();
    isUp = true;
    await until(() => lines.length === 51, "all answers");
    expect(
      frames()
        .slice(1)
        .map(({ id }) => id),
    ).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  it("[WI-10] answers open requests with an error when the host dies, and goes on with the next", async () => {
    host.answering = () => "silence";
    read();
    input.write(ask("r1", "prompt.submit", { session_id: "c", text: "hi" }) + ask(7, "session.list"));
    await until(() => heard().length === 2, "the calls");
    for (const wire of host.wires) wire.end("done");
    await until(() => lines.length === 3, "the errors");
    for (const id of ["r1", 7]) {
      expect(answersTo(id)).toMatchObject([
        { error: { code: -32000, message: expect.stringMatching(/nothing.*is lost/) } },
      ]);
    }
    host.answering = () => ({ n: 1 });
    input.write(ask("r2", "session.list"));
    await until(() => answersTo("r2").length === 1, "the next answer");
    expect(answersTo("r2")).toMatchObject([{ result: { n: 1 } }]);
  });

  it("[WI-10] subscribes again where the client was, and tells it what it missed once", async () => {
    const delta = (seq: number) => ({ type: "message.delta", session_id: "c", payload: { text: `${seq}` }, seq });
    host.answering = ({ method, params }) => {
      if (method === "events.subscribe") {
        return { seq: 4, state: "working", events: [1, 2, 3, 4].map(delta).slice(Number(params["after"])) };
      }
      return { session_id: "c" };
    };
    read();
    input.write(ask("r1", "session.create"));
    await until(() => answersTo("r1").length === 1, "the session");
    host.tell(delta(1));
    host.tell(delta(2));
    await until(() => types().length === 3, "two events");
    for (const wire of host.wires) wire.end("done");
    await until(() => heard().some(({ method }) => method === "events.subscribe"), "the subscription");
    await until(() => types().length === 5, "the missed events");
    host.tell(delta(5));
    await until(() => types().length === 6, "the next event");
    const seqs = frames().flatMap(({ params }) => (params?.["seq"] === undefined ? [] : [params["seq"]]));
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
    // The client never sees an answer to a request that is not its own.
    expect(frames().filter(({ id }) => String(id).startsWith("own-"))).toEqual([]);
  });

  it("[WI-10] opens a session again in which nothing was said, before it passes on what is said now", async () => {
    const known = new Set<unknown>();
    let count = 0;
    host.answering = ({ method, params }) => {
      if (method === "session.create") {
        const id = params["session_id"] ?? `c${++count}`;
        known.add(id);
        return { session_id: id };
      }
      if ("session_id" in params && !known.has(params["session_id"]))
        return { error: { code: 4001, message: "not live" } };
      return { status: "streaming" };
    };
    read();
    input.write(ask("r1", "session.create", { cols: 99 }));
    await until(() => answersTo("r1").length === 1, "the session");
    await host.stop();
    known.clear();
    input.write(ask("r2", "prompt.submit", { session_id: "c1", text: "hi" }));
    await host.start();
    await until(() => answersTo("r2").length === 1, "the answer");
    if (answersTo("r2")[0]?.["error"] !== undefined) {
      // It went out on the dying line: what comes after it is what counts.
      input.write(ask("r3", "prompt.submit", { session_id: "c1", text: "hi" }));
      await until(() => answersTo("r3").length === 1, "the next answer");
      expect(answersTo("r3")).toMatchObject([{ result: { status: "streaming" } }]);
    }
    expect(heard()).toContainEqual({ method: "session.create", params: { cols: 99, session_id: "c1" } });
  });

  it("[WI-10] ends a turn that ended while nobody listened", async () => {
    const messages = [
      { role: "user", text: "hi" },
      { role: "assistant", text: "Hello." },
    ];
    host.answering = ({ method }) =>
      method === "events.subscribe"
        ? { seq: 90, state: "idle", events: [], reset: { messages, has_older: false } }
        : { session_id: "c" };
    read();
    input.write(ask("r1", "session.create"));
    await until(() => answersTo("r1").length === 1, "the session");
    host.tell({ type: "message.start", session_id: "c", seq: 5 });
    await until(() => types().includes("message.start"), "the start");
    for (const wire of host.wires) wire.end("done");
    await until(() => types().includes("message.complete"), "the end");
    const end = frames().find(({ params }) => params?.["type"] === "message.complete");
    expect(end?.["params"]).toMatchObject({ session_id: "c", payload: { text: "Hello.", status: "complete" } });
  });

  it("leaves a client that was not busy in peace after a reset", async () => {
    host.answering = ({ method }) =>
      method === "events.subscribe"
        ? { seq: 90, state: "idle", events: [], reset: { messages: [], has_older: false } }
        : { session_id: "c" };
    read();
    input.write(ask("r1", "session.create"));
    await until(() => answersTo("r1").length === 1, "the session");
    for (const wire of host.wires) wire.end("done");
    await until(() => heard().some(({ method }) => method === "events.subscribe"), "the subscription");
    input.write(ask("r2", "session.list"));
    await until(() => answersTo("r2").length === 1, "the answer");
    expect(types()).toEqual(["gateway.ready"]);
  });

  it("lets the host answer what is no request", async () => {
    read();
    input.write("nonsense\n[]\n\n");
    input.write(Buffer.of(0xff, 0x0a));
    await until(() => lines.length === 4, "three errors");
    const codes = frames().flatMap(({ error }) => (error === undefined ? [] : [error["code"]]));
    expect(codes).toEqual([-32700, -32600, -32700]);
  });

  it("[WI-9] says goodbye when its input ends, after the answers that are due", async () => {
    read();
    input.end(`${ask("r1", "session.list")}${ask("r2", "session.list").trimEnd()}`);
    await left;
    expect(answersTo("r1")).toHaveLength(1);
    expect(answersTo("r2")).toHaveLength(1);
    expect(heard().map(({ method }) => method)).toEqual(["session.list", "session.list", "connection.bye"]);
  });

  it("[WI-9] leaves in time when the host says nothing", async () => {
    // What a busy machine adds to it is not ours; that it ends at all is.
    expect(LEAVE_TIME_MS).toBeLessThan(1_000);
    host.answering = () => "silence";
    read();
    input.write(ask("r1", "session.list"));
    await until(() => heard().length === 1, "the call");
    input.end();
    await left;
  });

  it("[WI-9] leaves in time when there is no host", async () => {
    await bridge.leave("told");
    input = new PassThrough();
    output = new PassThrough();
    lines = [];
    begin(() => new Promise(() => undefined));
    read();
    input.write(ask("r1", "session.list"));
    input.end();
    await left;
    expect(answersTo("r1")).toMatchObject([{ error: { code: -32000 } }]);
  });

  it("answers with the reason while no host can be had, and tries again", async () => {
    await bridge.leave("told");
    input = new PassThrough();
    output = new PassThrough();
    let tries = 0;
    begin(async () => {
      if (++tries < 3) throw new OperationalError("host-start", "after-delay", "the disk is full");
      return openSocketWire(host);
    });
    read();
    input.write(ask("r1", "session.list"));
    await until(() => answersTo("r1").length === 1, "the refusal");
    expect(answersTo("r1")).toMatchObject([{ error: { message: "the disk is full" } }]);
    for (let id = 2; types().length === 0; id++) {
      input.write(ask(id, "session.list"));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(tries).toBe(3);
    expect(notes).toEqual(["no host: the disk is full", "no host: the disk is full"]);
  });

  it("[WI-4] does not read the host while nobody reads the output", async () => {
    host.answering = () => ({ text: "x".repeat(50_000) });
    // Nobody reads: the answers fill the pipe, the line and then the host's own backlog.
    for (let id = 0; id < 60; id++) input.write(ask(id, "session.list"));
    const wire = (): number => [...host.wires][0]?.backlogBytes() ?? 0;
    await until(() => heard().length === 60, "the requests");
    await until(() => wire() > 500_000, "the host's own backlog");
    expect(output.readableLength + output.writableLength).toBeLessThan(400_000);
    read();
    await until(() => lines.length === 61, "everything");
    expect(frames().filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it("[WI-3] comes back after the host dropped it for reading too slowly, and owes no answer", async () => {
    host.answering = () => ({ text: "x".repeat(50_000) });
    for (let id = 0; id < 150; id++) input.write(ask(id, "session.list"));
    await until(() => heard().length === 150 && host.wires.size === 0, "the drop");
    read();
    await until(() => lines.length === 151, "an answer or an error to each");
    const failed = frames().filter(({ error }) => error !== undefined);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(150);
    input.write(ask("next", "session.list"));
    await until(() => answersTo("next").length === 1, "the next answer");
  });

  it("[WI-4] keeps no more requests under way than a host takes", async () => {
    host.answering = () => "silence";
    read();
    for (let id = 0; id < OPEN_MAX + 500; id++) input.write(ask(id, "session.list"));
    await until(() => heard().length === OPEN_MAX, "the calls");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard()).toHaveLength(OPEN_MAX);
  });

  it("ends with an error frame when a frame is too long", async () => {
    read();
    await until(() => lines.length === 1, "ready");
    input.write("x".repeat(4_100_000));
    await left;
    expect(frames().at(-1)).toMatchObject({ id: null, error: { code: -32600 } });
  });
});
