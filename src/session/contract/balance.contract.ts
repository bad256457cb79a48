/** Balance, as a property: whatever people and hosts do in whatever order, every boundary has its counterpart. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { DAY_MS, HOUR_MS } from "../../../test/support/manual-clock.js";
import { CHAT, HOST, type OpenStore, only, Scenario, START } from "../../../test/support/scenario.js";
import type { Actor } from "../verbs/lifecycle.js";

/** In memory many short lives cost little; on a disk each commit is synced. */
const RUNS_IN_MEMORY = 60;
const RUNS_ON_DISK = 4;
const ACTS_MAX = 40;
const POLICY = { mode: "idle", idleMinutes: 60 } as const;

const ACTS = {
  say: (life) => life.say(),
  steer: (life) => life.say("steer"),
  run: (life) => life.run("completed"),
  fail: (life) => life.run("failed"),
  claim: (life) => life.claim(),
  takeOver: (life) => life.takeOver(),
  reset: (life) => life.scene.store.reset({ actor: life.actor, start: START, nowMs: life.scene.tick() }),
  resume: (life) => life.resume(),
  branch: (life) => life.branch(),
  end: (life) => life.end(),
  compact: (life) => life.compact(),
  undo: (life) => life.undo(),
  remove: (life) => life.remove(),
  shutdown: ({ scene }) => scene.store.closeOpenings({ reason: "shutdown", limit: 2, nowMs: scene.tick() }),
  sweep: ({ scene }) => scene.store.sweepExpired({ limit: 2, nowMs: scene.clock.advance(HOUR_MS / 2) }),
  prune: ({ scene }) =>
    scene.store.pruneRoutes({ maxAgeDays: 1, liveKeys: [], limit: 9, nowMs: scene.clock.advance(DAY_MS) }),
} satisfies Record<string, (life: Life) => Promise<unknown>>;

const step = fc.record({
  act: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  chat: fc.nat(1),
  pick: fc.nat(9),
});

export function describeBalance(open: OpenStore): void {
  it("[BH-15] starts, ends and finalizes are balanced after any sequence of acts", async () => {
    const runs = (await Scenario.open(open)).isDurable ? RUNS_ON_DISK : RUNS_IN_MEMORY;
    const property = fc.asyncProperty(fc.array(step, { maxLength: ACTS_MAX, size: "max" }), async (steps) => {
      const scene = await Scenario.open(open);
      const books = new Map<string, Book>();
      let turns = 0;
      for (const { act, chat, pick } of steps) {
        await ACTS[act](new Life(scene, chat, pick));
        turns += await keepBooks(scene, books);
      }
      turns += await endEverything(scene, books);
      expect((await scene.store.stats({})).spend.turns).toBe(turns);
      for (const [id, book] of books) expect([id, book.isOpen]).toEqual([id, false]);
    });
    await fc.assert(property, { numRuns: runs });
  });

  describe("of one life with everything in it", () => {
    it("[BH-15] each boundary is told once, in the order in which it happened", async () => {
      const scene = await Scenario.open(open);
      const life = new Life(scene, 0, 0);
      await scene.exchange("hello", "hi", { key: life.key });
      await life.compact();
      await life.end();
      await life.say();
      await life.claim();
      await ACTS.reset(life);
      expect(await scene.toldKinds()).toEqual([
        "on_session_start",
        "on_session_end",
        "session:compress",
        "on_session_finalize",
        "on_session_start",
        "on_session_end",
        "on_session_finalize",
        "on_session_reset",
      ]);
    });
  });
}

interface Book {
  isOpen: boolean;
  /** Why it was closed last. */
  reason?: unknown;
}

