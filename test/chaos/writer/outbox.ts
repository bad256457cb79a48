/** The loops that pay what is owed: replies to the platform, boundaries to a hook, erasure to the deleted. */
import type { DueDelivery } from "#session/verbs/outbox.js";
import { seededRandom } from "../random.js";
import type { World } from "./world.js";

const CLAIM_MAX = 8;
const ERASE_ROWS = 40;
const PAUSE_MS = 2;

export async function runOutbox(world: World, isLast: () => boolean): Promise<void> {
  const random = seededRandom(world.random.seed());
  while (!world.isLogFull()) {
    const wasLast = isLast();
    const due = await world.store.claimDeliveries({ host: world.host, limit: CLAIM_MAX, nowMs: world.clock.nowMs() });
    await Promise.all(due.map((delivery) => send(world, delivery, random.int(0, 99))));
    if (due.length === 0 && wasLast) return;
    if (due.length === 0) await world.clock.sleep(PAUSE_MS);
  }
}

/** The platform's answer: mostly a receipt, sometimes "later", sometimes none, sometimes never. */
async function send(world: World, { id, isMarked, attempts }: DueDelivery, luck: number): Promise<void> {
  const nowMs = world.clock.nowMs();
  if (luck < 5 && !world.plan.isDraining) {
    await world.store.settleDelivery({ id, event: { type: "refused-for-now", dueMs: nowMs }, nowMs });
    return;
  }
  world.tell({ t: "post", delivery: id, isMarked });
  if (luck < 10) {
    await world.store.settleDelivery({ id, event: { type: "lost-sight" }, nowMs });
    await world.store.settleDelivery({ id, event: { type: "send-marked-copy", dueMs: nowMs }, nowMs });
  } else if (luck < 13) {
    await world.store.settleDelivery({ id, event: { type: "gave-up", error: "the chat is gone" }, nowMs });
  } else {
    await world.store.settleDelivery({ id, event: { type: "sent", receipt: `${id}/${attempts}` }, nowMs });
  }
}

export async function runHooks(world: World, isLast: () => boolean): Promise<void> {
  const random = seededRandom(world.random.seed());
  while (!world.isLogFull()) {
    const wasLast = isLast();
    const due = await world.store.claimHooks({ host: world.host, limit: CLAIM_MAX, nowMs: world.clock.nowMs() });
    for (const { key } of due) {
      const nowMs = world.clock.nowMs();
      world.tell({ t: "told", key });
      const failed = { kind: "failed", error: "the hook failed", retryMs: nowMs } as const;
      await world.store.settleHook({ key, result: random.chance(0.05) ? failed : { kind: "done" }, nowMs });
    }
    if (due.length === 0 && wasLast) return;
    if (due.length === 0) await world.clock.sleep(PAUSE_MS);
  }
}

export async function runErasure(world: World, isLast: () => boolean): Promise<void> {
  while (!world.isLogFull()) {
    const wasLast = isLast();
    const { isDone } = await world.store.eraseChunk({ limit: ERASE_ROWS, nowMs: world.clock.nowMs() });
    if (isDone && wasLast) return;
    await world.clock.sleep(isDone ? PAUSE_MS * 10 : PAUSE_MS);
  }
}
