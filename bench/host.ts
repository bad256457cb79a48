/**
 * The host as a process: how soon it answers in a large home, what it holds while it waits, how long a question takes,
 * and what a hundred watchers of one streaming turn see. Beside it the least that could be: Node and a socket.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BenchHost, type BenchLine, openLine, startHost, startRaw } from "./host-process.js";
import { ms, quantile, type Row } from "./report.js";
import { modelEnvironment, startCanned } from "./turn-server.js";

const section = "host";
const START_MAX_MS = 500;
const IDLE_MAX_BYTES = 90e6;
/** Until what a start left behind is swept up: by the host's upkeep, and by V8 once it notices that nothing happens. */
const SETTLE_MS = 15_000;
const CLIENTS = 100;
const LAG_MAX_MS = 100;
const STREAM_PIECES = 400;

type Emit = (row: Row) => void;

export interface HostBench {
  readonly folder: string;
  /** The store of a large home. */
  readonly large: string;
  readonly isQuick: boolean;
}

export async function benchHost({ folder, large, isQuick }: HostBench, emit: Emit): Promise<void> {
  const home = join(folder, "h");
  mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
  copyFileSync(large, join(home, "state.db"));
  const env = environment(home);
  // What a home needs on its first day alone (ten thousand chats past their policy, the mirror) is no measurement.
  const first = await startHost(home, env);
  await pause(SETTLE_MS);
  await first.end("SIGTERM");
  const raw = await startRaw(join(folder, "raw.sock"), env);
  await benchStart(home, env, { runs: isQuick ? 5 : 11, raw }, emit);
  const host = await startHost(home, env);
  await pause(SETTLE_MS);
  emitMemory(host, raw, emit);
  await benchCalls(host, raw, isQuick ? 2_000 : 10_000, emit);
  await host.end("SIGTERM");
  await raw.end("SIGTERM");
  await benchWatchers(folder, emit);
}

/** Nothing of the person's; no upkeep that a large home would need only on its first day. */
function environment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    TALARIA_BACKUP_SCHEDULE: "off",
    TALARIA_SEARCH_ENABLED: "false",
    TALARIA_HOST_CRASHES_MAX: "0",
    TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS: "0",
  };
}

async function benchStart(
  home: string,
  env: NodeJS.ProcessEnv,
  { runs, raw }: { readonly runs: number; readonly raw: BenchHost },
  emit: Emit,
): Promise<void> {
  const rawTimes: number[] = [];
  for (const [how, signal] of [
    ["clean", "SIGTERM"],
    ["after SIGKILL", "SIGKILL"],
  ] as const) {
    const times: number[] = [];
    // The first one fills the caches; it is no measurement.
    for (let run = 0; run <= runs; run++) {
      const host = await startHost(home, env);
      if (run > 0) times.push(host.readyMs);
      await host.end(signal);
      const least = await startRaw(`${raw.socketPath}${how.length}${run}`, env);
      rawTimes.push(least.readyMs);
      await least.end("SIGKILL");
    }
    const median = quantile(times, 0.5);
    emit({
      section,
      work: `start to healthy, 100,000 sessions, ${how}`,
      ours: `${ms(median)}, least ${ms(Math.min(...times))}`,
      raw: ms(quantile(rawTimes, 0.5)),
      target: `≤ ${START_MAX_MS} ms`,
      holds: median <= START_MAX_MS,
    });
  }
}

function emitMemory(host: BenchHost, raw: BenchHost, emit: Emit): void {
  const bytes = host.memoryBytes();
  emit({
    section,
    work: "memory idle",
    ours: megabytes(bytes),
    raw: megabytes(raw.memoryBytes()),
    target: `≤ ${megabytes(IDLE_MAX_BYTES)}`,
    holds: bytes <= IDLE_MAX_BYTES,
  });
}

