/** Listing, looking up, loading, routing, deleting and opening, in stores of 100 and of 100,000 sessions. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ConversationId, SessionId } from "#base/ids.js";
import { packageRoot } from "#base/package-root.js";
import type { SessionStore } from "#session/store.js";
import { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { openForWriting } from "#store/sqlite/open.js";
import { openWorkerStore } from "#store/sqlite/worker-store.js";
import { createCorpus } from "./corpus.js";
import { BENCH_EPOCH_MS, routeKey, sessionId } from "./generate.js";
import { ms, quantile, type Row, timeAsync, timeSync } from "./report.js";

const section = "history";

export async function benchReading(small: string, large: string, emit: (row: Row) => void): Promise<void> {
  const at = {
    small: openInlineStore({ path: small, isReadOnly: true }).store,
    large: openInlineStore({ path: large, isReadOnly: true }).store,
  };
  const both = async (act: (store: SessionStore) => Promise<unknown>): Promise<[number, number]> => [
    await timeAsync(50, () => act(at.small)),
    await timeAsync(50, () => act(at.large)),
  ];
  const [listSmall, listLarge] = await both((store) => store.list({ limit: 20 }));
  emit({
    section,
    work: "list 20 most recently active",
    ours: ms(listLarge),
    target: `≤ 1 ms; 100 → 100,000: ${(listLarge / listSmall).toFixed(2)} × (≤ 2 ×)`,
    holds: listLarge <= 1 && listLarge <= 2 * listSmall,
  });
  const [, byTitle] = await both((store) => store.resolve({ text: "project 77" }));
  emit({ section, work: "resolve a title", ours: ms(byTitle), target: "≤ 0.5 ms", holds: byTitle <= 0.5 });
  const [, byPrefix] = await both((store) => store.resolve({ text: sessionId(77).slice(0, 12) }));
  emit({ section, work: "resolve an id prefix", ours: ms(byPrefix), target: "≤ 0.5 ms", holds: byPrefix <= 0.5 });
  const [statsSmall, statsLarge] = await both((store) => store.stats({}));
  emit({
    section,
    work: "count, stats",
    ours: ms(statsLarge),
    target: `≤ 5 ms; ${(statsLarge / statsSmall).toFixed(2)} × of small`,
    holds: statsLarge <= 5,
  });
  const [showSmall, showLarge] = await both((store) =>
    store.show({ conversation: sessionId(50).replace("s", "c") as ConversationId }),
  );
  emit({
    section,
    work: "show one",
    ours: ms(showLarge),
    target: `flat: ${(showLarge / showSmall).toFixed(2)} ×`,
    holds: showLarge <= 2 * showSmall + 0.2,
  });
}

/** The same rows through a bare statement, against the store's own request-ready history. */
export async function benchLoading(folder: string, emit: (row: Row) => void): Promise<void> {
  const opened = openInlineStore({ path: join(folder, "load.db") });
  opened.db.exec("PRAGMA synchronous = OFF");
  const corpus = createCorpus(11);
  for (const count of [100, 1_000, 10_000]) {
    const id = `load${count}`;
    await opened.store.importConversation({
      id: `c${id}`,
      lineage: "root",
      source: "cli",
      createdMs: 0,
      activeMs: 0,
      first: { id, createdMs: 0, openings: [] },
    });
    const messages = Array.from({ length: count }, (_, index) => ({
      role: index % 2 ? ("assistant" as const) : ("user" as const),
      text: index % 2 ? corpus.assistant() : corpus.user(),
      atMs: index,
      sourceNo: index,
    }));
    await opened.store.importMessages({ session: id, messages });
    const no = opened.db.get<{ no: number }>("SELECT no FROM conversation WHERE id = ?", `c${id}`)?.no ?? 0;
    const raw = timeSync(15, () =>
      opened.db.all("SELECT seq, role, text, body FROM message WHERE conversation = ? ORDER BY seq", no),
    );
    const ours = await timeAsync(15, () => opened.store.tipHistory({ conversation: `c${id}` as ConversationId }));
    emit({
      section,
      work: `load ${count.toLocaleString("en")} messages`,
      ours: ms(ours),
      raw: ms(raw),
      target: `≤ 2.5 × raw (${(ours / raw).toFixed(2)} ×)`,
      holds: ours <= 2.5 * raw,
    });
  }
  const since = { tip: "load10000" as SessionId, seq: 9_998, undone: 0 };
  const next = await timeAsync(50, () =>
    opened.store.tipHistory({ conversation: "cload10000" as ConversationId, since }),
  );
  emit({
    section,
    work: "the same on the next turn (two new)",
    ours: ms(next),
    target: "≤ 0.2 ms",
    holds: next <= 0.2,
  });
}

