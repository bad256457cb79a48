/** A gateway with the console platform, as a process, and the people who write to it: lines over its socket, timed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { HOST_VARIABLES, LASTING_FLAGS } from "#base/host-memory.js";
import { packageRoot } from "#base/package-root.js";
import { ANSWER } from "./turn-server.js";

const GIVE_UP_MS = 30_000;
const LOOK_MS = 50;
/** Whoever speaks to the console is shown every message, so that a second connection would only double the work. */
const CLIENTS = 1;

export interface BenchGateway {
  readonly child: ChildProcess;
  readonly socketPath: string;
  memoryBytes(): number;
  end(): Promise<void>;
}

/** `more`: settings beside the console's. */
export async function startGateway(
  folder: string,
  env: NodeJS.ProcessEnv,
  more: { readonly platforms?: object; readonly host?: object } = {},
): Promise<BenchGateway> {
  const home = join(folder, "h");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const platforms = { console: { allow: ["*"], stream: false }, ...more.platforms };
  const settings = { ...more, platforms, titles: { auto: false } };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(settings), { mode: 0o600 });
  // As the unit of `talaria gateway install` starts it.
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  const child = spawn(process.execPath, [...LASTING_FLAGS, launcher, "--home", home, "gateway", "run"], {
    env: { ...HOST_VARIABLES, ...env, TALARIA_HOME: home, TALARIA_SUPERVISED: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const socketPath = join(home, "run", "console.sock");
  const giveUpMs = performance.now() + GIVE_UP_MS;
  for (;;) {
    const socket = await opened(socketPath);
    socket?.destroy();
    if (socket !== undefined) break;
    if (performance.now() > giveUpMs || child.exitCode !== null) throw new Error("the gateway never answered");
    await pause(LOOK_MS);
  }
  return {
    child,
    socketPath,
    memoryBytes: () => residentBytes(child.pid ?? 0),
    async end() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** People in chats of their own, over a few connections. */
export interface People {
  /** Resolves when it is acknowledged, to the milliseconds that took. */
  say(chat: number, id: string): Promise<number>;
  /** Answers that a chat has seen. */
  answers(chat: number): number;
  answered(): number;
  close(): void;
}

export async function openPeople(socketPath: string): Promise<People> {
  const waiting = new Map<string, { readonly fromMs: number; done(tookMs: number): void; fail(error: Error): void }>();
  const seen = new Map<string, number>();
  let answered = 0;
  const hear = (socket: Socket, line: string): void => {
    const told = JSON.parse(line) as { type: string; id?: string; chat?: string; text?: string; why?: string };
    const { type, id = "", chat = "" } = told;
    if (type === "message") {
      // A chat that is still busy is told so; that is no answer.
      if (told.text === ANSWER) {
        seen.set(chat, (seen.get(chat) ?? 0) + 1);
        answered++;
      }
      socket.write(`${JSON.stringify({ type: "shown", id })}\n`);
    }
    const one = waiting.get(id);
    if (type === "kept") one?.done(performance.now() - one.fromMs);
    if (type === "not-kept" || type === "refused") one?.fail(new Error(told.why));
    if (type !== "message") waiting.delete(id);
  };
  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const socket = await opened(socketPath);
      if (socket === undefined) throw new Error("the console does not answer");
      lines(socket, (line) => hear(socket, line));
      return socket;
    }),
  );
  return {
    say: (chat, id) =>
      new Promise((done, fail) => {
        waiting.set(id, { fromMs: performance.now(), done, fail });
        const words = { type: "say", id, chat: `chat${chat}`, who: `person${chat}`, text: `what is on list ${chat}?` };
        sockets[chat % CLIENTS]?.write(`${JSON.stringify(words)}\n`);
      }),
    answers: (chat) => seen.get(`chat${chat}`) ?? 0,
    answered: () => answered,
    close: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

export function pause(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs));
}

function lines(socket: Socket, hear: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    rest += chunk;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      hear(rest.slice(0, end));
      rest = rest.slice(end + 1);
    }
  });
}

function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

function residentBytes(pid: number): number {
  const [, kilobytes = "NaN"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
