/** A hundred clients of which one does not read, on real sockets and in real processes of their own memory. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#base/clock.js";
import { BACKLOG_BYTES_MAX } from "#server/wire.js";
import { linesAt, until } from "./support/socket-pair.js";
import { type ToyHost, toyHost } from "./support/toy-host.js";

const CLIENTS = 100;
const FRAMES = 200;
const TEXT = "x".repeat(30_000);

/** Last words are there for longer than a busy machine takes to read them. */
const patient: Clock = { ...systemClock, after: (delayMs, act) => systemClock.after(delayMs * 20, act) };

let host: ToyHost;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await host.remove();
});

async function dial(): Promise<Socket> {
  const socket = connect(host.socketPath);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

describe("a hundred clients", () => {
  it("[WI-3] lose the one that does not read, with a reason, and the others lose nothing", async () => {
    host = await toyHost(() => ({}), "socket", patient);
    const slow = await dial();
    await until(() => host.wires.size === 1, "the slow one");
    const [dropped] = host.wires;
    const lines = linesAt(slow);
    slow.pause();
    const others = await Promise.all(Array.from({ length: CLIENTS - 1 }, dial));
    const seen = others.map((socket) => {
      let next = 0;
      let rest = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        const parts = (rest + text).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts) {
          const { seq } = JSON.parse(line).params;
          if (seq === next) next++;
          else if (seq !== undefined) next = Number.NaN;
        }
      });
      return () => next;
    });
    await until(() => host.wires.size === CLIENTS, "everybody");
    // It looks at its line again just after it was dropped.
    const dropping = until(() => host.wires.size < CLIENTS, "the drop").then(() => slow.resume());
    let largest = 0;
    for (let seq = 0; seq < FRAMES; seq++) {
      host.tell({ type: "message.delta", session_id: "c", payload: { text: TEXT }, seq });
      largest = Math.max(largest, dropped?.backlogBytes() ?? 0);
      await until(() => seen.every((next) => next() > seq - 10), `nobody behind at ${seq}`);
    }
    await until(() => seen.every((next) => next() === FRAMES), "every frame at every other client");
    await dropping;
    expect(host.wires.size).toBe(CLIENTS - 1);
    expect(largest).toBeGreaterThan(BACKLOG_BYTES_MAX / 2);
    expect(largest).toBeLessThan(BACKLOG_BYTES_MAX + 100_000);
    await until(() => slow.readableEnded, "the slow one's end");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      params: { type: "connection.closing", payload: { reason: "too-slow" } },
    });
    // What it did read is whole and in order, so it knows from where to ask again.
    const numbers = lines.slice(1, -1).map((line) => JSON.parse(line).params.seq);
    expect(numbers).toEqual(numbers.map((_, at) => at));
  });
});
