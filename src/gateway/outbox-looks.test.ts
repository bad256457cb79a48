/** How often the outbox asks the store, and that it asks whenever it has to. */
import { afterEach, describe, expect, it } from "vitest";
import type { HostId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import { NO_RECEIVER, PAPER_LIMITS, PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { AccountLine } from "./account-line.js";
import { createOutbox, type Outbox, SENDS_AT_ONCE } from "./outbox.js";

const VERBS = ["claimDeliveries", "settleDelivery", "unknownDeliveries", "deliveryDue"] as const;
const HOST = "host-a" as HostId;
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Two platforms that take messages as fast as they come. */
class Scene {
  readonly scene = new RuntimeScene({ models: [scriptedModel([])] });
  readonly papers = { paper: new PaperPlatform(), quiet: new PaperPlatform() };
  readonly asked = new Map<string, number>();
  readonly lines: readonly AccountLine[];
  readonly outbox: Outbox;

  constructor() {
    const { clock } = this.scene;
    const log = createLogger({ path: `${this.scene.folder}/gateway.log`, clock });
    this.papers.paper.found = () => ({ kind: "absent" });
    this.lines = Object.entries(this.papers).map(([name, paper]) => {
      const limits = { ...PAPER_LIMITS, chatEveryMs: 0, perSecond: 1_000 };
      const account = paperAccount(paper.kind({ name, limits }));
      const onUp = (): void => this.outbox.poke();
      return new AccountLine(account, {
        clock,
        log,
        receiver: () => NO_RECEIVER,
        cursors: async () => new Map(),
        menu: () => [],
        onUp,
      });
    });
    this.outbox = createOutbox({
      store: this.#counting(),
      host: HOST,
      clock,
      log,
      lines: () => this.lines,
      mayLeave: async (path) => ({ kind: "may-leave", path }),
      preview: async () => undefined,
      notices: { of: () => undefined, kept: () => undefined },
    });
    this.outbox.start();
    for (const line of this.lines) line.start();
  }

  address(chatId: string) {
    return { platform: "paper", account: "main", chatType: "dm", chatId };
  }

  async owe(parts: string[], chatId = "1"): Promise<void> {
    const address = this.address(chatId);
    await this.scene.store.oweDelivery({ platform: "paper", address, parts, nowMs: this.scene.clock.nowMs() });
    this.outbox.poke();
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.scene.clock.advance(Math.min(500, left));
      for (let i = 0; i < 20; i++) await breath();
    }
  }

  #counting(): SessionStore {
    const { store } = this.scene;
    const counted = VERBS.map((verb) => {
      const act = store[verb] as (args: unknown) => Promise<unknown>;
      const count = (args: unknown): Promise<unknown> => {
        this.asked.set(verb, (this.asked.get(verb) ?? 0) + 1);
        return act.call(store, args);
      };
      return [verb, count] as const;
    });
    return { ...store, ...(Object.fromEntries(counted) as object) };
  }
}

const opened: Scene[] = [];
afterEach(async () => {
  for (const at of opened.splice(0)) {
    await Promise.race([at.outbox.stop(0), breath()]);
    for (const line of at.lines) await Promise.race([line.stop(), breath()]);
    at.scene.remove();
  }
});

async function open(): Promise<Scene> {
  const at = new Scene();
  opened.push(at);
  await at.pass(1_000);
  at.asked.clear();
  return at;
}

describe("the outbox asks the store", () => {
  it("for each line once about a message, and once to keep what became of it", async () => {
    const at = await open();
    await at.owe(["one"]);
    await at.pass(1_000);
    expect(at.papers.paper.shown()).toEqual(["one"]);
    expect(Object.fromEntries(at.asked)).toEqual({ claimDeliveries: 2, settleDelivery: 1 });
  });

  it("[CT-3] again when a line goes on behind what was sent, though nobody says so", async () => {
    const at = await open();
    await at.owe(["one", "two", "three"]);
    await at.pass(500);
    expect(at.papers.paper.shown()).toEqual(["one", "two", "three"]);
  });

  it("[CT-3] again when a place is free, for what found none", async () => {
    const at = await open();
    const count = SENDS_AT_ONCE + 20;
    const ends: (() => void)[] = [];
    const held = (): Promise<{ kind: "sent"; receipt: string }> =>
      new Promise((resolve) => void ends.push(() => resolve({ kind: "sent", receipt: "r" })));
    for (let i = 0; i < count; i++) {
      at.papers.paper.fates.push(held);
      await at.owe(["one"], `${i}`);
    }
    await at.pass(1_000);
    // The line that has nothing to do keeps its few places.
    expect(at.papers.paper.attempts.length).toBeGreaterThan(SENDS_AT_ONCE - 5);
    expect(at.papers.paper.attempts.length).toBeLessThanOrEqual(SENDS_AT_ONCE);
    for (let ended = 0; ended < count; ended++) {
      ends[ended]?.();
      for (let i = 0; i < 20; i++) await breath();
    }
    expect(at.papers.paper.attempts).toHaveLength(count);
  });

  it("[CT-4] what a line lost sight of while it was down, as soon as it is back", async () => {
    const at = await open();
    const { paper } = at.papers;
    paper.fates.push(async () => {
      paper.receiver?.down("cut");
      return { kind: "unknown", why: "cut" };
    });
    await at.owe(["one"]);
    await at.pass(1_000);
    expect(paper.shown()).toEqual([]);
    paper.receiver?.up();
    await at.pass(500);
    expect(paper.shown()).toEqual(["one"]);
  });

  it("[CT-4] now and then about all that is unknown, whoever left it so", async () => {
    const at = await open();
    const { store, clock } = at.scene;
    const now = { nowMs: clock.nowMs() };
    await store.oweDelivery({ platform: "paper", address: at.address("1"), parts: ["one"], ...now });
    const [due] = await store.claimDeliveries({ host: HOST, limit: 1, ...now });
    if (due !== undefined) await store.settleDelivery({ id: due.id, event: { type: "lost-sight" }, ...now });
    await at.pass(31_000);
    expect(at.papers.paper.shown()).toEqual(["one"]);
  });
});