/** Checks what hooks were told since the last act, and answers how many turns ended. */
async function keepBooks(scene: Scenario, books: Map<string, Book>): Promise<number> {
  let ended = 0;
  for (const { kind, payload } of await scene.told()) {
    const book = books.get(payload.conversation_id) ?? { isOpen: false };
    books.set(payload.conversation_id, book);
    if (kind === "on_session_end") {
      ended++;
      // A turn ends inside an opening; only a shutdown closes one and leaves its turn to the next host.
      expect([payload.conversation_id, book.isOpen || book.reason]).toEqual([
        payload.conversation_id,
        book.isOpen || "shutdown",
      ]);
    }
    if (kind !== "on_session_start" && kind !== "on_session_finalize") continue;
    // A start finds it closed, a finalize finds it open.
    expect([kind, payload.conversation_id, book.isOpen]).toEqual([
      kind,
      payload.conversation_id,
      kind === "on_session_finalize",
    ]);
    book.isOpen = kind === "on_session_start";
    book.reason = payload["reason"];
  }
  return ended;
}

async function endEverything(scene: Scenario, books: Map<string, Book>): Promise<number> {
  for (const { turn } of await scene.store.openTurns({ limit: 100 })) {
    const taken = await scene.store.takeOver({ turn, host: HOST, nowMs: scene.tick() });
    await scene.settle(only("taken", taken), { outcome: "interrupted-by-crash" });
  }
  await scene.store.closeOpenings({ reason: "shutdown", limit: 1_000, nowMs: scene.tick() });
  return keepBooks(scene, books);
}

/** One of two chats, and what it may do where it is now. */
class Life {
  readonly key: string;
  readonly actor: Actor;

  constructor(
    readonly scene: Scenario,
    chat: number,
    readonly pick: number,
  ) {
    this.key = `${CHAT}:${chat}`;
    this.actor = { platform: "telegram", routeKey: this.key };
  }

  async say(mode: "queue" | "steer" = "queue"): Promise<void> {
    await this.scene.say("hello", { key: this.key, policy: POLICY, mode });
  }

  async claim() {
    const { scene } = this;
    const conversation = await this.here();
    return conversation && scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() });
  }

  async run(outcome: "completed" | "failed"): Promise<void> {
    const claim = await this.claim();
    if (claim?.kind !== "claimed") return;
    await this.scene.useTool(claim, "seen");
    await this.scene.settle(claim, { outcome, final: { text: "done" } });
  }

  async takeOver(): Promise<void> {
    const [open] = await this.scene.store.openTurns({ limit: 1 });
    const host = `host-${this.pick}` as typeof HOST;
    if (open) await this.scene.store.takeOver({ turn: open.turn, host, nowMs: this.scene.tick() });
  }

  async resume(): Promise<void> {
    const to = await this.somewhere();
    if (to) await this.scene.store.resume({ actor: this.actor, to, nowMs: this.scene.tick() });
  }

  async branch(): Promise<void> {
    const from = await this.somewhere();
    if (from) await this.scene.store.branch({ actor: this.actor, from, nowMs: this.scene.tick() });
  }

  async end(): Promise<void> {
    const conversation = await this.here();
    const how = { actor: this.actor, reason: "cli_close", nowMs: this.scene.tick() };
    if (conversation) await this.scene.store.end({ conversation, ...how });
  }

  async compact(): Promise<void> {
    const conversation = await this.here();
    if (conversation) await this.scene.rotate(conversation);
  }

  async undo(): Promise<void> {
    const conversation = await this.here();
    if (conversation) await this.scene.store.undo({ conversation, turns: 1, reason: "undo", nowMs: this.scene.tick() });
  }

  async remove(): Promise<void> {
    const conversation = await this.somewhere();
    if (conversation) await this.scene.store.remove({ conversation, by: "test", nowMs: this.scene.tick() });
  }

  async here(): Promise<ConversationId | undefined> {
    return (await this.scene.store.route({ key: this.key }))?.conversation;
  }

  async somewhere(): Promise<ConversationId | undefined> {
    const all = await this.scene.store.list({ limit: 10 });
    return all[this.pick % Math.max(1, all.length)]?.id;
  }
}
