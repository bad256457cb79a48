/**
 * The console's socket. Whoever may write to it speaks as anybody, so it is closed to other users. One that a dead process
 * left is replaced; one that is answered belongs to another account, and is left to it.
 */
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { PlatformRefusal } from "../platform.js";

/** The least of what kernels allow, its closing NUL left out. */
const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
const CONNECTIONS_MAX = 64;

export interface Listening {
  /** Resolves when the signal is aborted; rejects when the socket fails. */
  untilAborted(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function listen(path: string, accept: (socket: Socket) => void): Promise<Listening> {
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    throw new PlatformRefusal(
      `a socket's path has at most ${SOCKET_PATH_BYTES_MAX} bytes: ${path}`,
      "set platforms.console.socket to a shorter one",
    );
  }
  await makeRoom(path);
  const server = createServer(accept);
  server.maxConnections = CONNECTIONS_MAX;
  await bind(server, path);
  return {
    untilAborted: (signal) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    // The file goes with it.
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function makeRoom(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new PlatformRefusal(`${path} is there and no socket`, "choose another platforms.console.socket");
  if (await isAnswered(path)) {
    throw new PlatformRefusal(
      `another process listens on ${path}`,
      "give each account its own platforms.console.socket",
    );
  }
  rmSync(path, { force: true });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** The home's `run` is closed to others already; this is for a socket that somebody put elsewhere. */
function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      chmodSync(path, 0o600);
      resolve();
    });
  });
}
