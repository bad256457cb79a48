/**
 * Very many operations of the real store in one process, with garbage collected all the time: what the driver
 * does to a database whose statements outlive it, or to statements nobody holds, shows here as a crash or as
 * memory that grows. Run with `--expose-gc`; prints one line of JSON.
 *
 *   driver.ts <store> <operations>
 */
import type { HostId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

const [path = "", wanted = "1000000"] = process.argv.slice(2);
const OPERATIONS = Number(wanted);
/** Everybody acts at once: one batch, one commit. */
const CHATS = Array.from({ length: 1_000 }, (_, no) => `agent:main:soak:dm:${no}`);
const HOST = "host" as HostId;
const HASH = "a".repeat(64);
const GC_EVERY = 10;
/** Reading is most of what a store does all day. */
const LOOKS = 5;
const nowMs = 1_700_000_000_000;

const gc = globalThis.gc;
if (gc === undefined) throw new Error("run with --expose-gc");

const { store, db } = openInlineStore({ path });
let operations = 0;
let batches = 0;
let collections = 0;
const heap: number[] = [];
const rss: number[] = [];

for (let round = 0; operations < OPERATIONS; round++) {
  await live(store, round);
  const { heapUsed, rss: resident } = process.memoryUsage();
  heap.push(heapUsed);
  rss.push(resident);
}
const ok = db.scalar("PRAGMA quick_check");
const turns = db.scalar("SELECT count(*) FROM turn WHERE state = 'settled'");
process.stdout.write(
  `${JSON.stringify({ operations, batches, collections, ok, turns, heap: halves(heap), rss: halves(rss) })}\n`,
);

/** A turn in every chat, looked at from all sides. */
async function live(to: SessionStore, round: number): Promise<void> {
  const said = await all((key) =>
    to.admit({
      platform: "soak",
      account: "bot",
      eventId: `${key} ${round}`,
      to: { kind: "route", key, chatType: "dm" },
      text: "hello",
      start: { source: "soak" },
      nowMs,
    }),
  );
  const ids = said.map((answer) => (answer.kind === "admitted" ? answer.conversation : fail(answer.kind)));
  await all((key) => to.route({ key }));
  await all((_, no) => to.queue({ conversation: at(ids, no), limit: 5 }));
  const turns = (await all((_, no) => to.claim({ conversation: at(ids, no), host: HOST, nowMs }))).map((claimed) =>
    claimed.kind === "claimed" ? claimed : fail(claimed.kind),
  );
  const pass = (no: number): Pick<ClaimedTurn, "turn" | "epoch"> => ({
    turn: at(turns, no).turn,
    epoch: at(turns, no).epoch,
  });
  await all((_, no) => to.saveDraft({ ...pass(no), text: "so far" }));
  await all((_, no) => to.saveDraft({ ...pass(no), text: "so far, so good" }));
  const call = { callId: "c", name: "look", effect: "read-only" as const, argsHash: HASH };
  const steps = await all((_, no) => to.recordStep({ ...pass(no), text: "", calls: [call], nowMs }));
  const calls = steps.map((step) => (step.kind === "recorded" ? at(step.calls, 0).id : fail(step.kind)));
  await all((_, no) => to.startCalls({ ...pass(no), calls: [at(calls, no)], nowMs }));
  const result = { role: "tool" as const, text: "42" };
  await all((_, no) => to.finishCall({ ...pass(no), call: at(calls, no), outcome: "ok", result, nowMs }));
  await all((_, no) => to.recent({ conversation: at(ids, no), limit: 5 }));
  await all((_, no) => to.settle({ ...pass(no), outcome: "completed", final: { text: "done" }, nowMs }));
  await all((_, no) => to.resolve({ text: at(ids, no) }));
  for (let look = 0; look < LOOKS; look++) {
    await all((key) => to.route({ key }));
    await all((_, no) => to.queue({ conversation: at(ids, no), limit: 5 }));
    await all(() => to.routeVersion({}));
    await all((key) => to.importCursor({ session: key }));
  }
}

async function all<T>(act: (key: string, no: number) => Promise<T>): Promise<T[]> {
  operations += CHATS.length;
  if (++batches % GC_EVERY === 0) {
    gc?.();
    collections++;
  }
  return Promise.all(CHATS.map(act));
}

/** The least of the second quarter and of the last one: what stays, not what happened to be lying about. */
function halves(samples: readonly number[]): { early: number; late: number } {
  const quarter = Math.floor(samples.length / 4);
  const least = (from: number, to: number): number => Math.min(...samples.slice(from, Math.max(to, from + 1)));
  return { early: least(quarter, 2 * quarter), late: least(3 * quarter, samples.length) };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}

function fail(what: string): never {
  throw new Error(`unexpected: ${what}`);
}
