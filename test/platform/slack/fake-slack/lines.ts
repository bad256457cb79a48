/**
 * How events reach the app: envelopes over Socket Mode's WebSocket, or signed requests to an address. What is not
 * acknowledged stays and is given again: after a time, on a new connection, or when a test says so.
 */
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { BOT, TOKENS } from "./world.js";

/** As much as Slack waits, and then gives it again. */
export const ACK_LIMIT_MS = 3_000;
const RETRIES_MAX = 3;
/** So many of the newest are remembered for a redelivery. */
const GIVEN_MAX = 20_000;

export interface Envelope {
  readonly id: string;
  readonly type: "events_api" | "slash_commands" | "interactive";
  readonly payload: Record<string, unknown>;
  attempts: number;
  isAcked: boolean;
}

/** A request to the app's address, as the app's own HTTP door gets it. */
export type Door = (request: {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}) => Promise<{ status: number; body?: string }>;

export class Lines {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets = new Set<WebSocket>();
  readonly #given: Envelope[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Set in HTTP mode. */
  door: Door | undefined;
  /** The first copy of the next so many events is lost on its way. */
  loseFirst = 0;
  acked = 0;
  connections = 0;
  retryMs = ACK_LIMIT_MS;

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (line) => this.#welcome(line));
  }

  /** Resolves when Slack has it; the app gets it in its own time. */
  give(type: Envelope["type"], payload: Record<string, unknown>): Envelope {
    const envelope = { id: crypto.randomUUID(), type, payload, attempts: 0, isAcked: false };
    this.#given.push(envelope);
    if (this.#given.length > GIVEN_MAX) this.#given.shift();
    if (this.loseFirst > 0) {
      this.loseFirst--;
      envelope.attempts++;
      this.#later(envelope);
    } else this.#send(envelope);
    return envelope;
  }

  given(at: number): Envelope | undefined {
    return this.#given[at];
  }

  /** Everything again, acknowledged or not, the newest `max` of it. */
  async redeliver(max = 50): Promise<void> {
    for (const envelope of this.#given.slice(-max)) this.#send(envelope);
  }

  cut(): void {
    for (const line of this.#sockets) line.terminate();
  }

  /** Slack moves the app to another server. */
  refresh(reason = "refresh_requested"): void {
    for (const line of this.#sockets)
      line.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "fake" } }));
  }

  /** The line stays open and carries nothing any more, in neither direction. */
  freeze(): void {
    for (const line of this.#sockets) line.pause();
  }

  raw(frame: string): void {
    for (const line of this.#sockets) line.send(frame);
  }

  get open(): number {
    return this.#sockets.size;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.cut();
    this.#server.close();
  }

  #welcome(line: WebSocket): void {
    this.connections++;
    this.#sockets.add(line);
    line.on("close", () => this.#sockets.delete(line));
    line.on("error", () => line.terminate());
    line.on("message", (frame) => this.#onFrame(String(frame)));
    const hello = { type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: BOT.app } };
    line.send(JSON.stringify({ ...hello, debug_info: { host: "fake", approximate_connection_time: 18_060 } }));
    line.ping();
    for (const envelope of this.#given) if (!envelope.isAcked && envelope.attempts > 0) this.#send(envelope);
    for (const envelope of this.#given) if (!envelope.isAcked && envelope.attempts === 0) this.#send(envelope);
  }

  #onFrame(frame: string): void {
    const { envelope_id: id } = JSON.parse(frame) as { envelope_id?: string };
    const envelope = this.#given.find((one) => one.id === id);
    if (envelope === undefined) return;
    this.#ack(envelope);
  }

  #ack(envelope: Envelope): void {
    if (!envelope.isAcked) this.acked++;
    envelope.isAcked = true;
  }

  #send(envelope: Envelope): void {
    if (this.door !== undefined) {
      void this.#post(envelope, this.door);
      return;
    }
    const [line] = this.#sockets;
    if (line === undefined) return;
    const retry = envelope.attempts > 0 ? { retry_attempt: envelope.attempts, retry_reason: "timeout" } : {};
    envelope.attempts++;
    const { id, type, payload } = envelope;
    line.send(
      JSON.stringify({ envelope_id: id, type, payload, accepts_response_payload: type !== "events_api", ...retry }),
    );
    this.#later(envelope);
  }

  #later(envelope: Envelope): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!envelope.isAcked && envelope.attempts <= RETRIES_MAX) this.#send(envelope);
    }, this.retryMs);
    this.#timers.add(timer);
  }

  async #post(envelope: Envelope, door: Door): Promise<void> {
    const retry =
      envelope.attempts > 0
        ? { "x-slack-retry-num": String(envelope.attempts), "x-slack-retry-reason": "http_timeout" }
        : {};
    envelope.attempts++;
    const request = signedRequest(envelope.type, envelope.payload);
    const answer = await door({ ...request, headers: { ...request.headers, ...retry } }).catch(() => ({ status: 502 }));
    if (answer.status === 200) this.#ack(envelope);
    else this.#later(envelope);
  }
}

/** A request as Slack makes and signs it. */
export function signedRequest(
  type: Envelope["type"],
  payload: Record<string, unknown>,
  how: { secret?: string; atMs?: number } = {},
) {
  const body = Buffer.from(bodyOf(type, payload));
  const timestamp = String(Math.floor((how.atMs ?? Date.now()) / 1_000));
  const hash = createHmac("sha256", how.secret ?? TOKENS.signing)
    .update(`v0:${timestamp}:`)
    .update(body)
    .digest("hex");
  const headers: Record<string, string> = {
    "content-type": type === "events_api" ? "application/json" : "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${hash}`,
  };
  return { method: "POST", path: "/", headers, body };
}

function bodyOf(type: Envelope["type"], payload: Record<string, unknown>): string {
  if (type === "events_api") return JSON.stringify(payload);
  if (type === "interactive") return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) form.set(name, String(value));
  return form.toString();
}