export async function benchRoutes(large: string, folder: string, emit: (row: Row) => void): Promise<void> {
  const copy = join(folder, "routes.db");
  copyFileSync(large, copy);
  const store = await openWorkerStore({ path: copy });
  const raw = rawRoute(join(folder, "raw-routes.db"));
  let number = 0;
  const admit = (routes: number): Promise<unknown> => {
    number++;
    return store.admit({
      platform: "telegram",
      account: "bot",
      eventId: `r${number}`,
      to: { kind: "route", key: routeKey(number % routes), chatType: "dm" },
      text: "hi",
      start: { source: "telegram" },
      nowMs: BENCH_EPOCH_MS,
    });
  };
  const few = await timeAsync(100, () => admit(1_000));
  const many = await timeAsync(100, () => admit(10_000));
  emit({
    section,
    work: "route lookup + update (with the message)",
    ours: ms(many),
    raw: ms(raw),
    target: `≤ 2 × raw + hop 0.3 ms; flat ${(many / few).toFixed(2)} ×`,
    holds: many <= 2 * raw + 0.3 && many <= 2 * few,
  });
  await store.close();
}

function rawRoute(path: string): number {
  const db = new Connection({ path });
  db.scalar("PRAGMA journal_mode = WAL");
  db.exec(
    "PRAGMA synchronous = FULL; CREATE TABLE route(key TEXT PRIMARY KEY, conversation INTEGER, used_ms INTEGER) STRICT, WITHOUT ROWID",
  );
  db.exec("BEGIN");
  for (let number = 0; number < 10_000; number++)
    db.run("INSERT INTO route VALUES (?, ?, 0)", routeKey(number), number);
  db.exec("COMMIT");
  return timeSync(100, (run) => {
    db.get("SELECT conversation FROM route WHERE key = ?", routeKey(run * 97));
    db.run("UPDATE route SET used_ms = ? WHERE key = ?", run, routeKey(run * 97));
  });
}

/** While a conversation of 10,000 messages is erased, others go on: the longest wait is what they feel. */
export async function benchDeleting(large: string, folder: string, emit: (row: Row) => void): Promise<void> {
  const copy = join(folder, "delete.db");
  copyFileSync(large, copy);
  const store = await openWorkerStore({ path: copy });
  const corpus = createCorpus(13);
  await store.importConversation({
    id: "cdoomed",
    lineage: "root",
    source: "cli",
    createdMs: 0,
    activeMs: 0,
    first: { id: "doomed", createdMs: 0, openings: [] },
  });
  for (let page = 0; page < 10; page++) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      role: "assistant" as const,
      text: corpus.assistant(),
      atMs: 0,
      sourceNo: page * 1_000 + index,
    }));
    await store.importMessages({ session: "doomed", messages });
  }
  await store.remove({ conversation: "cdoomed" as ConversationId, by: "bench", nowMs: 1 });
  let isDone = false;
  const waits: number[] = [];
  const others = (async () => {
    for (let number = 0; !isDone; number++) {
      const from = performance.now();
      await store.admit({
        platform: "bench",
        account: "b",
        eventId: `w${number}`,
        to: { kind: "new" },
        text: "hello",
        start: { source: "bench" },
        nowMs: 1,
      });
      waits.push(performance.now() - from);
    }
  })();
  const start = performance.now();
  while (!isDone) isDone = (await store.eraseChunk({ limit: 200, nowMs: 2 })).isDone;
  const totalMs = performance.now() - start;
  await others;
  const worst = Math.max(...waits);
  emit({
    section,
    work: "erase 10,000 messages of 100,000 sessions",
    ours: `${ms(totalMs)} in all`,
    target: `others wait ≤ 50 ms (worst ${ms(worst)}, p50 ${ms(quantile(waits, 0.5))})`,
    holds: worst <= 50,
  });
  await store.close();
}

