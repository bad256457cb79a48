/** The line to a host over its Unix socket. */
import { readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type Clock, systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { LineSplitter } from "#base/line-splitter.js";
import { CLOSE_TIME_MS, type ClientWire, CONNECT_TIME_MS, HOST_FRAME_CHARS_MAX, type LineEnd } from "./wire.js";

export interface SocketTarget {
  readonly socketPath: string;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
}

/** Rejects with the outage `no-host` when nobody listens, and with `host-silent` when nobody accepts in time. */
export function openSocketWire(target: SocketTarget): Promise<ClientWire> {
  const { socketPath, clock = systemClock, timeoutMs = CONNECT_TIME_MS } = target;
  const path = followLink(socketPath);
  // The system would cut it and connect to whatever has the shorter name.
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return Promise.reject(nobodyAt(socketPath));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const forget = clock.after(timeoutMs, () => {
      socket.destroy();
      reject(new OperationalError("host-silent", "after-delay", `nobody answered at ${socketPath}.`));
    });
    const refuse = (error: NodeJS.ErrnoException): void => {
      forget();
      reject(cannotConnect(socketPath, error));
    };
    socket.once("error", refuse);
    socket.once("connect", () => {
      forget();
      socket.off("error", refuse);
      resolve(socketWire(socket, clock));
    });
  });
}

/** A home that lies too deep for a socket's path has a link in its place. */
function followLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Not a link, or nothing there: then connecting says so.
    if (["EINVAL", "ENOENT", "ENOTDIR", "EACCES"].includes(code)) return path;
    throw error;
  }
}

/** A kernel's limit for a socket's path; where a home lies deeper, a host leaves a link to a shorter one. */
const PATH_BYTES_MAX = 107;
const NOBODY: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR", "EINVAL", "ENAMETOOLONG"]);

function cannotConnect(path: string, error: NodeJS.ErrnoException): OperationalError {
  if (NOBODY.has(error.code ?? "")) {
    return nobodyAt(path, error);
  }
  const reason = error.code === "EACCES" ? "it belongs to another user" : error.message;
  return new OperationalError("cannot-connect", "never", `${path} cannot be connected to: ${reason}.`, {
    cause: error,
  });
}

function nobodyAt(path: string, cause?: Error): OperationalError {
  return new OperationalError("no-host", "after-delay", `no host listens at ${path}.`, { cause });
}

function socketWire(socket: Socket, clock: Clock): ClientWire {
  const splitter = new LineSplitter(HOST_FRAME_CHARS_MAX);
  let isClosed = false;
  let trouble: string | undefined;
  socket.pause();
  socket.on("error", (error) => {
    trouble = error.message;
  });
  return {
    listen(listener) {
      socket.on("data", (chunk: Buffer) => {
        const lines = splitter.push(chunk);
        if (lines === "too-long") {
          trouble = "the host sent a frame that is too long";
          socket.destroy();
          return;
        }
        for (const line of lines) if (line.trim() !== "") listener.frame(line);
      });
      socket.on("drain", () => listener.drained?.());
      const gone = (): void => listener.gone(endOf(isClosed, trouble));
      // It may have ended before anybody listened.
      if (socket.closed) queueMicrotask(gone);
      else socket.once("close", gone);
      socket.resume();
    },
    send(frame) {
      if (!isClosed && !socket.destroyed) socket.write(`${frame}\n`);
    },
    backlogBytes: () => socket.writableLength,
    hold(isHeld) {
      if (isHeld) socket.pause();
      else socket.resume();
    },
    close() {
      isClosed = true;
      socket.end();
      // What still comes is read, so that the end is seen.
      socket.resume();
      // A host that hangs must not keep a client that has nothing more to do.
      socket.unref();
      const forget = clock.after(CLOSE_TIME_MS, () => socket.destroy());
      socket.once("close", forget);
    },
  };
}

function endOf(isClosed: boolean, trouble: string | undefined): LineEnd {
  return isClosed ? { kind: "closed" } : { kind: "lost", message: trouble ?? "the host closed the line" };
}
