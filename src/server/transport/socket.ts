/**
 * The home's Unix socket. Whoever may write to it may run commands as this person, so the folder is closed to others
 * (0700) before the socket exists, and the socket is 0600 before it has its name: there is no moment in which somebody
 * else could connect. The caller holds the home's lock, so a socket that is there already belongs to a dead host and
 * is replaced.
 *
 * A socket's path has a small limit in every kernel. Where the home lies too deep, the socket is made in a private
 * folder of the system's run-time or temporary folder, and `host.sock` is a link to it, which clients follow.
 */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { CONNECTIONS_MAX, type Wire } from "../wire.js";
import { LineWire } from "./lines.js";

/** The kernel's limit, its closing NUL left out. */
export const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
const SHORT_PREFIX = "talaria-";

export interface SocketListening {
  readonly path: string;
  /** No new lines; open ones stay until they are ended. The socket's file goes away if it is still this one. */
  close(): Promise<void>;
}

export interface SocketOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly accept: (wire: Wire) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly connectionsMax?: number;
}

export async function listenOnSocket(options: SocketOptions): Promise<SocketListening> {
  const { path, clock, accept, connectionsMax = CONNECTIONS_MAX } = options;
  const folder = dirname(path);
  closeFolder(folder);
  removeShortFolder(path);
  const lines = new Set<Socket>();
  const server = createServer((socket) => {
    const wire = new LineWire(socket, { kind: "socket", clock });
    if (lines.size >= connectionsMax) return wire.end("too-many");
    lines.add(socket);
    socket.once("close", () => lines.delete(socket));
    accept(wire);
  });
  const fresh = join(folder, `.${basename(path)}`);
  for (const place of [path, fresh]) refuseFolder(place);
  const inode = fits(fresh) ? await bindBeside(server, fresh, path) : await bindShort(server, fresh, options);
  return {
    path,
    async close() {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === inode) {
        removeShortFolder(path);
        rmSync(path, { force: true });
      }
      // Resolves when the last line has ended too, and those are not ours to wait for.
      server.close();
    },
  };
}

/** Made under another name, closed to others, then put in the dead one's place in one step. */
async function bindBeside(server: Server, fresh: string, path: string): Promise<number> {
  rmSync(fresh, { force: true });
  await bind(server, fresh);
  chmodSync(fresh, 0o600);
  renameSync(fresh, path);
  return lstatSync(path).ino;
}

async function bindShort(server: Server, fresh: string, { path, env = process.env }: SocketOptions): Promise<number> {
  const socket = join(makeShortFolder(path, env), "host.sock");
  await bind(server, socket);
  chmodSync(socket, 0o600);
  rmSync(fresh, { force: true });
  symlinkSync(socket, fresh);
  renameSync(fresh, path);
  return lstatSync(path).ino;
}

function makeShortFolder(path: string, env: NodeJS.ProcessEnv): string {
  const runtime = env["XDG_RUNTIME_DIR"];
  const places = runtime !== undefined && isAbsolute(runtime) ? [runtime, tmpdir()] : [tmpdir()];
  for (const place of places) {
    if (!fits(join(place, `${SHORT_PREFIX}XXXXXX`, "host.sock")) || !isFolder(place)) continue;
    try {
      return mkdtempSync(join(place, SHORT_PREFIX));
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EACCES", "EPERM", "EROFS", "ENOENT"].includes(code)) throw error;
    }
  }
  throw new OperationalError(
    "socket-path",
    "never",
    `${path} is longer than the ${SOCKET_PATH_BYTES_MAX} bytes that a socket's path may have, and no temporary folder could take its place. Move the home to a shorter path (TALARIA_HOME), or set TMPDIR to a short one.`,
  );
}

/** What a host that died left behind: only a folder that has our name and that a link of ours points into. */
function removeShortFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const socket = readlinkSync(path);
  const folder = dirname(socket);
  if (basename(socket) !== "host.sock" || !basename(folder).startsWith(SHORT_PREFIX) || !isFolder(folder)) return;
  rmSync(socket, { force: true });
  try {
    rmdirSync(folder);
  } catch (error) {
    // Somebody put something else there: it stays.
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(path, error)));
    server.listen(path, () => {
      server.removeAllListeners("error");
      // Out of file descriptors, for one: a client was not accepted, and those that are in stay.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

function closeFolder(folder: string): void {
  const stats = statSync(folder);
  if (!stats.isDirectory()) throw cannotListen(folder, new Error("it is not a folder"));
  if (process.getuid !== undefined && stats.uid !== process.getuid() && process.getuid() !== 0) {
    throw cannotListen(folder, new Error("it belongs to another user"));
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** A socket takes the place of whatever a dead host left; a folder is somebody's, and may have something in it. */
function refuseFolder(path: string): void {
  if (isFolder(path)) throw cannotListen(path, new Error("a folder is in its place; remove it"));
}

function cannotListen(path: string, cause: Error): OperationalError {
  return new OperationalError("cannot-listen", "never", `${path} cannot be listened on: ${cause.message}.`, { cause });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX;
}
