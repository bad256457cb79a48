/**
 * The host's port for pages and editors: a WebSocket on `/api/ws` and a sign of life on `/health`, on this machine's
 * own address, and below `/platforms/` what platforms call. Everything else is 404. A client without the token, from another origin or under another name gets a
 * status code before anything is upgraded [WI-5]; one that dawdles over its headers is cut off.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { CONNECTIONS_MAX, FRAME_CHARS_MAX, type Wire } from "../wire.js";
import { type DoorRules, HEALTH_PATH, isOwnHost, judgeKnock, type Knock, placeOf } from "./doorkeeper.js";
import { createPlatformDoor, type ServePlatform } from "./platform-door.js";
import { SUBPROTOCOL } from "./token.js";
import { WebSocketWire } from "./websocket-wire.js";

/** How long a request may take to say what it wants. */
export const HEADERS_TIME_MS = 5_000;
const HEADERS_BYTES_MAX = 16_384;
const HEADERS_COUNT_MAX = 100;
/** For the next host to be there. */
const COME_BACK_S = 5;
/** A character takes at most three bytes in UTF-8; what is too long in characters is found when it is whole. */
const MESSAGE_BYTES_MAX = FRAME_CHARS_MAX * 3;

export interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  readonly [more: string]: unknown;
}

export interface WebSocketListening {
  readonly address: string;
  readonly port: number;
  /** No new lines, and whoever asks for one is told why; platforms and the sign of life are served on. */
  shut(): void;
  /** Nobody gets in any more; open lines stay until they are ended, and what is being asked is still answered. */
  close(): Promise<void>;
}

export interface WebSocketOptions extends DoorRules {
  readonly address?: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly accept: (wire: Wire) => void;
  /** Told to anybody on this machine: nothing secret may be in it. */
  readonly health: () => Health;
  /** Serves requests of platforms; without it there are none. */
  readonly platforms?: ServePlatform;
  readonly connectionsMax?: number;
}

export async function listenOnWebSocket(options: WebSocketOptions): Promise<WebSocketListening> {
  const { address = "127.0.0.1", port, clock, accept, connectionsMax = CONNECTIONS_MAX } = options;
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    clientTracking: false,
    // A browser gives up when none of what it offered is chosen; our own name is, so that no token is repeated.
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : ([...offered][0] ?? false)),
  });
  const lines = new Set<Wire>();
  let isShut = false;
  const platforms = createPlatformDoor(options.platforms, clock);
  const server = createHttpServer((request, response) => {
    if (!platforms.answer(request, response)) answer(request, response, options);
  });
  server.maxConnections = connectionsMax * 2;
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const verdict = judgeKnock(knockOf(request), options);
    if (verdict.kind === "refused") return refuse(socket, verdict.status);
    if (isShut) return refuse(socket, 503, "the host is stopping");
    if (lines.size >= connectionsMax) return refuse(socket, 503);
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const wire = new WebSocketWire(webSocket, { clock });
      lines.add(wire);
      webSocket.once("close", () => lines.delete(wire));
      accept(wire);
    });
  });
  await listen(server, address, port);
  return {
    address,
    port: (server.address() as AddressInfo).port,
    shut() {
      isShut = true;
    },
    async close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function createHttpServer(onRequest: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIME_MS,
      requestTimeout: HEADERS_TIME_MS,
      keepAliveTimeout: HEADERS_TIME_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: HEADERS_BYTES_MAX,
      noDelay: true,
    },
    onRequest,
  );
  server.maxHeadersCount = HEADERS_COUNT_MAX;
  return server;
}

/** Bodies are not read: whoever sends one is answered and hung up on. */
function answer(request: IncomingMessage, response: ServerResponse, options: WebSocketOptions): void {
  const { method, url, headers } = knockOf(request);
  const isOurs = isOwnHost(headers["host"], options.allowedHosts);
  const isHealth = method === "GET" && placeOf(url).path === HEALTH_PATH;
  const health = isOurs && isHealth ? options.health() : undefined;
  const status = !isOurs ? 403 : health === undefined ? 404 : health.ready ? 200 : 503;
  const body = health === undefined ? "" : `${JSON.stringify(health)}\n`;
  response.writeHead(status, {
    ...(health !== undefined && { "Content-Type": "application/json" }),
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  response.end(body, () => request.socket.destroySoon());
}

/** Of two names the parser would keep the first, and whoever is in between may have looked at the second. */
function knockOf({ method = "", url = "", headers, headersDistinct }: IncomingMessage): Knock {
  const names = headersDistinct["host"] ?? [];
  return { method, url, headers: { ...headers, host: names.length === 1 ? names[0] : undefined } };
}

/** Only who may come in is told why it is not now. */
function refuse(socket: Duplex, status: 401 | 403 | 404 | 503, why?: string): void {
  const body = why === undefined ? "" : `${why}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(why === undefined ? [] : ["Content-Type: text/plain", `Retry-After: ${COME_BACK_S}`]),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "another program uses this port" : cause.message;
      reject(
        new OperationalError("cannot-listen", "never", `${address}:${port} cannot be listened on: ${reason}.`, {
          cause,
        }),
      );
    });
    server.listen({ host: address, port }, () => {
      server.removeAllListeners("error");
      server.on("error", () => undefined);
      resolve();
    });
  });
}
