/** The gateway's side of a line: hello, identify, resume, heartbeats, dispatches by number, and everything that goes wrong. */
import type { Server } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { World } from "./world.js";

const DISPATCH = 0;
const HEARTBEAT = 1;
const IDENTIFY = 2;
const RESUME = 6;
const RECONNECT = 7;
const INVALID_SESSION = 9;
const HELLO = 10;
const HEARTBEAT_ACK = 11;
const BUFFER_MAX = 10_000;

interface Session {
  readonly id: string;
  seq: number;
  readonly sent: { readonly s: number; readonly t: string; readonly d: unknown }[];
  socket: WebSocket | undefined;
}

export class FakeGateway {
  heartbeatMs = 20_000;
  isResumeRefused = false;
  isZombie = false;
  /** Instead of READY the next identifies are closed with this. */
  identifyCloseCode: number | undefined;
  /** Sessions left for the day. */
  sessionLimit = { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 };
  readonly identifiedAtMs: number[] = [];
  resumes = 0;
  invalidSessions = 0;
  readonly closeCodes: number[] = [];
  readonly #world: World;
  readonly #token: string;
  readonly #server: WebSocketServer;
  readonly #sessions = new Map<string, Session>();
  #url = "";

  constructor(world: World, token: string, http: Server) {
    this.#world = world;
    this.#token = token;
    this.#server = new WebSocketServer({ noServer: true });
    http.on("upgrade", (request, socket, head) => {
      this.#server.handleUpgrade(request, socket, head, (ws) => this.#open(ws));
    });
  }

  setUrl(url: string): void {
    this.#url = url;
  }

  get identifies(): number {
    return this.identifiedAtMs.length;
  }

  get lines(): number {
    return this.#server.clients.size;
  }

  dispatch(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) this.#give(session, t, d);
  }

  /** The last event of this kind once more, under a new number. */
  repeat(t: string): void {
    for (const session of this.#sessions.values()) {
      const last = session.sent.findLast((one) => one.t === t);
      if (last !== undefined) this.#give(session, t, last.d);
    }
  }

  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  closeAll(code: number): void {
    for (const socket of this.#server.clients) socket.close(code);
  }

  askToReconnect(): void {
    for (const { socket } of this.#sessions.values()) socket?.send(JSON.stringify({ op: RECONNECT, d: null }));
  }

  /** As after a long outage: what was said since is nowhere but in the channels. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #open(socket: WebSocket): void {
    let session: Session | undefined;
    socket.send(JSON.stringify({ op: HELLO, d: { heartbeat_interval: this.heartbeatMs } }));
    socket.on("message", (raw) => {
      const { op, d } = JSON.parse(String(raw)) as { op: number; d: Record<string, unknown> };
      if (op === HEARTBEAT && !this.isZombie) socket.send(JSON.stringify({ op: HEARTBEAT_ACK }));
      if (op === IDENTIFY) session = this.#identify(socket, d);
      if (op === RESUME) session = this.#resume(socket, d) ?? session;
    });
    socket.on("close", (code) => {
      this.closeCodes.push(code);
      if (session === undefined) return;
      if (session.socket === socket) session.socket = undefined;
      // These two say that the client will not come back.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    });
  }

  #identify(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    this.identifiedAtMs.push(performance.now());
    this.sessionLimit.remaining--;
    if (d["token"] !== this.#token || this.identifyCloseCode !== undefined) {
      socket.close(d["token"] === this.#token ? this.identifyCloseCode : 4004);
      return undefined;
    }
    const session: Session = { id: `session${this.identifies}`, seq: 0, sent: [], socket };
    this.#sessions.set(session.id, session);
    const { bot, guildId, applicationId, botRoleId, channels } = this.#world;
    this.#give(session, "READY", {
      ...{ v: 10, user: bot, guilds: [{ id: guildId, unavailable: true }], session_id: session.id },
      ...{ resume_gateway_url: this.#url, application: { id: applicationId, flags: 0 } },
    });
    const all = [...channels.values()].filter((channel) => channel.guild_id === guildId);
    this.#give(session, "GUILD_CREATE", {
      id: guildId,
      channels: all.filter((channel) => channel.type === 0),
      threads: all.filter((channel) => channel.type === 11 && channel.thread_metadata?.archived !== true),
      roles: [{ id: botRoleId, name: "talaria", tags: { bot_id: bot.id } }],
    });
    return session;
  }

  #resume(socket: WebSocket, d: Record<string, unknown>): Session | undefined {
    const session = this.#sessions.get(String(d["session_id"]));
    if (session === undefined || this.isResumeRefused) {
      this.invalidSessions++;
      if (session !== undefined) this.#sessions.delete(session.id);
      socket.send(JSON.stringify({ op: INVALID_SESSION, d: false }));
      return undefined;
    }
    this.resumes++;
    session.socket = socket;
    for (const one of session.sent) {
      if (one.s > Number(d["seq"])) socket.send(JSON.stringify({ op: DISPATCH, ...one }));
    }
    this.#give(session, "RESUMED", {});
    return session;
  }

  #give(session: Session, t: string, d: unknown): void {
    const event = { s: ++session.seq, t, d };
    session.sent.push(event);
    if (session.sent.length > BUFFER_MAX) session.sent.shift();
    if (session.socket?.readyState === session.socket?.OPEN) {
      session.socket?.send(JSON.stringify({ op: DISPATCH, ...event }));
    }
  }
}
