/**
 * The schema of `state.db`, version 1. The session rules live here as constraints and triggers, so that
 * no program error can commit a state they forbid; `illegal-states.test.ts` goes at each one directly.
 *
 * Reading guide:
 * - `no` is a row's internal number, `id` the name a person may see. Numbers are never shown.
 * - Only session, opening, message and boundary_event know a session; everything else knows the
 *   conversation, so a compaction moves one pointer (`conversation.tip`) and nothing can be stale.
 * - All constraints are immediate: operations write in legal order, one failing alone in its savepoint.
 * - Parents (conversation, session, turn) are never deleted, so no child needs an index for that check.
 */
import { APPROVALS } from "./schema/approvals.js";
import { BOUNDARIES } from "./schema/boundaries.js";
import { CHAT } from "./schema/chat.js";
import { CONVERSATIONS } from "./schema/conversations.js";
import { EDGES } from "./schema/edges.js";
import { HISTORY } from "./schema/history.js";
import { LEDGERS } from "./schema/ledgers.js";
import { PEOPLE } from "./schema/people.js";
import { WORK } from "./schema/work.js";

/** Identifies the file as ours: "TALA". A file with another application id is refused untouched. */
export const APPLICATION_ID = 0x54414c41;

/** Every statement that makes an empty file a store of version 1. */
export const SCHEMA_V1 = [PEOPLE, CONVERSATIONS, HISTORY, WORK, APPROVALS, EDGES, BOUNDARIES, LEDGERS, CHAT].join("\n");
