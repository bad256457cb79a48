/** Durable appends: one chat, a hundred chats, bytes per append, syncs per turn, the event loop under load. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ConversationId, HostId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import { openWorkerStore } from "#store/sqlite/worker-store.js";
import { createCorpus } from "./corpus.js";
import { openRaw } from "./raw.js";
import { ms, quantile, type Row } from "./report.js";

const HOST = "benchhost" as HostId;
const section = "append";

export async function benchAppend(folder: string, isQuick: boolean, emit: (row: Row) => void): Promise<void> {
  const count = isQuick ? 1_000 : 5_000;
  const raw = rawAppends(join(folder, "raw.db"), count);
  const commits: number[] = [];
  const store = await openWorkerStore({
    path: join(folder, "append.db"),
    onCommit: (operations) => commits.push(operations),
  });
  const one = await appendOneChat(store, join(folder, "append.db"), count);
  emit({
    section,
    work: "one chat: appends/s",
    ours: one.perSecond.toFixed(0),
    raw: raw.perSecond.toFixed(0),
    target: `≥ 0.45 × raw (${(one.perSecond / raw.perSecond).toFixed(2)} ×)`,
    holds: one.perSecond >= 0.45 * raw.perSecond,
  });
  emit({
    section,
    work: "one chat: p50",
    ours: ms(one.p50),
    raw: ms(raw.p50),
    target: "≤ raw + 0.3 ms",
    holds: one.p50 <= raw.p50 + 0.3,
  });
  emit({ section, work: "one chat: p99", ours: ms(one.p99), raw: ms(raw.p99), target: "≤ 3 ms", holds: one.p99 <= 3 });
  emit({
    section,
    work: "bytes written per append",
    ours: `${(one.bytesEach / 1000).toFixed(1)} kB`,
    raw: `${(raw.bytesEach / 1000).toFixed(1)} kB`,
    target: "≤ 24 kB",
    holds: one.bytesEach <= 24_000,
  });
  commits.length = 0;
  const many = await appendManyChats(store, isQuick ? 5_000 : 30_000);
  emit({
    section,
    work: "100 chats at once: appends/s",
    ours: many.toFixed(0),
    raw: raw.perSecond.toFixed(0),
    target: `≥ 3 × raw (${(many / raw.perSecond).toFixed(1)} ×)`,
    holds: many >= 3 * raw.perSecond,
  });
  const batch = commits.reduce((sum, operations) => sum + operations, 0) / commits.length;
  emit({
    section,
    work: "100 chats at once: operations per commit",
    ours: batch.toFixed(0),
    target: "≥ 20",
    holds: batch >= 20,
  });
  const delay = await loopDelay(store, isQuick ? 3_000 : 10_000);
  emit({
    section,
    work: "event-loop delay p99 at 1,000 appends/s",
    ours: ms(delay),
    target: "≤ 10 ms",
    holds: delay <= 10,
  });
  for (const calls of [0, 5]) {
    const commits = await commitsPerTurn(store, calls);
    emit({
      section,
      work: `commits per turn, ${calls} calls, alone`,
      ours: String(commits),
      target: calls === 0 ? "≤ 4" : "≤ 9",
      holds: commits <= (calls === 0 ? 4 : 9),
    });
  }
  await store.close();
}

interface Appends {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytesEach: number;
}

function rawAppends(path: string, count: number): Appends {
  const raw = openRaw(path);
  const corpus = createCorpus(3);
  raw.db.run("INSERT INTO conversation(no, id, seq, active_ms) VALUES (1, 'one', 0, 0)");
  return summary(
    measureSync(count, (index) =>
      raw.append(1, index % 2 ? "assistant" : "user", index % 2 ? corpus.assistant() : corpus.user()),
    ),
  );
}

interface Measured {
  readonly times: readonly number[];
  readonly totalMs: number;
  readonly bytes: number;
}

function measureSync(count: number, act: (index: number) => void): Measured {
  const bytesBefore = bytesWritten();
  const times: number[] = [];
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const from = performance.now();
    act(index);
    times.push(performance.now() - from);
  }
  return { times, totalMs: performance.now() - start, bytes: bytesWritten() - bytesBefore };
}

function summary(measured: Measured): Appends {
  const count = measured.times.length;
  return {
    perSecond: (count / measured.totalMs) * 1000,
    p50: quantile(measured.times, 0.5),
    p99: quantile(measured.times, 0.99),
    bytesEach: measured.bytes / count,
  };
}

/** Everything this process handed to the kernel for writing, its threads included. */
function bytesWritten(): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);
}

