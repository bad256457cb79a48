/**
 * Where an import writes. Verbs are collected and sent together, so that a thousand sessions share one sync of the
 * disk; each still succeeds or fails alone. `dryTarget` answers the same questions and writes nothing.
 */
import type { Clock } from "#base/clock.js";
import { InvariantError } from "#base/errors.js";
import type { SessionStore, VerbArgs, VerbResult } from "#session/store.js";
import type { ImportCursor } from "#session/verbs/care.js";

export type ImportVerb =
  | "importSuperseded"
  | "importConversation"
  | "importSession"
  | "importMessages"
  | "importChanges"
  | "importRoute";

export interface Target {
  cursor(session: string): Promise<ImportCursor | null>;
  /** Takes an act for the next commit. `done` learns the result; a refused act is told to `refused` instead. */
  add<V extends ImportVerb>(act: {
    readonly verb: V;
    readonly args: VerbArgs<V>;
    readonly weight: number;
    readonly done: (result: VerbResult<V>) => void;
    readonly refused: (why: string) => void;
  }): Promise<void>;
  flush(): Promise<void>;
}

/** What is sent in one commit, in acts and in characters of text. */
export const COMMIT_ACTS_MAX = 500;
export const COMMIT_CHARS_MAX = 8_000_000;

export function storeTarget(store: SessionStore, clock: Clock, signal: AbortSignal): Target {
  let pending: (() => Promise<void>)[] = [];
  let weight = 0;
  const flush = async (): Promise<void> => {
    const acts = pending;
    pending = [];
    weight = 0;
    await Promise.all(acts.map((send) => send()));
    // The store answers without leaving this turn of the event loop; signals and files need one.
    await clock.sleep(0, signal);
  };
  return {
    cursor: (session) => store.importCursor({ session }),
    async add({ verb, args, weight: own, done, refused }) {
      pending.push(async () => {
        try {
          done((await store[verb](args as never)) as never);
        } catch (error) {
          // The schema refused this one act and nothing of it was written; an outage ends the import.
          if (!(error instanceof InvariantError)) throw error;
          refused(error.message);
        }
      });
      weight += own;
      if (pending.length >= COMMIT_ACTS_MAX || weight >= COMMIT_CHARS_MAX) await flush();
    },
    flush,
  };
}

/** Remembers what it would have added, so that a dry run counts as the real one does. */
export function dryTarget(store: SessionStore, signal: AbortSignal): Target {
  const added = new Map<string, ImportCursor>();
  const routes = new Set<string>();
  const cursor = async (session: string): Promise<ImportCursor | null> =>
    added.get(session) ?? (await store.importCursor({ session }));
  const begin = (session: string, conversation: string): void => {
    const seq = 0;
    const known = { conversation, tip: session, cursor: -1, seq, title: null, isOpen: false, isDeleted: false };
    added.set(session, known as unknown as ImportCursor);
  };
  const answers: { readonly [V in ImportVerb]: (args: VerbArgs<V>) => Promise<VerbResult<V>> } = {
    async importConversation({ id, first }) {
      begin(first.id, id ?? first.id);
      return { kind: "added", conversation: (id ?? first.id) as never, title: "none" };
    },
    async importSession({ conversation, session }) {
      begin(session.id, conversation);
      return { kind: "added", title: "none" };
    },
    async importMessages({ session, messages }) {
      const known = await cursor(session);
      const fresh = messages.filter((message) => message.sourceNo > (known?.cursor ?? -1));
      return { added: fresh.length, skipped: messages.length - fresh.length };
    },
    importChanges: async () => ({ undone: 0, isEnded: false, title: "none" }),
    importSuperseded: async () => ({ added: 0 }),
    async importRoute({ key, session }) {
      if ((await cursor(session)) === null) return { kind: "no-session" };
      const isKnown = routes.has(key) || (await store.route({ key })) !== null;
      routes.add(key);
      return { kind: isKnown ? "kept-ours" : "added" };
    },
  };
  return {
    cursor,
    async add({ verb, args, done }) {
      done((await answers[verb](args as never)) as never);
      signal.throwIfAborted();
    },
    flush: async () => signal.throwIfAborted(),
  };
}
