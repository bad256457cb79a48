/** Verbs of the routing index: expiry, pruning, suspension and the rows the mirror is written from. */
import type { ConversationId, SessionId } from "#base/ids.js";
import type { Address } from "../address.js";
import type { ResetPolicy } from "../reset-policy.js";

export interface Route {
  readonly key: string;
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly platform: string;
  readonly chatType: string;
  readonly name: string | null;
  readonly origin: Address | null;
  readonly policy: ResetPolicy;
  readonly createdMs: number;
  readonly usedMs: number;
  readonly expiresMs: number | null;
  /** When the watcher swept it; its next message begins a new conversation. */
  readonly expiredMs: number | null;
  readonly suspendedReason: string | null;
  readonly resumeReason: string | null;
  readonly title: string | null;
}

export interface RouteVerbs {
  /** The route of a key, or null. */
  route(args: { readonly key: string }): Route | null;
  /** Routes after `afterKey` in key order, at most `limit`. */
  routes(args: { readonly afterKey?: string; readonly limit: number; readonly platform?: string }): readonly Route[];
  /** Grows whenever the mirror would show something else. */
  routeVersion(args: Record<never, never>): number;
  /** [BH-7] [BH-8] [BH-10] Closes openings of routes past their deadline; one in mid-turn is left for later. */
  sweepExpired(args: {
    readonly nowMs: number;
    readonly limit: number;
    /** Conversations with a live background process: they are looked at again later. */
    readonly inUse?: readonly ConversationId[];
  }): {
    readonly swept: readonly string[];
    readonly postponed: number;
  };
  /** [RI-1 … RI-10] Forgets routes unused for `maxAgeDays`; never a transcript. */
  pruneRoutes(args: {
    readonly maxAgeDays: number;
    /** Session keys with a live background process [RI-6]. */
    readonly liveKeys: readonly string[];
    readonly limit: number;
    readonly isDryRun?: boolean;
    readonly nowMs: number;
  }): { readonly pruned: readonly string[] };
  suspendRoutes(args: { readonly conversation: ConversationId; readonly reason: string | null }): {
    readonly changed: number;
  };
}
