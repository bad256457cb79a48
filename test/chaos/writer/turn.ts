/** A turn as the agent runs it: drafts, steps with their calls, results, and a settlement with a reply in parts. */
import type { ToolCallId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import type { CallOutcome, Effect } from "#session/tool-call.js";
import type { TurnPass } from "#session/verbs/turns.js";
import type { Random } from "../random.js";
import { PLATFORM } from "./chat.js";
import type { World } from "./world.js";

export interface Running {
  readonly pass: TurnPass;
  readonly address: Address;
  readonly random: Random;
}

const HASH_CHARS = 64;

export async function runTurn(world: World, running: Running): Promise<void> {
  const { random } = running;
  for (let step = random.int(0, 2); step > 0; step--) await runStep(world, running);
  if (random.chance(0.4)) await draft(world, running);
  await settle(world, running);
}

async function runStep(world: World, running: Running): Promise<void> {
  const { random } = running;
  const { turn, epoch } = running.pass;
  if (random.chance(0.3)) await draft(world, running);
  const calls = Array.from({ length: random.int(0, 3) }, (_, index) => ({
    callId: `call_${index}`,
    name: "look",
    effect: random.pick<Effect>(["read-only", "idempotent", "at-most-once"]),
    argsHash: String(index).padStart(HASH_CHARS, "0"),
    isStarted: random.chance(0.5),
  }));
  const step = await world.store.recordStep({
    turn,
    epoch,
    text: `step ${random.seed()}`,
    body: { chaos: { calls: calls.length } },
    calls,
    usage: { inputTokens: 7, outputTokens: 3 },
    nowMs: world.clock.nowMs(),
  });
  if (step.kind === "fenced") return fencedOff(world, "recordStep");
  const waiting = step.calls.filter((call) => call.state === "recorded").map((call) => call.id);
  if (waiting.length > 0) {
    const started = await world.store.startCalls({ turn, epoch, calls: waiting, nowMs: world.clock.nowMs() });
    if (started.kind !== "started") world.broken("other", `fresh calls were not started: ${started.kind}`);
  }
  await Promise.all(step.calls.map((call) => finish(world, running, call.id, random.pick(["ok", "ok", "error"]))));
  if (random.chance(0.3)) await world.store.takeSteers({ turn, epoch, nowMs: world.clock.nowMs() });
}

export async function finish(world: World, running: Running, call: ToolCallId, outcome: CallOutcome): Promise<void> {
  const { turn, epoch } = running.pass;
  const result = { role: "tool", text: `result of ${call}` } as const;
  const answer = await world.store.finishCall({ turn, epoch, call, outcome, result, nowMs: world.clock.nowMs() });
  if (answer.kind !== "finished") world.broken("other", `a call was not finished: ${answer.kind}`);
}

async function draft(world: World, { pass, random }: Running): Promise<void> {
  const { turn, epoch } = pass;
  const saved = await world.store.saveDraft({ turn, epoch, text: `draft ${random.seed()}` });
  if (saved.kind === "fenced") fencedOff(world, "saveDraft");
}

async function settle(world: World, { pass, address, random }: Running): Promise<void> {
  const { turn, epoch } = pass;
  const place = { turn, epoch, nowMs: world.clock.nowMs() };
  const parts = Array.from({ length: random.int(1, 4) }, (_, index) => `part ${index + 1} of ${turn}`);
  const settled = random.chance(0.1)
    ? await world.store.settle({ ...place, outcome: "failed", reason: "the model gave up" })
    : await world.store.settle({
        ...place,
        outcome: "completed",
        final: { text: `answer of ${turn}`, body: { chaos: { parts: parts.length } } },
        usage: { inputTokens: 11, outputTokens: 5, costMicros: 2 },
        replies: [{ platform: PLATFORM, address, parts }],
      });
  if (settled.kind !== "settled") world.broken("other", `a running turn did not settle: ${settled.kind}`);
}

function fencedOff(world: World, verb: string): void {
  world.broken("other", `${verb} was fenced off its own turn`);
}
