/** Hosts as processes, and the one line to them that measures: nothing of our own client is in the way. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import { hostCommand } from "#client/host-command.js";

export interface BenchHost {
  readonly child: ChildProcess;
  readonly socketPath: string;
  /** From the start of the process to its first answer. */
  readonly readyMs: number;
  memoryBytes(): number;
  end(signal: NodeJS.Signals): Promise<void>;
}

export async function startHost(home: string, env: NodeJS.ProcessEnv): Promise<BenchHost> {
  const [program, ...args] = hostCommand(home);
  return started([program, ...args, "--stay"], join(home, "run", "host.sock"), { ...env, TALARIA_HOME: home });
}

export async function startRaw(socketPath: string, env: NodeJS.ProcessEnv): Promise<BenchHost> {
  return started([process.execPath, join(packageRoot(), "bench", "host-raw.mjs"), socketPath], socketPath, env);
}

async function started(command: readonly string[], socketPath: string, env: NodeJS.ProcessEnv): Promise<BenchHost> {
  const [program = "", ...args] = command;
  const startMs = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const line = await firstAnswer(socketPath, child);
  const readyMs = performance.now() - startMs;
  line.close();
  return {
    child,
    socketPath,
    readyMs,
    memoryBytes: () => residentBytes(child.pid ?? 0),
    async end(signal) {
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    },
  };
}

const GIVE_UP_MS = 30_000;

async function firstAnswer(socketPath: string, child: ChildProcess): Promise<BenchLine> {
  const giveUpMs = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUpMs && child.exitCode === null) {
    try {
      const line = await openLine(socketPath);
      await line.call("host.hello", {});
      return line;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  throw new Error(`${socketPath} never answered`);
}

export interface BenchLine {
  call(method: string, params: object): Promise<Record<string, unknown>>;
  onEvent(listener: (event: { readonly type: string; readonly seq?: number }, atMs: number) => void): void;
  close(): void;
}

export async function openLine(socketPath: string): Promise<BenchLine> {
  const socket: Socket = connect(socketPath);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const calls = new Map<string, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>();
  let listener: (event: { readonly type: string; readonly seq?: number }, atMs: number) => void = () => undefined;
  let rest = "";
  let last = 0;
  const gone = (): void => {
    for (const call of calls.values()) call.reject(new Error("the line ended"));
    calls.clear();
  };
  socket.on("error", gone).on("close", gone);
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const atMs = performance.now();
    rest += chunk;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const frame = JSON.parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      if (frame.method === "event") listener(frame.params, atMs);
      else if (frame.error !== undefined) calls.get(frame.id)?.reject(new Error(frame.error.message));
      else calls.get(frame.id)?.resolve(frame.result);
      calls.delete(frame.id);
    }
  });
  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        const id = `b${++last}`;
        calls.set(id, { resolve, reject });
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
    onEvent: (act) => {
      listener = act;
    },
    close: () => void socket.destroy(),
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes = "NaN"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
