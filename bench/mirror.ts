/**
 * `node scripts/run-ts.mjs bench/mirror.ts [routes]`: what the mirror costs [RI-15]. Writes it from a store on disk
 * again and again, with the rest between two writes that a host takes, and prints the share of one core and the
 * memory above what the store itself takes. Every round changes a route, which is the worst case: without a change
 * nothing is written at all.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REST_FACTOR, writeMirror } from "#app/mirror.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { printRow } from "./report.js";

const ROUNDS = 5;
const GROUP = 500;
const CORE_SHARE_MAX = 0.01;
const MEMORY_BYTES_MAX = 20_000_000;

const routes = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), "talaria-mirror-bench-"));
try {
  await measure(join(folder, "state.db"), join(folder, "sessions.json"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function measure(statePath: string, mirrorPath: string): Promise<void> {
  const { store, db } = openInlineStore({ path: statePath });
  db.exec("PRAGMA synchronous = OFF");
  const first = { id: "session-one", createdMs: 0, openings: [] };
  const facts = { lineage: "import", source: "telegram", createdMs: 0, activeMs: 0 } as const;
  await store.importConversation({ id: "conversation-one", ...facts, first });
  for (let from = 0; from < routes; from += GROUP) {
    const numbers = Array.from({ length: Math.min(GROUP, routes - from) }, (_, at) => from + at);
    await Promise.all(numbers.map((number) => store.importRoute(route(number))));
  }
  await writeMirror(store, mirrorPath);
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  let cpuMs = 0;
  let wallMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    await writeMirror(store, mirrorPath);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs += (user + system) / 1000;
    wallMs += performance.now() - startedMs;
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const share = cpuMs / (wallMs * (1 + REST_FACTOR));
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const size = megabytes(statSync(mirrorPath).size);
  const work = `mirror of ${routes.toLocaleString("en-US")} routes`;
  printRow({
    section: "mirror",
    work: `${work}, one write (${size})`,
    ours: `${(wallMs / ROUNDS).toFixed(0)} ms`,
    target: "",
    holds: undefined,
  });
  printRow({
    section: "mirror",
    work: `${work}, share of one core`,
    ours: `${(share * 100).toFixed(2)} %`,
    target: "≤ 1 %",
    holds: share <= CORE_SHARE_MAX,
  });
  printRow({
    section: "mirror",
    work: `${work}, memory above the store's`,
    ours: megabytes(peak - before),
    target: "≤ 20 MB",
    holds: peak - before <= MEMORY_BYTES_MAX,
  });
}

function route(number: number) {
  return {
    key: `agent:main:telegram:dm:${number}`,
    session: "session-one",
    platform: "telegram",
    chatType: "dm",
    name: `Chat number ${number}`,
    createdMs: 0,
    usedMs: 0,
  };
}
