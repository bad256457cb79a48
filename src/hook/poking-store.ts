/** A store whose writes tell whoever delivers that something may be owed. A poke that is lost costs a moment, nothing else. */
import type { SessionStore, WritingVerb } from "#session/store.js";

/** Verbs that can tell hooks of something; the rest never does. */
const TELLING: readonly WritingVerb[] = [
  "admit",
  "claim",
  "recordStep",
  "finishCall",
  "askApproval",
  "decideApproval",
  "settle",
  "begin",
  "seed",
  "reset",
  "resume",
  "branch",
  "end",
  "closeOpenings",
  "rotate",
  "remove",
  "sweepExpired",
  "pruneRoutes",
];

export function pokingStore(
  store: SessionStore,
  poke: () => void,
  verbs: readonly WritingVerb[] = TELLING,
  isNews: (verb: WritingVerb, result: unknown) => boolean = () => true,
): SessionStore {
  const pokeFor = (verb: WritingVerb, result: unknown): void => void (isNews(verb, result) && poke());
  const told = verbs.map((verb) => [verb, telling(store, verb, pokeFor)] as const);
  return Object.assign(Object.create(store) as SessionStore, Object.fromEntries(told));
}

function telling<V extends WritingVerb>(
  store: SessionStore,
  verb: V,
  poke: (verb: WritingVerb, result: unknown) => void,
) {
  const act = store[verb] as (args: unknown) => Promise<unknown>;
  return async (args: unknown): Promise<unknown> => {
    const result = await act.call(store, args);
    poke(verb, result);
    return result;
  };
}