export interface Sizes {
  readonly small: string;
  readonly large: string;
}

/** A sweep that finds nothing due, with ten routes and with as many as the large store has. */
export async function benchSweep({ small, large }: Sizes, folder: string, emit: (row: Row) => void): Promise<void> {
  const time = async (from: string, name: string): Promise<number> => {
    const path = join(folder, name);
    copyFileSync(from, path);
    const { store } = openInlineStore({ path });
    return timeAsync(50, () => store.sweepExpired({ nowMs: BENCH_EPOCH_MS - 86_400_000 * 365, limit: 100 }));
  };
  const [few, many] = [await time(small, "sweep-small.db"), await time(large, "sweep-large.db")];
  emit({
    section,
    work: "expiry sweep with nothing due",
    ours: ms(many),
    target: `does not grow with routes: ${(many / few).toFixed(2)} × of small (≤ 2 ×)`,
    holds: many <= 2 * few + 0.1,
  });
}

export async function benchOpening({ small, large }: Sizes, folder: string, emit: (row: Row) => void): Promise<void> {
  const killed = join(folder, "killed.db");
  copyFileSync(large, killed);
  await killWhileWriting(killed);
  const clean = join(folder, "clean.db");
  copyFileSync(large, clean);
  const time = (path: string): number => {
    const start = performance.now();
    const db = openForWriting({ path });
    db.get("SELECT count(*) FROM turn WHERE state <> 'settled'");
    return performance.now() - start;
  };
  const tiny = join(folder, "tiny.db");
  copyFileSync(small, tiny);
  time(tiny);
  copyFileSync(small, `${tiny}2`);
  const smallMs = time(`${tiny}2`);
  const cleanMs = time(clean);
  const wal = existsSync(`${killed}-wal`) ? statSync(`${killed}-wal`).size : 0;
  const killedMs = time(killed);
  emit({
    section,
    work: "open, clean",
    ours: ms(cleanMs),
    target: `≤ 50 ms; ${(cleanMs / smallMs).toFixed(2)} × of small`,
    holds: cleanMs <= 50,
  });
  emit({
    section,
    work: `open after SIGKILL (WAL of ${(wal / 1e6).toFixed(1)} MB)`,
    ours: ms(killedMs),
    target: `≤ 50 ms and ≤ 2 × clean (${(killedMs / cleanMs).toFixed(2)} ×)`,
    holds: killedMs <= 50 && killedMs <= 2 * cleanMs,
  });
}

/** A child appends until it is killed, so that the file is left as a crash leaves it. */
async function killWhileWriting(path: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(packageRoot(), "scripts", "run-ts.mjs"), "bench/main.ts", "--writer", path],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** What that child runs: a few hundred appends, a sign of life, and more until the end. */
export async function writeUntilKilled(path: string): Promise<void> {
  const { store } = openInlineStore({ path });
  const corpus = createCorpus(17);
  for (let number = 0; ; number++) {
    await store.admit({
      platform: "bench",
      account: "k",
      eventId: `k${number}`,
      to: { kind: "new" },
      text: corpus.assistant(),
      start: { source: "bench" },
      nowMs: number,
    });
    if (number === 300) process.stdout.write("writing\n");
  }
}
