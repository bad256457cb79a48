/**
 * The line to a host over a WebSocket: a browser's own, or the library's in Node, whose own one never tells that nobody
 * listens.
 */
import { type Clock, systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { CLOSE_TIME_MS, type ClientWire, CONNECT_TIME_MS, type LineEnd } from "./wire.js";

export interface WebSocketTarget {
  /** `ws://127.0.0.1:4180/api/ws` */
  readonly url: string;
  readonly token: string;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
}

const NORMAL_CLOSE = 1000;
const OPEN = 1;
const CLOSED = 3;
/** How often a line with a backlog is looked at: a browser does not tell when it is gone. */
const DRAIN_LOOK_MS = 20;

/** A browser reads on while its page is busy; a page that leaves more than this unread asks for it again later. */
const KEPT_FRAMES_MAX = 10_000;

/** What browsers and the library have in common, and what the library has besides. */
interface AnyWebSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: unknown) => void) | null;
  onerror: ((event: unknown) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  pause?(): void;
  resume?(): void;
  terminate?(): void;
}
type WebSocketConstructor = new (url: string, protocols: string[]) => AnyWebSocket;

export async function openWebSocketWire(target: WebSocketTarget): Promise<ClientWire> {
  const { url, token, clock = systemClock, timeoutMs = CONNECT_TIME_MS } = target;
  const Socket = await webSocketConstructor();
  return new Promise((resolve, reject) => {
    const socket = new Socket(url, ["talaria", `talaria.token.${token}`]);
    // From the beginning: the first frames may come with the answer that opens the line.
    const wire = webSocketWire(socket, clock);
    const fail = (message: string): void => {
      forget();
      reject(new OperationalError("no-host", "after-delay", message));
    };
    const forget = clock.after(timeoutMs, () => {
      socket.close();
      fail(`nobody answered at ${url}.`);
    });
    socket.onopen = () => {
      forget();
      resolve(wire);
    };
    // The library tells the status, a browser nothing: a stranger is refused without a word.
    socket.onerror = (event) => fail(`${url} cannot be connected to: ${messageOf(event)}.`);
  });
}

async function webSocketConstructor(): Promise<WebSocketConstructor> {
  const { WebSocket: own, process: node } = globalThis as { readonly WebSocket?: unknown; readonly process?: unknown };
  if (typeof own === "function" && node === undefined) return own as WebSocketConstructor;
  const { WebSocket } = await import("ws");
  return WebSocket as unknown as WebSocketConstructor;
}

function webSocketWire(socket: AnyWebSocket, clock: Clock): ClientWire {
  let isClosed = false;
  let isHeld = false;
  let kept: string[] = [];
  let hand: ((text: string) => void) | undefined;
  const flow = (): void => {
    while (!isHeld && hand !== undefined && kept.length > 0) {
      const [next = ""] = kept.splice(0, 1);
      hand(next);
    }
  };
  socket.onmessage = ({ data }) => {
    kept.push(String(data));
    flow();
    if (kept.length > KEPT_FRAMES_MAX) socket.close(NORMAL_CLOSE, "too-slow");
  };
  return {
    listen(listener) {
      hand = listener.frame;
      flow();
      socket.onclose = ({ code, reason }) => listener.gone(endOf(isClosed, code, reason));
      // It may have ended before anybody listened.
      if (socket.readyState === CLOSED) queueMicrotask(() => listener.gone(endOf(isClosed, 0, "")));
      watchDrain(socket, clock, () => listener.drained?.());
    },
    send(frame) {
      if (socket.readyState === OPEN) socket.send(frame);
    },
    backlogBytes: () => socket.bufferedAmount,
    hold(wanted) {
      isHeld = wanted;
      if (isHeld) socket.pause?.();
      else socket.resume?.();
      flow();
    },
    close() {
      isClosed = true;
      kept = [];
      socket.resume?.();
      socket.close(NORMAL_CLOSE);
      clock.after(CLOSE_TIME_MS, () => socket.terminate?.());
    },
  };
}

function watchDrain(socket: AnyWebSocket, clock: Clock, drained: () => void): void {
  let hadBacklog = false;
  const look = (): void => {
    const hasBacklog = socket.bufferedAmount > 0;
    if (hadBacklog && !hasBacklog) drained();
    hadBacklog = hasBacklog;
    if (socket.readyState <= OPEN) clock.after(DRAIN_LOOK_MS, look);
  };
  look();
}

function endOf(isClosed: boolean, code: number, reason: string): LineEnd {
  if (isClosed) return { kind: "closed" };
  if (reason !== "") return { kind: "told", reason, message: `the host ended the line: ${reason}` };
  return { kind: "lost", message: `the line broke (${code})` };
}

function messageOf(event: unknown): string {
  const { message } = (event ?? {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : "the connection was refused";
}
