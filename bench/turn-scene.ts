/**
 * The real runtime, put together as a process of ours puts it together: settings, the provider's package, every tool,
 * and the store, behind its thread as in a host or in this thread as in `talaria chat`. What it sends is kept, so that
 * the raw loop can send the very same bytes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openModels } from "#app/open-models.js";
import { runtimeParts } from "#app/runtime-parts.js";
import { systemClock } from "#base/clock.js";
import { type ConversationId, type HostId, randomIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { homePaths, prepareHome } from "#config/home.js";
import { loadConfig } from "#config/load.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { openWorkerStore } from "#store/sqlite/worker-store.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { type CannedServer, fileName, modelEnvironment } from "./turn-server.js";

export type StoreKind = "worker" | "inline";

export interface SentRequest {
  readonly url: string;
  readonly init: RequestInit;
}

export interface TimedTurn {
  readonly conversation: ConversationId;
  /** From the message in hand to a settled turn. */
  readonly totalMs: number;
  /** To the first word that a surface is shown. */
  readonly firstTextMs: number;
  readonly sent: readonly SentRequest[];
}

export interface TurnScene {
  readonly statePath: string;
  turn(conversation?: ConversationId): Promise<TimedTurn>;
  close(): Promise<void>;
}

export async function openScene(root: string, kind: StoreKind, server: CannedServer): Promise<TurnScene> {
  const home = homePaths(join(root, "home"));
  const cwd = join(root, "work");
  mkdirSync(cwd, { recursive: true });
  prepareHome(home);
  for (let at = 0; at < 5; at++) writeFileSync(join(cwd, fileName(at)), "milk\neggs\nbread\n".repeat(10));
  const env = { ...modelEnvironment(server), PATH: process.env["PATH"] };
  const config = loadConfig(home, env);
  const clock = systemClock;
  const log = createLogger({ path: home.logFile, clock });
  const wish = { home, clock, version: "bench", env, config, log, cwd, isYolo: false };
  const store = kind === "worker" ? await openWorkerStore({ path: home.stateDb }) : inlineStore(home.stateDb);
  const models = await openModels(wish);
  const processes = createProcesses({ clock, newId: randomIds });
  const runtime = createRuntime(
    runtimeParts(wish, { store, host: randomIds<HostId>(), processes, models: async () => models }),
  );
  return {
    statePath: home.stateDb,
    turn: (conversation) => timedTurn(runtime, cwd, conversation),
    close: () => store.close(),
  };
}

function inlineStore(path: string): SessionStore {
  return openInlineStore({ path }).store;
}

async function timedTurn(runtime: Runtime, cwd: string, conversation?: ConversationId): Promise<TimedTurn> {
  const sent = watchRequests();
  let firstTextMs = Number.NaN;
  const start = performance.now();
  const admitted = await runtime.admit({
    platform: "bench",
    account: "bench",
    eventId: randomIds<string>(),
    to: conversation === undefined ? { kind: "new" } : { kind: "conversation", id: conversation },
    text: "What is on the list?",
    start: { source: "bench", cwd },
    // A title is wanted by somebody, so that none is made: that is work after a turn, not of it.
    ...(conversation === undefined ? { title: `bench ${++titles} ${process.pid}` } : {}),
    nowMs: Date.now(),
  });
  if (admitted.kind !== "admitted") throw new Error(admitted.kind);
  const reports = await runtime.run(admitted.conversation, {
    platform: "bench",
    isAsked: true,
    onGlimpse(glimpse) {
      if (glimpse.type === "text" && Number.isNaN(firstTextMs)) firstTextMs = performance.now() - start;
    },
  });
  const totalMs = performance.now() - start;
  const outcome = reports.at(-1)?.outcome;
  if (outcome !== "completed") throw new Error(`the turn is ${outcome}: ${reports.at(-1)?.reason}`);
  return { conversation: admitted.conversation, totalMs, firstTextMs, sent: sent() };
}

let titles = 0;

/** From here to the call of what is answered, requests are noted on their way out. */
function watchRequests(): () => readonly SentRequest[] {
  const { fetch } = globalThis;
  const sent: SentRequest[] = [];
  globalThis.fetch = (input, init = {}) => {
    sent.push({ url: String(input), init });
    return fetch(input, init);
  };
  return () => {
    globalThis.fetch = fetch;
    return sent;
  };
}
