/** Gateways as real processes in homes of their own, and somebody at their console. All are ended by their ids. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { cleanEnv, finished, launcher, type Run } from "../../cli/support/run.js";
import { type HostHome, hostHome, until } from "../../host/support/host-home.js";

export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly done: Promise<Run>;
  /** What it has said so far. */
  said(): string;
}

export interface OpsHome extends HostHome {
  configure(yaml: string): void;
  /** Starts `talaria gateway run` and waits until it has opened its platforms. */
  gateway(env?: NodeJS.ProcessEnv): Promise<GatewayProcess>;
  /** The same, and waits for nothing. */
  spawnGateway(env?: NodeJS.ProcessEnv): GatewayProcess;
  sit(who?: string): Promise<Seat>;
}

export interface Seat {
  /** Resolves when it is stored. */
  say(text: string, id?: string): Promise<void>;
  /** Everything that was shown here, as edited last, in order. */
  readonly shown: readonly string[];
  /** Waits until something shown matches. */
  sees(pattern: RegExp): Promise<void>;
  leave(): void;
}

export function opsHome(own: NodeJS.ProcessEnv = {}): OpsHome {
  const home = hostHome(own);
  const started: GatewayProcess[] = [];
  const seats: Seat[] = [];
  const ops: OpsHome = {
    ...home,
    configure: (yaml) => writeFileSync(home.paths.config, yaml, { mode: 0o600 }),
    spawnGateway(env = {}) {
      const child = spawn(process.execPath, [launcher, "gateway", "run"], {
        env: cleanEnv(home.path, { ...home.env, ...env }),
        cwd: home.path,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      const gateway = { child, done: finished(child), said: () => text };
      started.push(gateway);
      return gateway;
    },
    async gateway(env) {
      const before = home.logged("platforms are opened").length;
      const gateway = ops.spawnGateway(env);
      await Promise.race([
        until(() => home.logged("platforms are opened").length > before, "the gateway opens its platforms"),
        gateway.done.then((run) => Promise.reject(new Error(`the gateway ended: ${JSON.stringify(run)}`))),
      ]);
      return gateway;
    },
    async sit(who = "me") {
      const seat = await sitDown(join(home.paths.run, "console.sock"), who);
      seats.push(seat);
      return seat;
    },
    async remove() {
      for (const seat of seats) seat.leave();
      for (const { child } of started) if (child.exitCode === null) child.kill("SIGKILL");
      await home.remove();
      await Promise.all(started.map(({ done }) => done));
    },
  };
  return ops;
}

/** Ids are for ever: none is used by two seats. */
let count = 0;

async function sitDown(path: string, who: string): Promise<Seat> {
  const socket = await reach(path);
  const shown = new Map<string, string>();
  const waiting = new Map<string, (line: Told) => void>();
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const told = JSON.parse(line) as Told;
      if (told.type === "message" || told.type === "edit") {
        shown.set(told.receipt ?? told.id, told.text ?? "");
        socket.write(`${JSON.stringify({ type: "shown", id: told.id })}\n`);
      }
      waiting.get(told.id)?.(told);
    }
  });
  socket.on("error", () => undefined);
  socket.write(`${JSON.stringify({ type: "hello" })}\n`);
  return {
    say(text, id = `${who}-${process.pid}-${count++}`) {
      return new Promise((resolve, reject) => {
        waiting.set(id, (told) => {
          if (told.type === "kept") resolve();
          else if (told.type === "not-kept" || told.type === "refused") reject(new Error(told.why));
        });
        socket.write(`${JSON.stringify({ type: "say", id, chat: who, who, text })}\n`);
      });
    },
    get shown() {
      return [...shown.values()];
    },
    sees: (pattern) => until(() => [...shown.values()].some((text) => pattern.test(text)), `${pattern} is shown`),
    leave: () => socket.destroy(),
  };
}

interface Told {
  readonly type: string;
  readonly id: string;
  readonly receipt?: string;
  readonly text?: string;
  readonly why?: string;
}

async function reach(path: string): Promise<Socket> {
  let found: Socket | undefined;
  await until(async () => {
    found = await new Promise((resolve) => {
      const socket = connect(path);
      socket.once("connect", () => resolve(socket));
      socket.once("error", () => resolve(undefined));
    });
    return found !== undefined;
  }, "the console listens");
  if (found === undefined) throw new Error("nobody listens");
  return found;
}
