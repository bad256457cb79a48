import { describe, expect, it } from "vitest";
import { eraseRemoved, planIdle, removeIdle } from "#app/retention.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { DAY_MS, ManualClock } from "../support/manual-clock.js";

const clock = new ManualClock();
const NOW = clock.nowMs();
const query = { beforeMs: NOW - 90 * DAY_MS, withRouted: false };
const act = (signal = new AbortController().signal) => ({ by: "test", clock, signal });

async function add(store: SessionStore, id: string, activeMs: number, messages = 1): Promise<void> {
  const first = { id: `${id}-s`, createdMs: 0, openings: [] };
  await store.importConversation({ id, lineage: "import", source: "cli", createdMs: 0, activeMs, first });
  const said = Array.from({ length: messages }, (_, n) => ({
    role: "user" as const,
    text: "x",
    atMs: 0,
    sourceNo: n + 1,
  }));
  await store.importMessages({ session: first.id, messages: said });
}

async function storeWith(count: number, routed: number): Promise<SessionStore> {
  const { store } = openInlineStore();
  for (let n = 0; n < count; n++) {
    const id = `conversation-${n}`;
    // All of one moment: only their order of arrival tells them apart.
    await add(store, id, NOW - 100 * DAY_MS);
    if (n >= routed) continue;
    const key = `agent:main:telegram:dm:${n}`;
    const used = { createdMs: 0, usedMs: 0, platform: "telegram", chatType: "dm" };
    await store.importRoute({ key, session: `${id}-s`, ...used });
  }
  await add(store, "used-yesterday", NOW - DAY_MS);
  return store;
}

describe("deleting what is idle", () => {
  it("goes through more than a page, also when most of a page is spared", async () => {
    const store = await storeWith(520, 450);
    expect(await planIdle(store, query)).toMatchObject({ conversations: 70, messages: 70, routed: 450 });
    expect(await removeIdle(store, query, act())).toEqual({ removed: 70, messages: 70, busy: 0 });
    expect((await store.stats({})).conversations).toBe(451);
    expect(await planIdle(store, { ...query, withRouted: true })).toMatchObject({ conversations: 450, routed: 0 });
  });

  it("leaves alone what was used after the plan was made", async () => {
    const store = await storeWith(3, 0);
    await planIdle(store, query);
    await store.admit({
      platform: "cli",
      account: "main",
      eventId: "e",
      to: { kind: "conversation", id: "conversation-1" as ConversationId },
      text: "still here",
      start: { source: "cli" },
      nowMs: NOW,
    });
    expect(await removeIdle(store, query, act())).toMatchObject({ removed: 2 });
    expect(await store.show({ conversation: "conversation-1" as ConversationId })).not.toBeNull();
  });

  it("stops between two groups when it is interrupted; what is deleted is deleted whole", async () => {
    const store = await storeWith(100, 0);
    const controller = new AbortController();
    const removal = removeIdle(store, query, {
      ...act(controller.signal),
      onRemoved: () => controller.abort(new Error("interrupted")),
    });
    await expect(removal).rejects.toThrow("interrupted");
    const { conversations } = await store.stats({});
    expect(conversations).toBeGreaterThan(1);
    expect(conversations).toBeLessThan(101);
  });
});

describe("erasing", () => {
  it("[ST-14] goes on where it was interrupted, until nothing is left", async () => {
    const { store } = openInlineStore();
    await add(store, "long-one", 0, 9_000);
    await store.remove({ conversation: "long-one" as ConversationId, by: "test", nowMs: NOW });
    const controller = new AbortController();
    const first = await eraseRemoved(store, {
      ...act(controller.signal),
      onErased: () => controller.abort(),
    });
    expect(first.isDone).toBe(false);
    expect(first.erased).toBeGreaterThan(0);
    const second = await eraseRemoved(store, act());
    expect(second.isDone).toBe(true);
    expect(first.erased + second.erased).toBeGreaterThanOrEqual(9_000);
    expect((await store.stats({})).messages).toBe(0);
  });
});
