/**
 * Fills a home's store with what the specification on stdin says, through the store's own verbs, then ends, so
 * that nobody has the files open. With `hold` it stays until it is killed, as a host with the lock would.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "#base/clock.js";
import type { ConversationId, HostId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ImportedConversation, ImportedMessage, ImportedRoute, ImportedSession } from "#session/verbs/care.js";
import { takeHostLock } from "#store/sqlite/host-lock.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

export interface HomeSpec {
  readonly conversations?: readonly (ImportedConversation & {
    readonly id: string;
    readonly messages?: readonly ImportedMessage[];
    /** Sessions that compactions made of it, with their own messages. */
    readonly continuations?: readonly (ImportedSession & { readonly messages?: readonly ImportedMessage[] })[];
  })[];
  readonly routes?: readonly ImportedRoute[];
  /** Ids of conversations in which a turn runs. */
  readonly busy?: readonly string[];
  /** Ids of conversations that are deleted, their bytes still there. */
  readonly deleted?: readonly string[];
}

const [home = "", mode] = process.argv.slice(2);
const spec = JSON.parse(await text(process.stdin)) as HomeSpec;
const run = join(home, "run");
mkdirSync(run, { recursive: true, mode: 0o700 });
if (mode === "hold") await takeHostLock(run, "0.0.0-test", systemClock);
await fill(openInlineStore({ path: join(home, "state.db") }).store, spec);
process.stdout.write("filled\n");
if (mode === "hold") await systemClock.sleep(600_000);

async function fill(store: SessionStore, { conversations = [], routes = [], busy = [], deleted = [] }: HomeSpec) {
  for (const { messages = [], continuations = [], ...conversation } of conversations) {
    await store.importConversation(conversation);
    await store.importMessages({ session: conversation.first.id, messages });
    for (const { messages: more = [], ...session } of continuations) {
      await store.importSession({ conversation: conversation.id as ConversationId, session });
      await store.importMessages({ session: session.id, messages: more });
    }
  }
  for (const route of routes) await store.importRoute(route);
  for (const id of busy) await startTurn(store, id as ConversationId);
  const nowMs = systemClock.nowMs();
  for (const id of deleted) await store.remove({ conversation: id as ConversationId, by: "test", nowMs });
}

async function startTurn(store: SessionStore, conversation: ConversationId): Promise<void> {
  const nowMs = systemClock.nowMs();
  await store.admit({
    platform: "cli",
    account: "main",
    eventId: `event-${conversation}`,
    to: { kind: "conversation", id: conversation },
    text: "go on",
    start: { source: "cli" },
    nowMs,
  });
  await store.beginHost({ id: "host-test" as HostId, pid: process.pid, version: "0", nowMs });
  await store.claim({ conversation, host: "host-test" as HostId, nowMs });
}
