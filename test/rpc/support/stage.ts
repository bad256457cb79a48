/**
 * Where the scenarios of the wire play: one home, one real host process and one scripted provider for a file of tests,
 * and clients on every kind of line. When a test is over its clients are asked what they found: a frame outside the
 * schemas or events out of order fail the test, whatever it was about.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type NetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { cleanEnv, launcher } from "../../cli/support/run.js";
import { freePort } from "../../support/free-port.js";
import { stopHost } from "../../support/hosts.js";
import type { RuledReply, ScriptFunction } from "../../support/model-server/reply.js";
import { scriptFunction } from "../../support/model-server/rules.js";
import { type ModelServer, startModelServer } from "../../support/model-server/server.js";
import { removeFolder } from "../../support/remove-folder.js";
import { sampleSuite } from "../../support/sample.js";
import { RawClient } from "./client.js";
import { LINES, type LineKind, openLine, type Place } from "./line.js";
import { orderFaults } from "./order.js";

/** For what hangs, not for what is slow. */
const START_MS = 55_000;

export interface Stage {
  readonly place: Place;
  readonly model: ModelServer;
  /** Of the host that serves now. */
  readonly hostPid: number;
  open(kind: LineKind): Promise<RawClient>;
  /** Starts one when none runs. */
  startHost(): Promise<void>;
  /** Ends it and waits; answers how it ended. */
  endHost(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  hostLog(): string;
}

export interface Scene extends Stage {
  readonly kind: LineKind;
  /** A client on the line that is being tested. */
  client(): Promise<RawClient>;
  /** A session and the client that made it, ready for a prompt. */
  session(params?: Record<string, unknown>): Promise<{ readonly client: RawClient; readonly id: string }>;
}

export interface StageWish {
  /** Lines of config.yaml behind those of the host. */
  readonly config?: string;
  readonly env?: (model: ModelServer) => NodeJS.ProcessEnv;
}

/** The same promises over every kind of line: whole over the socket, and by default a part of them over the others. */
export function overEveryLine(
  title: string,
  script: readonly RuledReply[],
  body: (scene: Scene) => void,
  more: StageWish = {},
): void {
  describe(title, () => {
    const stage = useStage(script, more);
    // The lines differ in how frames travel, and have tests of their own: what a method does is asked whole over one.
    for (const kind of LINES) {
      const suite = describe(`over ${kind}`, () => {
        const client = (): Promise<RawClient> => stage.open(kind);
        const scene = {
          kind,
          client,
          async session(params: Record<string, unknown> = {}) {
            const one = await client();
            const { session_id: id } = await one.call("session.create", { cols: 80, cwd: stage.place.cwd, ...params });
            return { client: one, id };
          },
        };
        // A copy would read what the stage only has while the tests run.
        body(Object.assign(Object.create(stage) as Stage, scene));
      });
      if (kind !== "socket") sampleSuite(suite, kind === "stdio" ? 0 : 1);
    }
  });
}

/** One host and one provider for the tests of the describe block that calls it. */
export function useStage(script: readonly RuledReply[], more: StageWish = {}): Stage {
  let built: BuiltStage | undefined;
  const stage = (): BuiltStage => {
    if (built === undefined) throw new Error("the stage is set before the tests, not while they are collected");
    return built;
  };
  beforeAll(async () => {
    built = await buildStage(script, more);
    await built.startHost();
  }, START_MS * 2);
  afterEach(() => stage().judgeClients());
  afterAll(() => built?.remove());
  return {
    get place() {
      return stage().place;
    },
    get model() {
      return stage().model;
    },
    get hostPid() {
      return stage().hostPid;
    },
    open: (kind) => stage().open(kind),
    startHost: () => stage().startHost(),
    endHost: (signal) => stage().endHost(signal),
    hostLog: () => stage().hostLog(),
  };
}

interface BuiltStage extends Stage {
  judgeClients(): Promise<void>;
  remove(): Promise<void>;
}

async function buildStage(script: readonly RuledReply[], { config = "", env: wished }: StageWish): Promise<BuiltStage> {
  // Short: the path of a Unix socket has at most 107 bytes.
  const root = mkdtempSync(join(tmpdir(), "rpc-"));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  const port = await freePort();
  for (const folder of [home, cwd]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), `host:\n  port: ${port}\n  linger_seconds: 120\n${config}`, {
    mode: 0o600,
  });
  const model = await startModelServer({ script: withTitles(script) });
  const env = {
    OPENAI_BASE_URL: model.baseUrl("openai-chat"),
    OPENAI_API_KEY: "sk-test-0123456789abcdef",
    TALARIA_MODEL: "openai/scripted",
    ...wished?.(model),
  };
  const place: Place = { home, cwd, env, port };
  const host = new HostProcess(place);
  const clients: RawClient[] = [];
  return {
    place,
    model,
    get hostPid() {
      return host.pid;
    },
    async open(kind) {
      const client = new RawClient();
      client.line = await openLine[kind](place, client);
      clients.push(client);
      await client.until("gateway.ready", () => client.events.length > 0);
      return client;
    },
    startHost: () => host.start(),
    endHost: (signal) => host.end(signal),
    hostLog: () => host.log(),
    async judgeClients() {
      const open = clients.splice(0);
      for (const client of open) if (!client.isEnded) await client.line.close();
      expect(open.flatMap((client) => faultsOf(client))).toEqual([]);
    },
    async remove() {
      for (const client of clients.splice(0)) client.line.kill();
      await host.end("SIGTERM");
      // One that a client started by itself.
      await stopHost(home);
      await model.close();
      removeFolder(root);
    },
  };
}