async function benchCalls(host: BenchHost, raw: BenchHost, calls: number, emit: Emit): Promise<void> {
  const [ours, least] = [await openLine(host.socketPath), await openLine(raw.socketPath)];
  for (const [what, method, params] of [
    ["session.list", "session.list", { limit: 20 }],
    ["host.hello", "host.hello", {}],
  ] as const) {
    const times = await timedCalls(ours, calls, method, params);
    const bare = await timedCalls(least, calls, method, params);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    emit({
      section,
      work: `${what} on the socket, p50 / p99`,
      ours: `${ms(p50)} / ${ms(p99)}`,
      raw: `${ms(quantile(bare, 0.5))} / ${ms(quantile(bare, 0.99))}`,
      target: "≤ 0.5 / ≤ 3 ms",
      holds: p50 <= 0.5 && p99 <= 3,
    });
  }
  ours.close();
  least.close();
}

async function timedCalls(line: BenchLine, count: number, method: string, params: object): Promise<number[]> {
  for (let warm = 0; warm < 200; warm++) await line.call(method, params);
  const times: number[] = [];
  for (let call = 0; call < count; call++) {
    const start = performance.now();
    await line.call(method, params);
    times.push(performance.now() - start);
  }
  return times;
}

/** Every client sees every event; an event's lag is what passed between the first who saw it and the last. */
async function benchWatchers(folder: string, emit: Emit): Promise<void> {
  const home = join(folder, "w");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const text = Array.from({ length: STREAM_PIECES }, (_, at) => `word${at} `).join("");
  const long = { text, pieceChars: 8, chunkDelayMs: 5 };
  const server = await startCanned(folder, [{ when: { user: "all" }, ...long }, { text: "Nothing." }], "paced");
  const host = await startHost(home, { ...environment(home), ...modelEnvironment(server) });
  const speaker = await openLine(host.socketPath);
  const { session_id } = await speaker.call("session.create", {});
  const isOver = (): Promise<void> =>
    new Promise((resolve) => speaker.onEvent(({ type }) => type === "message.complete" && resolve()));
  const first = isOver();
  await speaker.call("prompt.submit", { session_id, text: "What is on the list?" });
  await first;
  const before = host.memoryBytes();
  const seen = new Map<number, number[]>();
  const watched = await Promise.all(
    Array.from({ length: CLIENTS }, () => watch(host.socketPath, String(session_id), seen)),
  );
  await speaker.call("prompt.submit", { session_id, text: "Tell me all of it." });
  await Promise.all(watched.map(({ isDone }) => isDone));
  const whole = [...seen.values()].filter((times) => times.length === CLIENTS);
  const lags = whole.map((times) => Math.max(...times) - Math.min(...times));
  const worst = Math.max(...lags);
  const grown = host.memoryBytes() - before;
  emit({
    section,
    work: `${CLIENTS} clients on one streaming turn, worst lag`,
    ours: `${ms(worst)}, p50 ${ms(quantile(lags, 0.5))}`,
    target: `≤ ${LAG_MAX_MS} ms (${lags.length} of ${seen.size} events seen by all; memory + ${megabytes(grown)})`,
    holds: worst <= LAG_MAX_MS && lags.length === seen.size,
  });
  for (const { line } of watched) line.close();
  speaker.close();
  await host.end("SIGTERM");
  await server.stop();
}

interface Watched {
  readonly line: BenchLine;
  readonly isDone: Promise<void>;
}

async function watch(socketPath: string, session: string, seen: Map<number, number[]>): Promise<Watched> {
  const line = await openLine(socketPath);
  const isDone = new Promise<void>((resolve) =>
    line.onEvent(({ type, seq }, atMs) => {
      if (type === "message.delta" && seq !== undefined) seen.set(seq, [...(seen.get(seq) ?? []), atMs]);
      if (type === "message.complete") resolve();
    }),
  );
  await line.call("events.subscribe", { session_id: session });
  return { line, isDone };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forMs));
}
