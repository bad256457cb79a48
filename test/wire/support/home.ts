/** A home with a short path, the built program in it, and its host seen from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "#base/clock.js";
import { hostCommand } from "#client/host-command.js";
import type { HostWish } from "#client/start-host.js";
import { cleanEnv, finished, launcher, type Run } from "../../cli/support/run.js";
import { removeFolder } from "../../support/remove-folder.js";
import { until } from "./socket-pair.js";

/** What a slow machine may need for a host to come up. */
const REACH_MS = 45_000;

export interface WireHome {
  readonly path: string;
  readonly socketPath: string;
  readonly env: NodeJS.ProcessEnv;
  run(args: readonly string[], input?: string): Promise<Run>;
  rpc(): RpcChild;
  wish(more?: Partial<HostWish>): HostWish;
  /** The host that last took the home, if it lives. */
  hostPid(): number | undefined;
  remove(): Promise<void>;
}

export interface RpcChild {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly stderr: () => string;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly tookMs: number;
  }>;
  send(frame: object): void;
  /** The frame that answers this id. */
  answer(id: unknown): Promise<Record<string, never>>;
  frames(): Record<string, never>[];
}

export function wireHome(more: NodeJS.ProcessEnv = {}): WireHome {
  const path = mkdtempSync(join(tmpdir(), "w-"));
  for (const name of ["run", "logs"]) mkdirSync(join(path, name), { mode: 0o700 });
  const env = cleanEnv(path, { TALARIA_HOST_LINGER_SECONDS: "20", ...more });
  const children: ChildProcess[] = [];
  const start = (args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [launcher, ...args], { env, cwd: path, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin?.on("error", () => undefined);
    children.push(child);
    return child;
  };
  const hostPid = (): number | undefined => {
    const pid = recordedPid(join(path, "run", "host.json"));
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  };
  return {
    path,
    socketPath: join(path, "run", "host.sock"),
    env,
    async run(args, input = "") {
      const child = start(args);
      child.stdin?.end(input);
      return finished(child);
    },
    rpc: () => rpcChild(start(["rpc", "--stdio"])),
    wish: (wish) => ({
      place: { socketPath: join(path, "run", "host.sock"), logPath: join(path, "logs", "talaria.log"), homePath: path },
      command: hostCommand(path),
      env,
      clock,
      client: "test",
      version: "0.1.0",
      timeoutMs: REACH_MS,
      ...wish,
    }),
    hostPid,
    async remove() {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      // Whoever was just started takes the home a moment later.
      for (let pid = hostPid(); pid !== undefined; pid = hostPid()) {
        process.kill(pid, "SIGKILL");
        await until(() => pid === undefined || !isAlive(pid), "the host's end");
      }
      removeFolder(path);
    },
  };
}

/** A host that ends in order takes its record with it, at any moment. */
function recordedPid(file: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie of this very process answers signals and is dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_000;
}

function rpcChild(child: ChildProcess): RpcChild {
  const lines: string[] = [];
  let rest = "";
  let stderr = "";
  const startedMs = performance.now();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const frames = (): Record<string, never>[] => lines.map((line) => JSON.parse(line));
  return {
    process: child,
    lines,
    stderr: () => stderr,
    ended: new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal, tookMs: performance.now() - startedMs }));
    }),
    send: (frame) => void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`),
    async answer(id) {
      const find = () => frames().find((frame) => frame["id"] === id);
      await until(() => find() !== undefined, `an answer to ${String(id)}; stderr: ${stderr}`, 45_000);
      return find() ?? {};
    },
    frames,
  };
}
