/** What watching costs, seen in the rows themselves: nothing while nobody listens, and nothing once it was told. */
import { describe, expect, it } from "vitest";
import { type HostId, seededIds } from "#base/ids.js";
import { WATCHED_KINDS } from "#session/boundary.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "./inline-store.js";

const HOST = "host" as HostId;
const HASH = "a".repeat(64);

describe("the work inside a turn", () => {
  it("[HK-1] writes no row for hooks while nobody listens, and the same rows as ever", async () => {
    const { store, db } = openInlineStore({ newId: seededIds(1) });
    const before = db.scalar("SELECT total_changes()");
    await live(store);
    const alone = Number(db.scalar("SELECT total_changes()")) - Number(before);
    expect(db.list("SELECT kind FROM boundary_event ORDER BY no")).toEqual(["on_session_start", "on_session_end"]);

    const watched = openInlineStore({ newId: seededIds(1) });
    await watched.store.subscribeHooks({ subscriber: "x", kinds: ["subagent_stop"] });
    const from = Number(watched.db.scalar("SELECT total_changes()"));
    await live(watched.store);
    expect(Number(watched.db.scalar("SELECT total_changes()")) - from).toBe(alone);
  });

  it("[HK-1] leaves no row behind when every listener has it", async () => {
    const { store, db } = openInlineStore({ newId: seededIds(1) });
    for (const subscriber of ["a", "b"]) await store.subscribeHooks({ subscriber, kinds: WATCHED_KINDS });
    await live(store);
    expect(db.scalar("SELECT count(*) FROM boundary_event")).toBe(2 + 5);
    await tell(store, "a");
    expect(db.scalar("SELECT count(*) FROM boundary_event")).toBe(2 + 5);
    await tell(store, "b");
    expect(db.list("SELECT kind FROM boundary_event ORDER BY no")).toEqual(["on_session_start", "on_session_end"]);
    expect(db.scalar("SELECT count(*) FROM hook_delivery")).toBe(0);
  });

  it("[HK-1] leaves no row behind when its hook was given up on, or is gone", async () => {
    const { store, db } = openInlineStore({ newId: seededIds(1) });
    await store.subscribeHooks({ subscriber: "a", kinds: ["agent:start"] });
    await live(store);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [due] = await store.claimHooks({ host: HOST, limit: 1, nowMs: 1_000 + attempt });
      const result = { kind: "failed", error: "boom", retryMs: 0 } as const;
      await store.settleHook({ key: due?.key ?? "", result, nowMs: 1_000 + attempt });
    }
    expect(db.scalar("SELECT count(*) FROM boundary_event WHERE kind = 'agent:start'")).toBe(0);
    await live(store);
    await store.keepHooks({ subscribers: [], reason: "gone", limit: 9, nowMs: 9 });
    expect(db.scalar("SELECT count(*) FROM boundary_event WHERE kind = 'agent:start'")).toBe(0);
    expect(db.scalar("SELECT count(*) FROM hook_failure")).toBe(0);
  });

  it("[HK-3] is subscribed to without a write when nothing about it changed", async () => {
    const { store, db } = openInlineStore({ newId: seededIds(1) });
    const subscribers = [{ name: "a", kinds: ["agent:start", "agent:end"] as const }];
    await store.keepHooks({ subscribers, reason: "gone", limit: 9, nowMs: 1 });
    const before = db.scalar("SELECT total_changes()");
    await store.keepHooks({ subscribers, reason: "gone", limit: 9, nowMs: 1 });
    expect(db.scalar("SELECT total_changes()")).toBe(before);
  });
});

let events = 0;

async function live(store: SessionStore): Promise<void> {
  const nowMs = ++events;
  const admitted = await store.admit({
    platform: "cli",
    account: "local",
    eventId: `event-${events}`,
    to: { kind: "new" },
    text: "hello",
    start: { source: "cli" },
    nowMs,
  });
  if (admitted.kind !== "admitted") throw new Error(admitted.kind);
  const claim = await store.claim({ conversation: admitted.conversation, host: HOST, nowMs });
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  const pass = { turn: claim.turn, epoch: claim.epoch, nowMs };
  const calls = [{ callId: "c", name: "look", effect: "read-only", argsHash: HASH, isStarted: true }] as const;
  const step = await store.recordStep({ ...pass, text: "", calls });
  if (step.kind !== "recorded" || step.calls[0] === undefined) throw new Error(step.kind);
  const result = { role: "tool", text: "42" } as const;
  await store.finishCall({ ...pass, call: step.calls[0].id, outcome: "ok", result });
  await store.settle({ ...pass, outcome: "completed", final: { text: "done" } });
}

async function tell(store: SessionStore, subscriber: string): Promise<void> {
  for (;;) {
    const due = await store.claimHooks({ host: HOST, limit: 9, lanes: [{ subscriber, limit: 9 }], nowMs: 1e9 });
    if (due.length === 0) return;
    for (const { key } of due) await store.settleHook({ key, result: { kind: "done" }, nowMs: 1e9 });
  }
}
