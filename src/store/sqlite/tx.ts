/**
 * What a verb gets: the connection inside the running transaction, and where new ids come from. Verbs are
 * plain synchronous functions of (tx, args); they never begin or end a transaction themselves.
 */
import type { NewId } from "#base/ids.js";
import type { StoreVerbs, VerbName } from "#session/store.js";
import type { SearchIndex } from "../search/search-index.js";
import type { Connection } from "./connection.js";

export interface Tx {
  readonly db: Connection;
  readonly newId: NewId;
  /** Only where reads are answered. */
  readonly search?: SearchIndex;
}

export type Verb<V extends VerbName> = (tx: Tx, args: Parameters<StoreVerbs[V]>[0]) => ReturnType<StoreVerbs[V]>;

/** Implementations of some of the port's verbs, by name. */
export type VerbTable<I> = { readonly [V in keyof I & VerbName]: Verb<V> };

export function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

export function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}
