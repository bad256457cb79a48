/**
 * Requests are projections: stored history in, the messages of a model request out. Pure and total: every prefix of
 * every history, also of an imported one, gives messages that each dialect takes; nothing stored is changed for it.
 *
 * - [MD-20] Whatever history holds, the request keeps the wire's rules: nothing is repaired later.
 * - [MD-21] When history grows, what was projected before stays byte for byte, but for the last message.
 * - [MD-22] Opaque reasoning goes back to the deployment it came from, and to no other.
 * - [MD-23] Secrets in what a person or a tool said are redacted in the request, never in the store.
 * - [MD-24] History that grew by k messages costs the cleaning of k messages.
 */
import type { Dialect, ModelMessage } from "#model/model.js";
import type { Message } from "#session/message.js";
import { Assembly } from "./projection/assembly.js";

export interface ProjectionTarget {
  /** One projection is valid for all of them, so a change of model keeps every byte but the opaque parts. */
  readonly dialect: Dialect;
  /** Empty: no opaque part is sent at all. */
  readonly origin: string;
}

export function project(history: readonly Message[], target: ProjectionTarget): readonly ModelMessage[] {
  const assembly = assemblyFor(history, target.origin);
  assembly.follow(history);
  return assembly.messages();
}

/** The model, its fallback, and an estimate without opaque parts, in turn. */
const ORIGINS_MAX = 3;

/** Found by a conversation's first message and gone with it: the next request adds to the last one. */
const ASSEMBLIES = new WeakMap<Message, readonly Assembly[]>();

function assemblyFor(history: readonly Message[], origin: string): Assembly {
  const [first] = history;
  if (first === undefined) return new Assembly(origin);
  const known = ASSEMBLIES.get(first) ?? [];
  const same = known.find((assembly) => assembly.origin === origin);
  if (same?.isPrefixOf(history)) return same;
  const fresh = new Assembly(origin);
  ASSEMBLIES.set(first, [fresh, ...known.filter((assembly) => assembly !== same)].slice(0, ORIGINS_MAX));
  return fresh;
}
