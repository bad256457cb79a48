/** `talaria sessions search`: one hit a conversation, with what stands around it. */
import { UserError } from "#base/errors.js";
import { redact } from "#base/redact.js";
import { truncate, visible } from "#base/text-width.js";
import {
  SEARCH_LIMIT_MAX,
  type SearchedRole,
  type SearchHit,
  type SearchOrder,
  type SearchQuery,
  type Snippet,
} from "#session/search.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { formatCount, formatPlural, parseMoment } from "../format.js";
import type { Output } from "../output.js";
import { requireSession, shortIdsOf } from "./sessions-find.js";
import { redactSnippet } from "./sessions-snippet.js";
import { withReader } from "./sessions-store.js";

export interface SearchOptions {
  readonly limit: number;
  readonly source?: readonly string[];
  readonly role?: readonly SearchedRole[];
  readonly since?: string;
  readonly until?: string;
  readonly in?: string;
  readonly sort?: SearchOrder;
}

export function searchSessions(context: CliContext, words: readonly string[], options: SearchOptions): Promise<void> {
  return withReader(context, async (store) => {
    const query = await queryOf(store, words, options, context.clock.nowMs());
    const { hits, isComplete, behind } = await store.search(query);
    const { out } = context;
    if (out.json) return out.document({ hits: hits.map(hitDocument), complete: isComplete, behind });
    if (hits.length === 0) tellNothing(out);
    else await showHits(out, store, hits, isComplete);
    if (behind > 0) {
      out.note(`${formatPlural(behind, "message")} not indexed yet; only the newest of them were searched.`);
    } else if (!isComplete) out.note("Only the best of very many matches were compared; a narrower query finds more.");
  });
}

/** Titles are not searched: what was said is. */
function tellNothing(out: Output): void {
  out.line("Nothing found.");
  out.note("word* finds what begins so, ~part what holds these characters (three or more).");
  out.note("Titles are not searched; talaria sessions list shows them.");
}

async function queryOf(
  store: SessionStore,
  words: readonly string[],
  { limit, source, role, since, until, sort, in: within }: SearchOptions,
  nowMs: number,
): Promise<SearchQuery> {
  const text = words.join(" ").trim();
  if (text === "") throw new UserError("say what to look for", "talaria sessions search holiday plans", EXIT.usage);
  const from = momentOf("--since", since, nowMs);
  const to = momentOf("--until", until, nowMs);
  const conversation = within === undefined ? undefined : (await requireSession(store, within)).id;
  return {
    text,
    limit: Math.min(limit, SEARCH_LIMIT_MAX),
    ...(sort && { order: sort }),
    ...(source && { sources: source }),
    ...(role && { roles: role }),
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
    ...(conversation && { conversation }),
  };
}

function momentOf(option: string, text: string | undefined, nowMs: number): number | undefined {
  const atMs = text === undefined ? undefined : parseMoment(text, nowMs);
  if (text === undefined || atMs !== undefined) return atMs;
  throw new UserError(`${option} takes a span or a date`, "for example 90s, 30m, 2h, 3d or 2026-03-14", EXIT.usage);
}

async function showHits(
  out: Output,
  store: SessionStore,
  hits: readonly SearchHit[],
  isComplete: boolean,
): Promise<void> {
  const shortId = await shortIdsOf(
    store,
    hits.map(({ conversation }) => conversation),
  );
  hits.forEach((hit, at) => {
    if (at > 0) out.line();
    const more = hit.more > 0 ? `, ${formatCount(hit.more)}${isComplete ? "" : "+"} more` : "";
    const facts = `${visible(hit.source)}, ${out.time(hit.atMs)}, #${hit.seq}${more}`;
    const room = out.columns - facts.length - INDENT_CELLS;
    const id = shortId(hit.conversation);
    const title = truncate(visible(hit.title ?? "(untitled)"), Math.max(TITLE_CELLS_MIN, room - id.length));
    out.line(`${out.paint.bold(id)}  ${title}  ${out.paint.dim(facts)}`);
    if (hit.before !== null) out.line(context(hit.before, out));
    out.line(`  ${ROLES[hit.role]}  ${marked(redactSnippet(hit.snippet), out)}`);
    if (hit.after !== null) out.line(context(hit.after, out));
  });
}

const INDENT_CELLS = 6;
const TITLE_CELLS_MIN = 10;
const ROLES: Readonly<Record<SearchedRole, string>> = { user: "you  ", assistant: "agent", tool: "tool " };

function context({ role, text }: { readonly role: SearchedRole; readonly text: string }, out: Output): string {
  return out.paint.dim(`  ${ROLES[role]}  ${truncate(visible(redact(text)), out.columns - 9)}`);
}

/** Matches in bold yellow, or between `«»` where there are no colours. The line is cut before it is coloured. */
function marked({ text, marks }: Snippet, { paint, columns }: Output): string {
  const room = columns - 9 - (paint.enabled ? 0 : 2 * marks.length);
  const shown = truncate(text, room);
  let line = "";
  let from = 0;
  for (const [start, end] of marks) {
    if (end > shown.length || (shown !== text && end >= shown.length)) break;
    const match = shown.slice(start, end);
    line += shown.slice(from, start) + (paint.enabled ? paint.bold(paint.yellow(match)) : `«${match}»`);
    from = end;
  }
  return line + shown.slice(from);
}

function hitDocument(hit: SearchHit): Readonly<Record<string, unknown>> {
  const { atMs, ...rest } = hit;
  return { ...rest, at: new Date(atMs).toISOString() };
}
