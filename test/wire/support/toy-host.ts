/**
 * A host of a few lines on a real socket, for tests of clients: it answers what a test tells it to, and can die at
 * any moment, as often as a test likes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "#base/clock.js";
import { type EventParams, errorFrame, eventFrame, type JsonObject, parseFrame, resultFrame } from "#protocol/frame.js";
import { listenOnSocket, type SocketListening } from "#server/transport/socket.js";
import { listenOnWebSocket, type WebSocketListening } from "#server/transport/websocket.js";
import type { Wire, WireEnd } from "#server/wire.js";

const TOKEN = "0123456789abcdef".repeat(4);

export type Answer = JsonObject | { readonly error: { readonly code: number; readonly message: string } } | "silence";
export type Answering = (call: { method: string; params: JsonObject; wire: Wire }) => Answer | Promise<Answer>;

export interface ToyHost {
  /** Where it listens now. */
  readonly to: { readonly socketPath: string } | { readonly url: string; readonly token: string };
  readonly socketPath: string;
  readonly folder: string;
  readonly calls: { readonly method: string; readonly params: JsonObject }[];
  readonly wires: Set<Wire>;
  answering: Answering;
  start(): Promise<void>;
  /** No new lines, and the old ones end. */
  stop(why?: WireEnd): Promise<void>;
  tell(event: EventParams): void;
  remove(): Promise<void>;
}

export async function toyHost(
  answering: Answering = () => ({}),
  kind: "socket" | "websocket" = "socket",
  clock: Clock = systemClock,
): Promise<ToyHost> {
  const folder = mkdtempSync(join(tmpdir(), "toy-"));
  const socketPath = join(folder, "host.sock");
  let listening: SocketListening | WebSocketListening | undefined;
  const accept = (wire: Wire): void => {
    host.wires.add(wire);
    wire.listen({
      frame: (text) => void answer(host, wire, text),
      gone: () => void host.wires.delete(wire),
    });
    wire.send(eventFrame({ type: "gateway.ready", payload: { skin: {} } }));
  };
  const host: ToyHost = {
    get to() {
      return listening !== undefined && "port" in listening
        ? { url: `ws://127.0.0.1:${listening.port}/api/ws`, token: TOKEN }
        : { socketPath };
    },
    socketPath,
    folder,
    calls: [],
    wires: new Set(),
    answering,
    async start() {
      listening =
        kind === "socket"
          ? await listenOnSocket({ path: socketPath, clock, accept })
          : await listenOnWebSocket({
              port: 0,
              clock,
              accept,
              token: TOKEN,
              health: () => ({ live: true, ready: true }),
            });
    },
    async stop(why = "done") {
      await listening?.close();
      listening = undefined;
      for (const wire of [...host.wires]) wire.end(why);
    },
    tell(event) {
      for (const wire of host.wires) wire.send(eventFrame(event));
    },
    async remove() {
      await host.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
  await host.start();
  return host;
}

async function answer(host: ToyHost, wire: Wire, text: string): Promise<void> {
  const frame = parseFrame(text);
  if (frame.kind === "refused") return wire.send(errorFrame(frame.id, frame.error));
  const { id, method, params } = frame;
  host.calls.push({ method, params });
  const given = await host.answering({ method, params, wire });
  if (given === "silence") return;
  const { error } = given as { error?: { code: number; message: string } };
  wire.send(error === undefined ? resultFrame(id, given as JsonObject) : errorFrame(id, error));
}
