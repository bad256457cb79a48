/**
 * The store port: coarse verbs, each one transaction. When a verb's promise resolves its facts are on
 * stable storage; when it rejects, nothing of it was written. A caller may assume after a crash that every
 * verb that resolved happened whole, and that one still under way happened whole or not at all.
 *
 * Verbs answer expected outcomes as unions with `kind`. They reject with `OperationalError` for outages:
 * `store-busy` (the queue is full: nothing was taken), `disk-full`, `storage-failed`, `deadline`, `closed`.
 */
import type { ArrivalVerbs } from "./verbs/arrival.js";
import type { CareVerbs } from "./verbs/care.js";
import type { ChatVerbs } from "./verbs/chat.js";
import type { GrantVerbs } from "./verbs/grants.js";
import type { IntakeVerbs } from "./verbs/intake.js";
import type { LifecycleVerbs } from "./verbs/lifecycle.js";
import type { OutboxVerbs } from "./verbs/outbox.js";
import type { ReadingVerbs } from "./verbs/reading.js";
import type { RouteVerbs } from "./verbs/routes.js";
import type { TurnVerbs } from "./verbs/turns.js";

export interface StoreVerbs
  extends IntakeVerbs,
    TurnVerbs,
    GrantVerbs,
    LifecycleVerbs,
    RouteVerbs,
    OutboxVerbs,
    ReadingVerbs,
    CareVerbs,
    ChatVerbs,
    ArrivalVerbs {}

export type VerbName = keyof StoreVerbs;
export type VerbArgs<V extends VerbName> = Parameters<StoreVerbs[V]>[0];
export type VerbResult<V extends VerbName> = ReturnType<StoreVerbs[V]>;

export type SessionStore = {
  readonly [V in VerbName]: (args: VerbArgs<V>) => Promise<VerbResult<V>>;
} & {
  /** Waits for what is under way, then lets go of the files. */
  close(): Promise<void>;
};

/** Verbs that write nothing: they may be answered by a second, read-only connection. */
export const READING_VERBS = [
  "queue",
  "unclaimed",
  "standing",
  "openTurns",
  "grants",
  "spentToday",
  "unknownDeliveries",
  "deliveryDue",
  "outboxStanding",
  "cursors",
  "hookStanding",
  "route",
  "routes",
  "routeVersion",
  "resolve",
  "list",
  "show",
  "inCompany",
  "history",
  "recent",
  "tipHistory",
  "search",
  "stats",
  "idleSince",
  "importCursor",
  "outline",
  "access",
  "pairings",
  "ownerChat",
  "openCommands",
  "question",
  "questionStanding",
  "openQuestion",
  "arrival",
] as const satisfies readonly VerbName[];

export type ReadingVerb = (typeof READING_VERBS)[number];

/** Every other verb. The two lists together are the port; the types below make forgetting one an error. */
export const WRITING_VERBS = [
  "admit",
  "cancelInput",
  "keepCursor",
  "claim",
  "takeSteers",
  "recordStep",
  "startCalls",
  "finishCall",
  "addContext",
  "saveDraft",
  "keepPreview",
  "keepPrompt",
  "askApproval",
  "decideApproval",
  "revokeGrant",
  "settle",
  "takeOver",
  "begin",
  "seed",
  "reset",
  "resume",
  "branch",
  "end",
  "closeOpenings",
  "rotate",
  "undo",
  "setTitle",
  "applyWantedTitle",
  "setSettings",
  "setArchived",
  "remove",
  "eraseChunk",
  "sweepExpired",
  "pruneRoutes",
  "suspendRoutes",
  "oweDelivery",
  "claimDeliveries",
  "settleDelivery",
  "claimHooks",
  "settleHook",
  "subscribeHooks",
  "keepHooks",
  "enqueueJob",
  "claimJobs",
  "settleJob",
  "recoverOutbox",
  "beginHost",
  "endHost",
  "person",
  "finishOrphans",
  "importConversation",
  "importSession",
  "importMessages",
  "importSuperseded",
  "importChanges",
  "importRoute",
  "noteAudit",
  "addAttachment",
  "offerPairing",
  "keepOwnerChat",
  "approvePairing",
  "revokeAccess",
  "admitCommand",
  "beginCommand",
  "finishCommand",
  "tellJob",
] as const satisfies readonly VerbName[];

export type WritingVerb = (typeof WRITING_VERBS)[number];
type Unlisted = Exclude<VerbName, ReadingVerb | WritingVerb>;
/** Fails to compile when a verb is in neither list. */
export const EVERY_VERB_IS_LISTED: [Unlisted] extends [never] ? true : Unlisted = true;

export function isReading(verb: VerbName): verb is ReadingVerb {
  return (READING_VERBS as readonly VerbName[]).includes(verb);
}
