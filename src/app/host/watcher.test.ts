import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { DAY_MS, HOUR_MS, ManualClock } from "../../../test/support/manual-clock.js";
import { createWatcher, PRUNE_EVERY_MS } from "./watcher.js";

const IDLE = { mode: "idle", idleMinutes: 10, atHour: 4 } as const;

function scene({ live = [] as string[] } = {}) {
  const clock = new ManualClock();
  const { store } = openInlineStore();
  const calls: string[] = [];
  const counting = new Proxy(store, {
    get(target, verb: keyof SessionStore) {
      if (verb === "pruneRoutes" || verb === "sweepExpired") calls.push(verb);
      return target[verb];
    },
  });
  const watch = createWatcher({
    store: counting,
    clock,
    log: createLogger({ path: "/dev/null", clock }),
    maxAgeDays: 90,
    hasLive: (conversation) => live.includes(conversation),
    live: () => live as ConversationId[],
    renewMirror: async () => void calls.push("mirror"),
  });
  const say = async (key: string): Promise<ConversationId> => {
    const admission = await store.admit({
      platform: "telegram",
      account: "bot",
      eventId: `${key}:${clock.nowMs()}`,
      to: { kind: "route", key, chatType: "dm", policy: IDLE },
      text: "hello",
      start: { source: "telegram" },
      nowMs: clock.nowMs(),
    });
    if (admission.kind !== "admitted") throw new Error(admission.kind);
    const { conversation } = admission;
    const claim = await store.claim({ conversation, host: "host" as never, nowMs: clock.nowMs() });
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    const { turn, epoch } = claim;
    await store.settle({ turn, epoch, outcome: "completed", final: { text: "hi" }, nowMs: clock.nowMs() });
    return conversation;
  };
  const keys = async (): Promise<readonly string[]> => (await store.routes({ limit: 9_999 })).map(({ key }) => key);
  return { clock, store, watch, say, keys, calls, live };
}

const never = (): AbortSignal => new AbortController().signal;

describe("the watcher", () => {
  it("[RI-6] closes no chat whose conversation has a process in the background, and looks again later", async () => {
    const { clock, watch, say, store, live } = scene();
    const conversation = await say("agent:main:telegram:dm:1");
    live.push(conversation);
    clock.advance(HOUR_MS);
    await watch(never());
    expect(await store.route({ key: "agent:main:telegram:dm:1" })).toMatchObject({ expiredMs: null });
    live.pop();
    await watch(never());
    expect((await store.route({ key: "agent:main:telegram:dm:1" }))?.expiredMs).not.toBeNull();
  });

  it("[RI-12] prunes on its first tick and then at most once an hour", async () => {
    const { clock, watch, say, keys, calls } = scene();
    await say("agent:main:telegram:dm:1");
    clock.advance(100 * DAY_MS);
    await say("agent:main:telegram:dm:2");
    await watch(never());
    expect(await keys()).toEqual(["agent:main:telegram:dm:2"]);
    const prunes = (): number => calls.filter((verb) => verb === "pruneRoutes").length;
    const before = prunes();
    clock.advance(HOUR_MS - 1);
    await watch(never());
    expect(prunes()).toBe(before);
    clock.advance(PRUNE_EVERY_MS - HOUR_MS + 1);
    await watch(never());
    expect(prunes()).toBeGreaterThan(before);
  });

  it("[RI-8] [RI-15] has the mirror written when it forgot something, and only then", async () => {
    const { clock, watch, say, calls } = scene();
    await say("agent:main:telegram:dm:1");
    await watch(never());
    expect(calls).not.toContain("mirror");
    clock.advance(100 * DAY_MS);
    await watch(never());
    expect(calls.at(-1)).toBe("mirror");
  });

  it("[RI-6] leaves the route of a chat whose background command runs", async () => {
    const { clock, watch, say, keys, live } = scene();
    live.push(await say("agent:main:telegram:dm:1"));
    await say("agent:main:telegram:dm:2");
    clock.advance(100 * DAY_MS);
    await watch(never());
    expect(await keys()).toEqual(["agent:main:telegram:dm:1"]);
  });

  it("[BH-7] [BH-8] closes what is past its policy, in pages, once", async () => {
    const { clock, store, watch, say } = scene();
    const ids: ConversationId[] = [];
    for (let at = 0; at < 150; at++) ids.push(await say(`agent:main:telegram:dm:${at}`));
    clock.advance(HOUR_MS);
    await watch(never());
    await watch(never());
    const reasons = await Promise.all(ids.map(async (conversation) => (await store.show({ conversation }))?.endReason));
    expect(new Set(reasons)).toEqual(new Set(["session_expired"]));
  });

  it("[BH-9] stops between two pages when asked", async () => {
    const { clock, watch, say, keys } = scene();
    await say("agent:main:telegram:dm:1");
    clock.advance(100 * DAY_MS);
    await watch(AbortSignal.abort());
    expect(await keys()).toHaveLength(1);
  });
});
