/** The steps of a stop over a real store and real conversations, each of them broken in turn; the clock is the test's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConversationId, HostId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import { CommandScene } from "../../../test/support/command-scene.js";
import type { EndRecord } from "./crash-record.js";
import { STOP_LIMIT_MS, type StoppingParts, stopHost } from "./stop-host.js";

const OPENINGS = 450;
const STEPS = [
  ["shutDoors", "doors"],
  ["stop", "drain"],
  ["endPlatforms", "platforms"],
  ["closeDoors", "port"],
  ["endHost", "turns"],
  ["endProcesses", "processes"],
  ["closeOpenings", "openings"],
  ["endClients", "clients"],
  ["deliverHooks", "hooks"],
  ["settleUpkeep", "upkeep"],
  ["close", "store"],
  ["noteEnd", "record"],
] as const;
type Act = (typeof STEPS)[number][0];
interface Broken {
  readonly act: Act;
  readonly how: "fails" | "hangs";
}

let scene: CommandScene;
let done: Act[];
beforeEach(() => {
  scene = new CommandScene([{ text: "Answered." }]);
  done = [];
});
afterEach(() => {
  expect(scene.bugs).toEqual([]);
  scene.remove();
});

describe("a host that stops", () => {
  it("[FQ-9] closes every opening, however many there are", async () => {
    const opened = await Promise.all(Array.from({ length: OPENINGS }, () => scene.say("hello")));
    const { report } = await stopped();
    expect(report).toMatchObject({ openings: OPENINGS, troubles: [] });
    expect(await reasonsOf(opened)).toEqual(new Set(["shutdown"]));
  });

  it.each(STEPS)("[FQ-8] does everything else when this fails: %s", async (act, step) => {
    const conversation = await scene.exchange("hello");
    const { report } = await stopped({ act, how: "fails" });
    expect(new Set(done)).toEqual(new Set(STEPS.map(([one]) => one)));
    // What was noted cannot tell that it could not be noted.
    if (act !== "noteEnd") expect(report.troubles).toEqual([`${step}: broken`]);
    if (act !== "closeOpenings") expect(await reasonsOf([conversation])).toEqual(new Set(["shutdown"]));
  });

  it.each(STEPS)("[FQ-8] [FQ-9] does everything else in its time when this never ends: %s", async (act, step) => {
    const conversation = await scene.exchange("hello");
    const { report, tookMs } = await stopped({ act, how: "hangs" });
    expect(new Set(done)).toEqual(new Set(STEPS.map(([one]) => one)));
    expect(tookMs).toBeLessThanOrEqual(STOP_LIMIT_MS);
    if (act !== "noteEnd") expect(report.troubles).toEqual([expect.stringMatching(`^${step}: given up after`)]);
    if (act !== "closeOpenings") expect(await reasonsOf([conversation])).toEqual(new Set(["shutdown"]));
  });
});

/** How it went, and what it took by the clock. */
async function stopped(broken?: Broken): Promise<{ readonly report: EndRecord; readonly tookMs: number }> {
  const { clock } = scene;
  const startedMs = clock.monotonicMs();
  const tookMs = (): number => clock.monotonicMs() - startedMs;
  let isOver = false;
  const ended = stopHost(partsOf(broken), { reason: "stop", drainMs: 0 }).finally(() => {
    isOver = true;
  });
  while (!isOver && tookMs() < 2 * STOP_LIMIT_MS) {
    for (let i = 0; i < 50 && !isOver; i++) await new Promise((next) => setImmediate(next));
    if (!isOver) clock.advance(100);
  }
  if (!isOver) throw new Error(`it has not ended; done is ${done.join(", ")}`);
  return { report: await ended, tookMs: tookMs() };
}

function partsOf(broken: Broken | undefined): StoppingParts {
  const { clock, live, store } = scene;
  /** Notes that it was asked for; what is broken does nothing. */
  const noted =
    <T>(act: Act, work: () => Promise<T>) =>
    async (): Promise<T> => {
      done.push(act);
      if (broken?.act !== act) return work();
      if (broken.how === "fails") throw new Error("broken");
      return new Promise<never>(() => undefined);
    };
  const nothing = async (): Promise<void> => undefined;
  const storeUnder: SessionStore = {
    ...store,
    endHost: (args) => noted("endHost", () => store.endHost(args))(),
    closeOpenings: (args) => noted("closeOpenings", () => store.closeOpenings(args))(),
    close: noted("close", () => store.close()),
  };
  return {
    clock,
    log: createLogger({ path: "/dev/null", clock }),
    live: { ...live, stop: (drainMs) => noted("stop", () => live.stop(drainMs))() },
    store: storeUnder,
    host: "host-1" as HostId,
    hurry: new AbortController().signal,
    shutDoors: noted("shutDoors", nothing),
    endPlatforms: noted("endPlatforms", nothing),
    closeDoors: noted("closeDoors", nothing),
    endClients: noted("endClients", nothing),
    endProcesses: noted("endProcesses", nothing),
    deliverHooks: noted("deliverHooks", nothing),
    settleUpkeep: noted("settleUpkeep", nothing),
    noteEnd: noted("noteEnd", nothing),
  };
}

/** Why they ended, as the next host sees it. */
async function reasonsOf(conversations: readonly ConversationId[]): Promise<ReadonlySet<unknown>> {
  const { store } = scene.restart();
  const cards = await Promise.all(conversations.map((conversation) => store.show({ conversation })));
  await store.close();
  return new Set(cards.map((card) => card?.endReason));
}
