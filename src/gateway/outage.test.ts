/** A store that is away for a while, at any step of a message: it is answered all the same, once. */
import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import { RECOVERY_ATTEMPTS_MAX } from "#runtime/recovery.js";
import type { SessionStore, VerbName } from "#session/store.js";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import type { PaperPlatform } from "../../test/support/paper-platform.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

const VERBS = [
  "arrival",
  "admit",
  "claim",
  "tipHistory",
  "settle",
  "claimDeliveries",
  "settleDelivery",
  "deliveryDue",
] as const satisfies readonly VerbName[];

/** As many as deaths set a conversation aside: an outage is none. */
const OUTAGES = RECOVERY_ATTEMPTS_MAX;

/** As platforms do: what could not be kept is given again. */
async function given(paper: PaperPlatform, text: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await paper.hear(text, { eventId: "e1" });
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

describe("a message", () => {
  it.each(VERBS)("[CT-1] [CT-3] [CT-4] [CT-7] [CT-9] is answered once when the store is away in %s", async (verb) => {
    const away = { outages: 0, isAway: false };
    const at = new GatewayScene({
      models: [scriptedModel(async () => ({ text: "answer" }))],
      wrap: (store) => failing(store, verb, away),
    });
    scenes.push(at);
    await at.up();
    away.isAway = true;
    await given(at.paper, "hello");
    await at.shows(["answer"]);
    await at.pass(60_000);
    expect(away.outages).toBe(OUTAGES);
    expect(at.paper.shown()).toEqual(["answer"]);
    expect(at.paper.attempts).toHaveLength(1);
    expect((await at.scene.store.outboxStanding({ limit: 1 })).open).toEqual([]);
  });
});

describe("a turn", () => {
  it.each(["claim", "settle"] as const)(
    "[CT-7] ends within a minute of an outage however long, that began in %s",
    async (verb) => {
      let isAway = false;
      let outages = 0;
      const lost = async (): Promise<never> => {
        outages++;
        throw new OperationalError("disk-full", "after-delay", "the disk is full");
      };
      const at = new GatewayScene({
        models: [scriptedModel(async () => ({ text: "answer" }))],
        wrap: (store) => ({
          ...store,
          claim: (args) => (isAway && verb === "claim" ? lost() : store.claim(args)),
          takeOver: (args) => (isAway ? lost() : store.takeOver(args)),
          settle: (args) => (isAway ? lost() : store.settle(args)),
        }),
      });
      scenes.push(at);
      await at.up();
      isAway = true;
      await at.paper.hear("hello");
      await at.pass(600_000);
      expect(at.paper.shown()).toEqual([]);
      expect(outages).toBeGreaterThan(10);
      isAway = false;
      await at.pass(60_000);
      expect(at.paper.shown()).toEqual(["answer"]);
    },
  );
});

function failing(
  store: SessionStore,
  verb: VerbName,
  away: { outages: number; readonly isAway: boolean },
): SessionStore {
  const act = store[verb] as (args: unknown) => Promise<unknown>;
  const failing = async (args: unknown): Promise<unknown> => {
    if (!away.isAway || away.outages >= OUTAGES) return act(args);
    away.outages++;
    throw new OperationalError("busy", "after-delay", "the store is away");
  };
  return { ...store, [verb]: failing };
}
