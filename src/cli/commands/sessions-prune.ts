/** `talaria sessions prune`: deletes conversations that nobody used for a while. */
import type { IdlePlan, IdleQuery } from "#app/retention.js";
import { UserError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatDateTime, formatPlural, parseSpan } from "../format.js";
import { eraseWithProgress } from "./sessions-delete.js";
import { withReader, withWriter } from "./sessions-store.js";

export interface PruneOptions {
  readonly olderThan: string;
  readonly source?: string;
  readonly includeRouted?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** A shorter age is more likely a slip than a wish; `sessions delete` takes any session. */
const AGE_MS_MIN = 3_600_000;

export async function pruneSessions(context: CliContext, options: PruneOptions): Promise<void> {
  const query = queryOf(options, context.clock.nowMs());
  const { planIdle } = await import("#app/retention.js");
  const plan = await withReader(context, (store) => planIdle(store, query));
  if (!context.out.json) tellPlan(context, plan, options.olderThan);
  if (plan.conversations === 0 || options.dryRun === true) {
    if (context.out.json)
      context.out.document({ ...documentOf(query, plan), deleted: 0, dryRun: options.dryRun === true });
    return;
  }
  const question = `Delete ${formatPlural(plan.conversations, "session")} for good?`;
  if (!(await context.out.confirm(question, { yes: options.yes === true }))) {
    return context.out.note("Nothing was deleted.");
  }
  await withWriter(context, (store) => prune(context, store, query, plan));
}

async function prune(context: CliContext, store: SessionStore, query: IdleQuery, plan: IdlePlan): Promise<void> {
  const { removeIdle } = await import("#app/retention.js");
  const { clock, signal, out } = context;
  const progress = out.progress("Deleting", plan.conversations);
  const result = await removeIdle(store, query, {
    by: "cli prune",
    clock,
    signal,
    onRemoved: (count) => progress.update(count, plan.conversations),
  }).finally(() => progress.finish());
  const isErased = await eraseWithProgress(context, store, result.messages);
  if (out.json) {
    return out.document({ ...documentOf(query, plan), deleted: result.removed, busy: result.busy, erased: isErased });
  }
  out.line(`Deleted ${formatPlural(result.removed, "session")} with ${formatPlural(result.messages, "message")}.`);
  if (result.busy > 0) out.line(`${formatPlural(result.busy, "session")} stayed: a turn is running.`);
}

function queryOf({ olderThan, source, includeRouted }: PruneOptions, nowMs: number): IdleQuery {
  const ageMs = parseSpan(olderThan);
  if (ageMs === undefined || ageMs < AGE_MS_MIN) {
    throw new UserError("--older-than takes a span of at least an hour", "for example 90d, 12w or 1y", EXIT.usage);
  }
  return { beforeMs: nowMs - ageMs, withRouted: includeRouted === true, ...(source === undefined ? {} : { source }) };
}

function tellPlan({ out }: CliContext, plan: IdlePlan, age: string): void {
  if (plan.conversations === 0)
    out.line(`Nothing to delete: no session that may go was last used more than ${age} ago.`);
  else {
    const span = `last used ${formatDateTime(plan.oldestMs ?? 0)} to ${formatDateTime(plan.newestMs ?? 0)}`;
    out.line(`${formatPlural(plan.conversations, "session")} with ${formatPlural(plan.messages, "message")}, ${span}.`);
  }
  if (plan.routed > 0) {
    out.line(`Not counted: ${formatPlural(plan.routed, "session")} a chat leads to (--include-routed).`);
  }
}

function documentOf(query: IdleQuery, plan: IdlePlan): Readonly<Record<string, unknown>> {
  const iso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
  return {
    before: iso(query.beforeMs),
    matching: plan.conversations,
    messages: plan.messages,
    oldest: iso(plan.oldestMs),
    newest: iso(plan.newestMs),
    spared: { routed: plan.routed },
  };
}
