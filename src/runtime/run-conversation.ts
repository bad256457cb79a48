/**
 * Everything a conversation has to do, one turn after the other: first what a death left open, then what is
 * queued, until nothing is left, a person is needed, or the person interrupts. Only this file claims and judges.
 */
import type { Question } from "#agent/glimpse.js";
import { faultPoint } from "#base/fault.js";
import { NO_HOST } from "#session/turn.js";
import type { Claim, ClaimedTurn, OpenTurn } from "#session/verbs/turns.js";
import type { ConversationRun, Engine } from "./engine.js";
import type { TurnReport } from "./face.js";
import { judge, RECOVERY_ATTEMPTS_MAX } from "./recovery.js";
import { repliesTo } from "./replies.js";
import { runClaimed } from "./run-claimed.js";

export async function runConversation(engine: Engine, run: ConversationRun): Promise<readonly TurnReport[]> {
  const reports: TurnReport[] = [];
  const take = (report: TurnReport): void => {
    reports.push(report);
    run.face.onReport?.(report);
  };
  const goesOn = (): boolean =>
    !run.signal.aborted && reports.at(-1)?.outcome !== "waiting" && run.face.takesMore?.() !== false;
  for (;;) {
    const claim = goesOn() ? await claimNext(engine, run) : undefined;
    if (claim?.kind === "claimed") {
      const { face, signal, costs: parentCosts } = run;
      take(await runClaimed(engine, { claimed: claim, face, signal, parentCosts, isRecovered: false }));
      continue;
    }
    if (claim?.kind === "idle" || reports.length > 0) return reports;
    // A claim that finds a turn open takes nothing; whoever takes nothing more ends what is open all the same.
    const [open] = await engine.store.openTurns({ limit: 1, conversation: run.conversation });
    if (open === undefined) return reports;
    take(await recover(engine, run, open));
  }
}

async function claimNext({ store, host, clock }: Engine, { conversation }: ConversationRun): Promise<Claim> {
  faultPoint("run.before-claim");
  const claim = await store.claim({ conversation, host, nowMs: clock.nowMs() });
  if (claim.kind === "claimed") faultPoint("turn.claimed");
  return claim;
}

async function recover(engine: Engine, run: ConversationRun, open: OpenTurn): Promise<TurnReport> {
  const { face, signal } = run;
  const verdict = judge(
    { phase: open.phase, attempts: deaths(engine, open), lastMs: await lastActivityMs(engine, open) },
    { nowMs: engine.clock.nowMs(), byPerson: face.isAsked },
  );
  if (verdict === "wait" && face.ask === undefined) return asWaiting(open);
  const taken = await engine.store.takeOver({ turn: open.turn, host: engine.host, nowMs: engine.clock.nowMs() });
  faultPoint("recover.taken-over");
  // Between the look and the takeover nobody else writes: the home's lock is ours.
  if (taken.kind !== "taken") return asWaiting(open);
  engine.log.info("took over a turn", {
    conversation: open.conversation,
    turn: open.turn,
    verdict,
    attempts: taken.attempts,
  });
  if (verdict === "continue" || verdict === "wait") {
    // A turn that only waited was never cut.
    const isRecovered = verdict === "continue";
    return runClaimed(engine, { claimed: taken, face, signal, parentCosts: run.costs, isRecovered });
  }
  return close(engine, taken, verdict);
}

/** An attempt that its host let go of in order took no process down, and whoever judges one of its own has outlived all. */
function deaths(engine: Engine, { attempts, host }: OpenTurn): number {
  if (host === engine.host) return 0;
  return host === NO_HOST ? attempts - 1 : attempts;
}

/** The newest fact of the turn; the clock of its start alone would call every long turn old. */
async function lastActivityMs(engine: Engine, open: OpenTurn): Promise<number> {
  const { messages } = await engine.histories.read(open.conversation);
  return Math.max(open.startedMs, messages.at(-1)?.atMs ?? 0);
}

async function close(engine: Engine, taken: ClaimedTurn, verdict: "leave" | "set-aside"): Promise<TurnReport> {
  const { conversation, turn, epoch } = taken;
  const notice = CLOSED_TEXT[verdict];
  if (verdict === "set-aside") await engine.store.suspendRoutes({ conversation, reason: "crashed" });
  faultPoint("recover.before-close");
  await engine.store.settle({
    turn,
    epoch,
    outcome: "interrupted-by-crash",
    reason: notice,
    ...repliesTo(engine, taken, notice),
    nowMs: engine.clock.nowMs(),
  });
  return {
    ...asReport(taken),
    outcome: "interrupted-by-crash",
    notice,
    reason: notice,
  };
}

const CLOSED_TEXT: Readonly<Record<"leave" | "set-aside", string>> = {
  leave:
    "The last turn was interrupted more than an hour ago and was not continued by itself. " +
    "Everything up to then is kept; say “continue” to go on from there.",
  "set-aside":
    `The last turn ended the program ${RECOVERY_ATTEMPTS_MAX} times and was set aside. ` +
    "Everything up to then is kept; /resume goes on in this conversation (say “continue”), /new starts another.",
};

function asReport(turn: Pick<ClaimedTurn, "conversation" | "session" | "turn"> & Partial<ClaimedTurn>) {
  const { conversation, session } = turn;
  return {
    conversation,
    session,
    turn: turn.turn,
    text: "",
    model: turn.model ?? null,
    steps: turn.steps ?? 0,
    spent: turn.spent ?? { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0 },
    isRecovered: true,
    isTitled: turn.isTitled ?? false,
    questions: [],
  };
}

function asWaiting(open: OpenTurn): TurnReport {
  const questions = open.approvals
    .filter(({ answer }) => answer === null)
    .map(({ id, question }) => ({ approval: id, question: question as unknown as Question }));
  return { ...asReport(open), outcome: "waiting", questions };
}
