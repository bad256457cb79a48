/** Brings the routes in. One that exists here is left alone: it may have moved on [IM-2]. */
import type { ResetPolicy } from "#session/reset-policy.js";
import type { Target } from "../transfer/target.js";
import type { Plan } from "./plan.js";
import type { Ledger } from "./report.js";
import type { RouteIndex } from "./routes.js";

export interface RoutesWork {
  readonly target: Target;
  readonly ledger: Ledger;
  readonly plan: Plan;
  readonly index: RouteIndex;
}

/** Routes come after all sessions, so that each finds the conversation it leads to. */
export async function importRoutes(policy: ResetPolicy, { target, ledger, plan, index }: RoutesWork): Promise<void> {
  ledger.count("routes", "found", index.routes.length + index.bad.length);
  ledger.count("routes", "left", index.bad.length);
  for (const { key, why } of index.bad) ledger.odd("bad-route", key, why);
  const taken = new Map<string, string>();
  for (const { fileKey, ...route } of index.routes) {
    const first = taken.get(route.key);
    if (first !== undefined) {
      ledger.count("routes", "left");
      ledger.odd("same-route-twice", fileKey, `the same chat as ${first}`);
      continue;
    }
    taken.set(route.key, fileKey);
    await target.add({
      verb: "importRoute",
      args: { ...route, session: plan.storedId(route.session), policy },
      weight: 500,
      done: ({ kind }) => {
        if (kind === "no-session") ledger.odd("route-without-session", fileKey, route.session);
        ledger.count("routes", kind === "added" ? "added" : kind === "kept-ours" ? "known" : "left");
      },
      refused: (why) => {
        ledger.count("routes", "left");
        ledger.odd("not-stored", fileKey, why);
      },
    });
  }
  await target.flush();
}
