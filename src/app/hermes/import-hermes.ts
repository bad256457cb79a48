/**
 * `talaria import hermes`: years of another program's history, with its ids, times, tool calls and lineage. The
 * source is only read [IM-1]; a second run adds what is new [IM-2]; nothing is dropped silently [IM-3].
 */
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import type { ResetPolicy } from "#session/reset-policy.js";
import type { SessionStore } from "#session/store.js";
import { dryTarget, storeTarget, type Target } from "../transfer/target.js";
import { importRoutes } from "./import-routes.js";
import { importSession } from "./import-session.js";
import { makePlan, type Plan } from "./plan.js";
import { createLedger, type Ledger, type Odd, type Tally } from "./report.js";
import { type RouteIndex, readRoutes } from "./routes.js";
import { readSettings, type SettingsFound } from "./settings.js";
import { type HermesSource, openHermes, SCHEMA_KNOWN_MAX } from "./source.js";

export interface HermesOptions {
  readonly dir: string;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What newly imported routes follow from now on. */
  readonly policy: ResetPolicy;
  /** A folder of ours for a private copy, where one is needed. */
  readonly scratch: string;
  /** Where the full list of oddities goes. */
  readonly reportFile?: string;
  readonly isDryRun: boolean;
  onProgress(done: number, total: number): void;
}

export interface HermesReport {
  readonly dir: string;
  readonly schema: number | null;
  readonly isNewerSchema: boolean;
  readonly isDryRun: boolean;
  readonly sessions: Tally;
  readonly messages: Tally;
  readonly routes: Tally;
  /** [LS-13] Abandoned continuations that were marked as ended. */
  readonly orphansFinished: number;
  readonly odd: readonly Odd[];
  readonly settings: SettingsFound;
  /** Why no routes were taken, when their file is damaged [RI-18]. */
  readonly routesRefused?: string;
  readonly reportFile?: string;
}

const READY_PER_PAGE = 200;
const ORPHANS_PER_ACT = 1_000;

export async function importHermes(options: HermesOptions): Promise<HermesReport> {
  const { dir, store, clock, signal, scratch, isDryRun } = options;
  const source = openHermes(dir, scratch, clock);
  const ledger = createLedger(isDryRun ? undefined : options.reportFile);
  try {
    const target = isDryRun ? dryTarget(store, signal) : storeTarget(store, clock, signal);
    const index = readRoutes(source, join(dir, "sessions", "sessions.json"));
    const plan = makePlan(source, new Set(index.routes.map((route) => route.session)), ledger);
    await importSessions(options, { source, target, ledger, plan, index });
    await importRoutes(options.policy, { target, ledger, plan, index });
    reportRest(source, ledger);
    const orphansFinished = isDryRun ? 0 : await finishOrphans(store, clock);
    return { ...summary(options, source, ledger, index), orphansFinished, ...(await closed(ledger)) };
  } finally {
    await ledger.close();
    source.close();
  }
}

interface Work {
  readonly source: HermesSource;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly plan: Plan;
  readonly index: RouteIndex;
}

async function importSessions(options: HermesOptions, work: Work): Promise<void> {
  const { source, target, ledger, plan, index } = work;
  const goals = new Map(source.goals().map(({ session, goal }) => [session, goal]));
  for (const session of goals.keys())
    if (!plan.has(session)) ledger.odd("goal-without-session", session, goals.get(session));
  const finalized = new Map(
    index.routes.flatMap((route) => (route.isExpired ? [[route.session, route.usedMs] as const] : [])),
  );
  const total = source.counts().messages;
  let done = 0;
  const context = {
    source,
    target,
    ledger,
    nowMs: options.clock.nowMs(),
    extrasOf: (id: string) => ({
      ...(goals.has(id) && { goal: goals.get(id) as string }),
      ...(finalized.has(id) && { finalizedMs: finalized.get(id) as number }),
    }),
    onMessages: (count: number): void => {
      done += count;
      options.onProgress(done, total);
    },
  };
  for (;;) {
    const ready = plan.ready(READY_PER_PAGE);
    const rows = ready.length > 0 ? ready : [plan.cutCycle()].filter((row) => row !== undefined);
    if (rows.length === 0) return;
    const known = await Promise.all(rows.map((row) => target.cursor(row.id)));
    const parents = await Promise.all(rows.map((row) => (row.parent === null ? null : target.cursor(row.parent))));
    for (const [at, row] of rows.entries()) await importSession(context, row, known[at] ?? null, parents[at] ?? null);
    await target.flush();
    plan.done(rows);
  }
}

/** Whatever no session led to, and whatever there is no place for: counted and told. */
function reportRest(source: HermesSource, ledger: Ledger): void {
  const reached = ledger.tally("messages").found;
  const missing = source.counts().messages - reached;
  if (missing > 0) {
    ledger.count("messages", "found", missing);
    ledger.count("messages", "left", missing);
    ledger.odd("not-reached", "messages", `${missing} of ${reached + missing}`, missing);
  }
  for (const [table, count] of Object.entries(source.leftBehind))
    ledger.odd("rows-left-behind", table, undefined, count);
}

async function finishOrphans(store: SessionStore, clock: Clock): Promise<number> {
  let finished = 0;
  for (;;) {
    const page = await store.finishOrphans({ nowMs: clock.nowMs(), limit: ORPHANS_PER_ACT });
    finished += page.finished;
    if (page.finished < ORPHANS_PER_ACT) return finished;
  }
}

function summary(
  { dir, isDryRun }: HermesOptions,
  source: HermesSource,
  ledger: Ledger,
  index: RouteIndex,
): Omit<HermesReport, "orphansFinished" | "reportFile"> {
  return {
    dir,
    schema: source.schema,
    isNewerSchema: source.schema !== null && source.schema > SCHEMA_KNOWN_MAX,
    isDryRun,
    sessions: ledger.tally("sessions"),
    messages: ledger.tally("messages"),
    routes: ledger.tally("routes"),
    odd: ledger.odds(),
    settings: readSettings(join(dir, "config.yaml")),
    ...(index.refused !== undefined && { routesRefused: index.refused }),
  };
}

async function closed(ledger: Ledger): Promise<{ reportFile?: string }> {
  const reportFile = await ledger.close();
  return reportFile === undefined ? {} : { reportFile };
}