/** A request without tools is for a title, unless the script says otherwise; no two titles are the same. */
function withTitles(script: readonly RuledReply[]): ScriptFunction {
  const aside = script.filter(({ when }) => when?.tools === false);
  const said = scriptFunction(script);
  return (seen, index) => {
    if (seen.tools.length > 0) return said(seen, index);
    return scriptFunction([...aside, { text: `Scripted title ${index}` }])(seen, index);
  };
}

function faultsOf(client: RawClient): readonly string[] {
  const sessions = new Set(client.events.flatMap(({ session_id }) => session_id ?? []));
  const orders = [...sessions].flatMap((session) =>
    orderFaults(client.of(session), { isMidTurn: client.joinedInside.has(session) }),
  );
  const first = client.journal[0] === "event gateway.ready" ? [] : [`first came ${client.journal[0]}`];
  return [...first, ...client.faults, ...orders];
}

class HostProcess {
  readonly #place: Place;
  #child: ChildProcess | undefined;
  #output = "";

  constructor(place: Place) {
    this.#place = place;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  log(): string {
    return this.#output;
  }

  async start(): Promise<void> {
    const { home, cwd, env, port } = this.#place;
    const child = spawn(process.execPath, [launcher, "host", "run"], {
      cwd,
      env: cleanEnv(home, env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    const giveUp = performance.now() + START_MS;
    const doors = [{ port, host: "127.0.0.1" }, { path: join(home, "run", "host.sock") }];
    while (!isItsOwn(home, child.pid) || !(await Promise.all(doors.map(accepts))).every(Boolean)) {
      if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}: ${this.#output}`);
      if (performance.now() > giveUp) throw new Error(`the host did not come up: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const child = this.#child;
    if (child === undefined) return { code: null, signal: null };
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await gone;
    }
    return { code: child.exitCode, signal: child.signalCode };
  }
}

/** A host that ends takes its record along, also while we look. */
function hostPidOf(home: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(home, "run", "host.json"), "utf8")) as { pid: number }).pid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file of a host before this one may still be there. */
function isItsOwn(home: string, pid: number | undefined): boolean {
  return pid !== undefined && hostPidOf(home) === pid;
}

function accepts(door: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(door);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
