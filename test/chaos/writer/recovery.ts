/**
 * What a host does after a death: it takes every open turn over under a new epoch, the attempt counted first, and
 * goes on from the last committed fact; what was being sent is unknown and goes out once more, marked. Before it
 * goes on, it plays the dead host that is not quite dead: nothing written under the old epoch may go in [ST-8].
 */
import type { OpenTurn, TurnPass } from "#session/verbs/turns.js";
import { seededRandom } from "../random.js";
import { addressOf } from "./chat.js";
import { finish, type Running, runTurn } from "./turn.js";
import type { World } from "./world.js";

/** A turn that died this often is not tried again. */
const ATTEMPTS_MAX = 3;
const OPEN_MAX = 1_000;

export async function recover(world: World): Promise<void> {
  const open = await world.store.openTurns({ limit: OPEN_MAX });
  await Promise.all([...open.map((turn) => takeOver(world, turn)), recoverOutbox(world)]);
}

async function recoverOutbox(world: World): Promise<void> {
  const { store, host, clock } = world;
  await store.recoverOutbox({ host, limit: OPEN_MAX, nowMs: clock.nowMs() });
  const unknown = await store.unknownDeliveries({ limit: OPEN_MAX });
  for (const { id } of unknown) {
    const event = { type: "send-marked-copy", dueMs: clock.nowMs() } as const;
    await store.settleDelivery({ id, event, nowMs: clock.nowMs() });
  }
}

async function takeOver(world: World, open: OpenTurn): Promise<void> {
  const random = seededRandom(world.random.seed());
  const taken = await world.store.takeOver({ turn: open.turn, host: world.host, nowMs: world.clock.nowMs() });
  if (taken.kind !== "taken") return world.broken("wedged", `an open turn could not be taken over: ${taken.kind}`);
  if (taken.attempts !== open.attempts + 1) world.broken("other", "a take-over did not count its attempt");
  if (random.chance(0.5)) await haunt(world, open);
  if (taken.attempts > ATTEMPTS_MAX) return await giveUp(world, taken);
  const running: Running = { pass: taken, address: taken.address ?? addressOf(0), random };
  for (const call of open.calls) await finishOpenCall(world, running, call);
  await runTurn(world, running);
}

/** The old host wakes up and tries to go on. */
async function haunt(world: World, { turn, epoch, calls }: OpenTurn): Promise<void> {
  const { store, clock } = world;
  const nowMs = clock.nowMs();
  const stale: TurnPass = { turn, epoch };
  const result = { role: "tool", text: "a ghost's result" } as const;
  const acts = [
    () => store.saveDraft({ ...stale, text: "a ghost's draft" }),
    () => store.recordStep({ ...stale, text: "a ghost's step", calls: [], nowMs }),
    ...calls.slice(0, 1).map(
      ({ id }) =>
        () =>
          store.finishCall({ ...stale, call: id, outcome: "ok", result, nowMs }),
    ),
    () => store.settle({ ...stale, outcome: "completed", final: { text: "a ghost's answer" }, nowMs }),
  ];
  for (const act of acts) {
    const { kind } = await act();
    if (kind !== "fenced") world.broken("duplicate", `a writer with a stale epoch was answered ${kind}`);
  }
}

async function giveUp(world: World, { turn, epoch }: TurnPass): Promise<void> {
  await world.store.settle({ turn, epoch, outcome: "interrupted-by-crash", nowMs: world.clock.nowMs() });
}

/** Runs it again where its effect allows; an at-most-once call that had started is answered as unknown. */
async function finishOpenCall(world: World, running: Running, call: OpenTurn["calls"][number]): Promise<void> {
  const { turn, epoch } = running.pass;
  const started = await world.store.startCalls({ turn, epoch, calls: [call.id], nowMs: world.clock.nowMs() });
  const mayRun = call.phase === "recorded" || call.effect !== "at-most-once";
  if (mayRun !== (started.kind === "started"))
    world.broken("duplicate", `a ${call.phase} ${call.effect} call was answered ${started.kind}`);
  await finish(world, running, call.id, mayRun ? "ok" : "unknown");
}
