/**
 * Filters: as facets that narrow an expression inside the word index, and as one exact comparison for everything
 * else. The facets only ever let too much through, never too little.
 */
import type { SearchedRole, SearchQuery } from "#session/search.js";
import type { Connection } from "../sqlite/connection.js";
import type { Progress } from "./feed.js";
import { facet, periodOf, ROLES } from "./schema.js";

/** A longer time is filtered afterwards only. */
const PERIODS_MAX = 60;

export interface Filter {
  readonly roles?: readonly SearchedRole[];
  readonly sources?: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly conversation?: number;
  readonly owner?: number;
}

export interface Filtered {
  readonly conversation: number;
  readonly role: SearchedRole;
  readonly source: string;
  readonly owner: number;
  readonly atMs: number;
}

/** Undefined when nothing can pass: it names a conversation or a person that does not exist. */
export function filterOf(state: Connection, query: SearchQuery): Filter | undefined {
  const numberOf = (sql: string, id: string | undefined): number | undefined =>
    id === undefined ? undefined : state.get<{ no: number }>(sql, id)?.no;
  const conversation = numberOf("SELECT no FROM conversation WHERE id = ?", query.conversation);
  const owner = numberOf("SELECT no FROM person WHERE id = ?", query.owner);
  if (query.conversation !== undefined && conversation === undefined) return undefined;
  if (query.owner !== undefined && owner === undefined) return undefined;
  return {
    ...(query.roles && { roles: query.roles }),
    ...(query.sources && { sources: query.sources }),
    fromMs: query.fromMs ?? Number.NEGATIVE_INFINITY,
    toMs: query.toMs ?? Number.POSITIVE_INFINITY,
    ...(conversation !== undefined && { conversation }),
    ...(owner !== undefined && { owner }),
  };
}

export function passes(filter: Filter, message: Filtered): boolean {
  return (
    message.atMs >= filter.fromMs &&
    message.atMs <= filter.toMs &&
    (filter.roles?.includes(message.role) ?? true) &&
    (filter.sources?.includes(message.source) ?? true) &&
    (filter.conversation === undefined || filter.conversation === message.conversation) &&
    (filter.owner === undefined || filter.owner === message.owner)
  );
}

/** The expression for the word index with the filter inside it; undefined when nothing indexed can pass. */
export function narrowed(
  expression: string,
  filter: Filter,
  index: { readonly progress: Progress; readonly sources: ReadonlyMap<number, string> },
): string | undefined {
  const facets: (readonly string[] | undefined)[] = [
    filter.roles?.map((role) => facet.role(ROLES.indexOf(role))),
    filter.sources &&
      [...index.sources].filter(([, name]) => filter.sources?.includes(name)).map(([no]) => facet.source(no)),
    filter.conversation === undefined ? undefined : [facet.conversation(filter.conversation)],
    filter.owner === undefined ? undefined : [facet.owner(filter.owner)],
    periods(filter, index.progress),
  ];
  const wanted = facets.filter((choices) => choices !== undefined);
  if (wanted.some((choices) => choices.length === 0)) return undefined;
  return [`(${expression})`, ...wanted.map(anyOf)].join(" AND ");
}

function anyOf(tokens: readonly string[]): string {
  return `(${tokens.map((token) => `"${token}"`).join(" OR ")})`;
}

function periods({ fromMs, toMs }: Filter, { first_period, last_period }: Progress): string[] | undefined {
  if (first_period === null || last_period === null) return undefined;
  if (fromMs === Number.NEGATIVE_INFINITY && toMs === Number.POSITIVE_INFINITY) return undefined;
  const first = Math.max(first_period, periodOf(fromMs));
  const last = Math.min(last_period, periodOf(toMs));
  if (last - first >= PERIODS_MAX) return undefined;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => facet.period(first + at));
}
