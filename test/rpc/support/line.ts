/** A client's end of a line, for tests: text out, whole frames in. Knows nothing of our own client. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { WebSocket } from "ws";
import { cleanEnv, launcher } from "../../cli/support/run.js";

export const LINES = ["stdio", "socket", "websocket"] as const;
export type LineKind = (typeof LINES)[number];

export interface LineListener {
  frame(text: string): void;
  /** Nothing comes after it. The reason is what a WebSocket was closed with. */
  ended(reason?: string): void;
}

export interface Line {
  send(frame: string): void;
  /** Bytes as they are, for what is no frame. */
  sendRaw(bytes: string | Buffer): void;
  /** Leaves in order, and waits until the other side has noticed. */
  close(): Promise<void>;
  /** Goes without a word, as a killed client does. */
  kill(): void;
  /** The process at our end, where there is one. */
  readonly child?: ChildProcess;
  stderr?(): string;
  /** Reads no more, and again. */
  pause?(): void;
  resume?(): void;
}

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
}

export type OpenLine = (place: Place, listener: LineListener) => Promise<Line>;

export const openLine: Record<LineKind, OpenLine> = { stdio: openStdio, socket: openSocket, websocket: openWebSocket };

async function openStdio({ home, cwd, env }: Place, listener: LineListener): Promise<Line> {
  let stderr = "";
  const child = spawn(process.execPath, [launcher, "rpc", "--stdio"], {
    cwd,
    env: cleanEnv(home, env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", linesOf(listener));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void closed.then(() => listener.ended());
  return {
    child,
    stderr: () => stderr,
    send: (frame) => child.stdin.write(`${frame}\n`),
    sendRaw: (bytes) => child.stdin.write(bytes),
    async close() {
      child.stdin.end();
      await closed;
    },
    kill: () => child.kill("SIGKILL"),
  };
}

async function openSocket({ home }: Place, listener: LineListener): Promise<Line> {
  const socket = connect(join(home, "run", "host.sock"));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.destroy());
  socket.setEncoding("utf8").on("data", linesOf(listener));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => listener.ended());
  return {
    send: (frame) => socket.write(`${frame}\n`),
    sendRaw: (bytes) => socket.write(bytes),
    async close() {
      socket.end();
      await closed;
    },
    kill: () => socket.destroy(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}

async function openWebSocket({ home, port }: Place, listener: LineListener): Promise<Line> {
  const token = readFileSync(join(home, "run", "token"), "utf8").trim();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, { headers: { authorization: `Bearer ${token}` } });
  // Frames may come right behind the upgrade: whoever listens later misses the first.
  socket.on("message", (data) => listener.frame(data.toString()));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => socket.terminate());
  const closed = new Promise<string>((resolve) => socket.once("close", (_code, reason) => resolve(reason.toString())));
  void closed.then((reason) => listener.ended(reason));
  return {
    send: (frame) => socket.send(frame),
    sendRaw: (bytes) => socket.send(bytes),
    async close() {
      socket.close();
      await closed;
    },
    kill: () => socket.terminate(),
  };
}

function linesOf(listener: LineListener): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) listener.frame(line);
  };
}
