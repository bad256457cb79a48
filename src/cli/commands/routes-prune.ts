/** `talaria routes prune`: forgets routes in one write and has the mirror written before it returns [RI-17]. */
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { formatPlural } from "../format.js";
import { withReader, withWriter } from "./sessions-store.js";

export interface RoutesPruneOptions {
  readonly olderThan?: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** More than anybody has; the rest would go with the next prune. */
export const ROUTES_PRUNED_MAX = 200_000;
const KEYS_SHOWN = 10;

export async function pruneRoutes(context: CliContext, options: RoutesPruneOptions): Promise<void> {
  const { out } = context;
  const days = options.olderThan ?? (await context.config()).values.gateway.session_store_max_age_days;
  if (days === 0) {
    if (out.json) return out.document(documentOf(days, [], options));
    return out.line("Pruning is off (0 days); nothing was changed.");
  }
  // [RI-8] Looked at without writing first: when nothing is removable, nothing is even opened for writing.
  const stale = await withReader(context, (store) => prune(context, store, days, true));
  if (stale.length === 0 || options.dryRun === true) {
    if (out.json) return out.document(documentOf(days, stale, { ...options, dryRun: true }));
    if (stale.length === 0) return out.line(`No route is unused for more than ${formatPlural(days, "day")}.`);
    showKeys(context, stale);
    return out.line(`Would forget ${formatPlural(stale.length, "route")}; nothing was changed.`);
  }
  if (!out.json) showKeys(context, stale);
  const question = `Forget ${formatPlural(stale.length, "route")}? No session is deleted.`;
  if (!(await out.confirm(question, { yes: options.yes === true }))) return out.note("Nothing was changed.");
  const pruned = await withWriter(context, (store) => prune(context, store, days, false));
  if (out.json) return out.document(documentOf(days, pruned, options));
  out.line(`Forgot ${formatPlural(pruned.length, "route")}.`);
}

/** [RI-9] One operation, one transaction, however many routes go. */
async function prune(
  context: CliContext,
  store: SessionStore,
  maxAgeDays: number,
  isDryRun: boolean,
): Promise<readonly string[]> {
  const nowMs = context.clock.nowMs();
  // Background processes live in a host, and a host holds the lock: here none can be running.
  const { pruned } = await store.pruneRoutes({ maxAgeDays, liveKeys: [], limit: ROUTES_PRUNED_MAX, isDryRun, nowMs });
  return pruned;
}

function showKeys({ out }: CliContext, keys: readonly string[]): void {
  out.table([{ title: "KEY", value: (key: string) => key, flexible: true }], keys.slice(0, KEYS_SHOWN));
  if (keys.length > KEYS_SHOWN) out.line(`… and ${keys.length - KEYS_SHOWN} more`);
}

function documentOf(days: number, keys: readonly string[], { dryRun }: RoutesPruneOptions) {
  return dryRun === true ? { days, wouldPrune: keys } : { days, pruned: keys };
}
