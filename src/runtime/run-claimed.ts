/**
 * One turn under its lease: from the claim, or the takeover of a dead host's turn, to its settled end. Whatever
 * happens in between, the turn ends in one of three ways: settled here, left waiting for a person, or left as it
 * is by a death or a lost lease, for the next host to judge.
 */
import type { Question } from "#agent/glimpse.js";
import { runTurn, type TurnEnd } from "#agent/turn.js";
import { UserError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { TurnOutcome } from "#session/turn.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import { type Costs, createCosts } from "./costs.js";
import type { Engine } from "./engine.js";
import type { Face, TurnReport } from "./face.js";
import { createJournal, type StoreJournal, unfenced } from "./journal.js";
import { outcomeText } from "./outcome-text.js";
import type { TurnModels } from "./parts.js";
import { repliesTo } from "./replies.js";
import { setUpTurn } from "./turn-setup.js";

export interface ClaimedRun {
  readonly claimed: ClaimedTurn;
  readonly face: Face;
  readonly isRecovered: boolean;
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
  /** Of the turn that handed this work on. */
  readonly parentCosts?: Costs | undefined;
}

export async function runClaimed(engine: Engine, run: ClaimedRun): Promise<TurnReport> {
  const { claimed } = run;
  const { store, clock, histories } = engine;
  const { conversation, session, turn, input, text, seq, address } = claimed;
  const { face, isRecovered } = run;
  const to = address === undefined ? {} : { address };
  face.onTurn?.({ conversation, session, turn, input, text, seq, ...to, isRecovered });
  const journal = createJournal({
    store,
    clock,
    claimed,
    histories,
    chat: engine.chat,
    onStored: (stored) => face.onStored?.(stored),
  });
  const costs = createCosts(claimed.spent, run.parentCosts);
  let end: TurnEnd;
  let models: TurnModels | undefined;
  try {
    models = await engine.models(claimed);
    end = await runTurn(await setUpTurn(engine, run, { journal, models, costs }), claimed.steps);
  } catch (error) {
    // What the person has to mend (a missing key, an unknown model) is how this turn ends; the next may be fine.
    if (!(error instanceof UserError)) throw error;
    const message = [error.message, error.hint].filter(Boolean).join(": ");
    end = { kind: "failed", failure: { cause: "rejected", message }, model: "The model", steps: claimed.steps };
  } finally {
    engine.endTurn(claimed.turn);
  }
  const facts = { costs, model: models?.main[0].label ?? claimed.model, journal };
  return end.kind === "parked" ? waiting(engine, run, end.steps, facts) : settle(engine, run, end, facts);
}

interface RunFacts {
  readonly costs: Costs;
  readonly model: string | null;
  readonly journal: StoreJournal;
}

async function waiting(engine: Engine, run: ClaimedRun, steps: number, facts: RunFacts): Promise<TurnReport> {
  const [open] = await engine.store.openTurns({ limit: 1, conversation: run.claimed.conversation });
  const questions = (open?.approvals ?? [])
    .filter(({ answer }) => answer === null)
    .map(({ id, question }) => ({ approval: id, question: question as unknown as Question }));
  return { ...report(run, facts), outcome: "waiting", text: "", steps, questions };
}

type SettledEnd = Exclude<TurnEnd, { kind: "parked" }>;

async function settle(engine: Engine, run: ClaimedRun, end: SettledEnd, facts: RunFacts): Promise<TurnReport> {
  const { claimed } = run;
  const outcome = OUTCOME[end.kind];
  const text = end.kind === "answered" ? end.text : "";
  const notice = outcomeText(end);
  const reason = end.kind === "failed" ? end.failure.message : end.kind === "out-of-budget" ? end.text : undefined;
  const said = text === "" ? notice : text;
  faultPoint("turn.before-settle");
  const settlement = await engine.store.settle({
    turn: claimed.turn,
    epoch: claimed.epoch,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(end.kind === "answered" && text !== "" ? { final: { text, body: end.body } } : {}),
    usage: facts.costs.atEnd(end.kind === "answered" ? end.usage : undefined),
    ...repliesTo(engine, claimed, said),
    nowMs: engine.clock.nowMs(),
  });
  faultPoint("turn.settled");
  if (outcome === "failed")
    engine.log.warn("a turn failed", { conversation: claimed.conversation, model: facts.model, reason });
  // What is shown as finished is stored first: whoever lost the lease has finished nothing, and what a person's act
  // ended meanwhile (it was reset, closed or deleted) stays as that act left it.
  if (unfenced(settlement).kind === "already-settled") {
    return { ...report(run, facts), outcome: "interrupted-by-user", text: "", steps: claimed.steps };
  }
  return {
    ...report(run, facts),
    outcome,
    text,
    ...(notice === undefined ? {} : { notice }),
    ...(reason === undefined ? {} : { reason }),
    steps: "steps" in end ? end.steps : claimed.steps,
  };
}

const OUTCOME: Readonly<Record<SettledEnd["kind"], TurnOutcome>> = {
  answered: "completed",
  failed: "failed",
  "out-of-budget": "failed",
  interrupted: "interrupted-by-user",
};

function report(run: ClaimedRun, { costs, model, journal }: RunFacts) {
  const { conversation, turn } = run.claimed;
  return {
    conversation,
    turn,
    session: journal.session(),
    isRecovered: run.isRecovered,
    isTitled: run.claimed.isTitled,
    spent: costs.total(),
    model,
    questions: [],
  };
}
