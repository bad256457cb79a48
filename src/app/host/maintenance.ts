/**
 * Writing commands while a host has the home: a command asks the host to run verbs of the store for it. Reading verbs
 * are all allowed; of the writing ones those that a person's commands need. Everybody who watches the conversation
 * is told, and what a prune forgets is gone from the mirror before the command hears of it [RI-17].
 */
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { Live } from "#runtime/live/port.js";
import { isReading, type SessionStore, type VerbName } from "#session/store.js";

type Kind = "string" | "number" | "boolean" | "list" | "group" | "string or null";

/** The verbs that are done for others, each with what it cannot be done without. */
export const MAINTAINED: Partial<Record<VerbName, Readonly<Record<string, Kind>>>> = {
  setTitle: { conversation: "string", title: "string or null" },
  setArchived: { conversation: "string", archived: "boolean" },
  remove: { conversation: "string", by: "string", nowMs: "number" },
  eraseChunk: { limit: "number", nowMs: "number" },
  pruneRoutes: { maxAgeDays: "number", liveKeys: "list", limit: "number", nowMs: "number" },
  revokeGrant: { name: "string", nowMs: "number" },
  approvePairing: { code: "string", role: "string", by: "string", nowMs: "number" },
  revokeAccess: { platform: "string", sender: "string", by: "string", nowMs: "number" },
  oweDelivery: { platform: "string", address: "group", parts: "list", nowMs: "number" },
  addAttachment: { sha256: "string", mediaType: "string", bytes: "number", nowMs: "number" },
  noteAudit: { act: "string", subject: "string", nowMs: "number" },
};

export interface MaintenanceParts {
  readonly store: SessionStore;
  readonly live: Live;
  /** Keys of chats whose background commands run [RI-6]. */
  liveKeys(keys: readonly string[]): Promise<readonly string[]>;
  writeMirror(): Promise<unknown>;
  /** A conversation was deleted. */
  removed(): void;
}

type Args = Readonly<Record<string, unknown>>;

export async function maintain(parts: MaintenanceParts, verb: VerbName, args: Args): Promise<unknown> {
  if (!isReading(verb)) refuseUnfit(verb, args);
  if (verb === "pruneRoutes") return pruneRoutes(parts, args);
  const run = parts.store[verb] as (args: Args) => Promise<unknown>;
  const result = await run(args);
  tellWatchers(parts, verb, args, result);
  return result;
}

/** What comes over the wire may be anything, and a half-told wish must not reach the store. */
function refuseUnfit(verb: VerbName, args: Args): void {
  const needed = MAINTAINED[verb];
  if (needed === undefined) {
    throw new UserError(`${verb} is not done for others`, "stop the host first: talaria host stop");
  }
  const unfit = Object.entries(needed).find(([name, kind]) => !isKind(args[name], kind));
  if (unfit === undefined) return;
  const [name, kind] = unfit;
  throw new UserError(`${verb} needs ${name} (${kind})`, "the client may be of another version than this host");
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === "list") return Array.isArray(value);
  if (kind === "group") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "string or null") return value === null || typeof value === "string";
  return typeof value === kind;
}

interface Change {
  readonly what: "title" | "deleted" | "settings";
  /** How the verb answers when it has changed something. */
  readonly done: readonly string[];
}

const CHANGED: Partial<Record<VerbName, Change>> = {
  setTitle: { what: "title", done: ["set", "cleared"] },
  remove: { what: "deleted", done: ["removed"] },
  revokeGrant: { what: "settings", done: ["revoked"] },
};

function tellWatchers({ live, removed }: MaintenanceParts, verb: VerbName, args: Args, result: unknown): void {
  const change = CHANGED[verb];
  const { kind } = result as { readonly kind?: string };
  if (change === undefined || kind === undefined || !change.done.includes(kind)) return;
  if (change.what === "deleted") removed();
  if (typeof args["conversation"] !== "string") return;
  live.tell(args["conversation"] as ConversationId, { type: "changed", what: change.what });
}

async function pruneRoutes({ store, liveKeys, writeMirror }: MaintenanceParts, args: Args): Promise<unknown> {
  const wish = args as Parameters<SessionStore["pruneRoutes"]>[0];
  const { pruned: stale } = await store.pruneRoutes({ ...wish, isDryRun: true });
  const kept = [...wish.liveKeys, ...(await liveKeys(stale))];
  if (wish.isDryRun === true || stale.length === 0) return { pruned: stale.filter((key) => !kept.includes(key)) };
  const result = await store.pruneRoutes({ ...wish, liveKeys: kept });
  await writeMirror();
  return result;
}
