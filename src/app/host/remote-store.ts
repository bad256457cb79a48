/**
 * A home's store as a command sees it while a host has the home: every verb is asked of the host, which runs it and
 * tells whoever watches. What the host does not do for others is refused by it.
 */

import { UserError } from "#base/errors.js";
import { type HostLine, RpcError } from "#client/host-line.js";
import { READING_VERBS, type SessionStore, WRITING_VERBS } from "#session/store.js";

/** A prune of a large store takes its time; a host that hangs is found out by then. */
const VERB_TIME_MS = 120_000;

export function remoteStore(line: HostLine): SessionStore {
  const ask = async (verb: string, args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    try {
      const { value } = await line.call("host.maintain", { verb, args: { ...args } }, { timeoutMs: VERB_TIME_MS });
      return value;
    } catch (error) {
      throw error instanceof RpcError ? new UserError(error.message, "talaria host status shows the host") : error;
    }
  };
  const verbs = [...READING_VERBS, ...WRITING_VERBS].map((verb) => [
    verb,
    (args: Readonly<Record<string, unknown>>) => ask(verb, args),
  ]);
  return { ...(Object.fromEntries(verbs) as unknown as SessionStore), close: async () => line.close() };
}