/** A turn of its own for each chat: every append is a recorded step of a live turn, as in real use. */
export async function openTurn(store: SessionStore, eventId: string, to?: ConversationId): Promise<ClaimedTurn> {
  const nowMs = Date.now();
  const admitted = await store.admit({
    platform: "bench",
    account: "bench",
    eventId,
    to: to === undefined ? { kind: "new" } : { kind: "conversation", id: to },
    text: "begin",
    start: { source: "bench" },
    nowMs,
  });
  if (admitted.kind !== "admitted") throw new Error(admitted.kind);
  const claim = await store.claim({ conversation: admitted.conversation, host: HOST, nowMs });
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  return claim;
}

function step(store: SessionStore, turn: ClaimedTurn, text: string): Promise<unknown> {
  return store.recordStep({ turn: turn.turn, epoch: turn.epoch, text, calls: [], nowMs: Date.now() });
}

async function appendOneChat(store: SessionStore, path: string, count: number): Promise<Appends> {
  const corpus = createCorpus(3);
  const turn = await openTurn(store, "one");
  for (let warm = 0; warm < 200; warm++) await step(store, turn, corpus.user());
  const times: number[] = [];
  const bytesBefore = bytesWritten();
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const text = index % 2 ? corpus.assistant() : corpus.user();
    const from = performance.now();
    await step(store, turn, text);
    times.push(performance.now() - from);
  }
  statSync(path);
  return summary({ times, totalMs: performance.now() - start, bytes: bytesWritten() - bytesBefore });
}

async function appendManyChats(store: SessionStore, count: number): Promise<number> {
  const corpus = createCorpus(5);
  const turns = await Promise.all(Array.from({ length: 100 }, (_, index) => openTurn(store, `many-${index}`)));
  const start = performance.now();
  await Promise.all(
    turns.map(async (turn) => {
      for (let index = 0; index < count / turns.length; index++)
        await step(store, turn, index % 2 ? corpus.assistant() : corpus.user());
    }),
  );
  return (count / (performance.now() - start)) * 1000;
}

async function loopDelay(store: SessionStore, count: number): Promise<number> {
  const corpus = createCorpus(9);
  const turns = await Promise.all(Array.from({ length: 50 }, (_, index) => openTurn(store, `loop-${index}`)));
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  const pending: Promise<unknown>[] = [];
  monitor.enable();
  // 20 appends every 20 ms: a thousand a second.
  for (let sent = 0; sent < count; sent += 20) {
    for (let index = 0; index < 20; index++) {
      const turn = turns[(sent + index) % turns.length];
      if (turn !== undefined) pending.push(step(store, turn, corpus.assistant()));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Promise.all(pending);
  monitor.disable();
  // The monitor counts its own 1 ms period.
  return monitor.percentile(99) / 1e6 - 1;
}

/** Verbs awaited one after the other: alone, each is one commit and one sync of the disk. */
async function commitsPerTurn(store: SessionStore, calls: number): Promise<number> {
  const nowMs = Date.now();
  const admitted = await store.admit({
    platform: "bench",
    account: "bench",
    eventId: `turn-${calls}`,
    to: { kind: "new" },
    text: "go",
    start: { source: "bench" },
    nowMs,
  });
  if (admitted.kind !== "admitted") throw new Error(admitted.kind);
  let commits = 1;
  const claim = await store.claim({ conversation: admitted.conversation as ConversationId, host: HOST, nowMs });
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  commits++;
  const pass = { turn: claim.turn, epoch: claim.epoch };
  if (calls > 0) {
    const wanted = Array.from({ length: calls }, (_, index) => ({
      callId: `c${index}`,
      name: "read_file",
      effect: "read-only" as const,
      argsHash: "0".repeat(64),
      isStarted: true,
    }));
    const recorded = await store.recordStep({ ...pass, text: "", calls: wanted, nowMs });
    commits++;
    if (recorded.kind !== "recorded") throw new Error(recorded.kind);
    for (const call of recorded.calls) {
      await store.finishCall({ ...pass, call: call.id, outcome: "ok", result: { role: "tool", text: "done" }, nowMs });
      commits++;
    }
  }
  await store.settle({ ...pass, outcome: "completed", final: { text: "done" }, nowMs });
  return commits + 1;
}
