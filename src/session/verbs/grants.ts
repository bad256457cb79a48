/** Verbs of standing permissions and of what was spent: what a turn asks before it acts. */
import type { ConversationId } from "#base/ids.js";
import type { Grant } from "../approval.js";
import type { Spent } from "./turns.js";

export interface GrantVerbs {
  /** With a conversation: what holds there, its owner's `always` included. Without: every grant, newest first. */
  grants(args: { readonly conversation?: ConversationId; readonly limit: number }): readonly Grant[];
  /** The undo of `session` and `always`; without a conversation the `always` of that name goes. */
  revokeGrant(args: { readonly name: string; readonly conversation?: ConversationId; readonly nowMs: number }): {
    readonly kind: "revoked" | "unknown";
  };
  /** What the conversation's owner spent on the (UTC) day of `nowMs`, one row of a ledger. */
  spentToday(args: {
    readonly conversation: ConversationId;
    readonly nowMs: number;
  }): Spent & { readonly turns: number };
}
