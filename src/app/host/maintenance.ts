/**
 * Writing commands while a host has the home: a command asks the host to run verbs of the store for it. Reading verbs
 * are all allowed; of the writing ones those that a person's commands need. Everybody who watches the conversation
 * is told, and what a prune forgets is gone from the mirror before the command hears of it [RI-17].
 */
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { Live } from "#runtime/live/port.js";
import { isReading, type SessionStore, type VerbName } from "#session/store.js";

export const MAINTAINED = [
  "setTitle",
  "setArchived",
  "remove",
  "eraseChunk",
  "pruneRoutes",
  "revokeGrant",
  "noteAudit",
] as const satisfies readonly VerbName[];

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
  if (verb === "pruneRoutes") return pruneRoutes(parts, args);
  if (!isReading(verb) && !(MAINTAINED as readonly string[]).includes(verb)) {
    throw new UserError(`${verb} is not done for others`, "stop the host first: talaria host stop");
  }
  const run = parts.store[verb] as (args: Args) => Promise<unknown>;
  const result = await run(args);
  tellWatchers(parts, verb, args);
  return result;
}

const CHANGED: Partial<Record<VerbName, "title" | "deleted" | "settings">> = {
  setTitle: "title",
  remove: "deleted",
  revokeGrant: "settings",
};

function tellWatchers({ live, removed }: MaintenanceParts, verb: VerbName, { conversation }: Args): void {
  const what = CHANGED[verb];
  if (what === "deleted") removed();
  if (what === undefined || typeof conversation !== "string") return;
  live.tell(conversation as ConversationId, { type: "changed", what });
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
