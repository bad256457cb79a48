/**
 * Feeding the index from the store: new messages in the order of their ids, then what undo and deletion made
 * vanish, and how far that came, in one transaction of `search.db`. So a crash at any point leaves an index that
 * is older, never one that is wrong [SR-6].
 *
 * A message is indexed as it stands in the store at that moment: what is hidden by then is skipped, and whatever
 * is hidden later has a later change. The order in which the two are read therefore does not matter.
 */
import type { Clock } from "#base/clock.js";
import { invariant } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { MessageBody } from "#session/message.js";
import type { SearchedRole } from "#session/search.js";
import type { Connection } from "../sqlite/connection.js";
import { fold } from "./fold.js";
import { facet, periodOf, ROLES } from "./schema.js";
import { gramTextOf, INDEXED_CHARS_MAX, searchableText, squashed, wordsOf } from "./tokens.js";

export interface FeedBudget {
  readonly messagesMax: number;
  /** Stops after the message during which this much time has passed. */
  readonly timeMs: number;
}

export interface Fed {
  /** Messages taken in this call, hidden ones included. */
  readonly messages: number;
  /** True when nothing was left to take. */
  readonly isDone: boolean;
}

export interface Progress {
  readonly message: number;
  readonly conversation: number | null;
  readonly seq: number | null;
  readonly change: number;
  readonly first_period: number | null;
  readonly last_period: number | null;
}

const ROWS_PER_READ = 64;
/** Messages that one call takes out of the index. */
const REMOVED_MAX = 500;

export function feed(state: Connection, index: Connection, budget: FeedBudget, clock: Clock): Fed {
  if (!isAhead(state, readProgress(index))) return { messages: 0, isDone: true };
  index.run("BEGIN IMMEDIATE");
  try {
    const fed = feedInTransaction(state, index, budget, clock);
    faultPoint("search.before-commit");
    index.run("COMMIT");
    faultPoint("search.after-commit");
    return fed;
  } catch (error) {
    if (index.isInTransaction) index.run("ROLLBACK");
    throw error;
  }
}

export function readProgress(index: Connection): Progress {
  const progress = index.get<Progress>(
    "SELECT message, conversation, seq, change, first_period, last_period FROM progress",
  );
  invariant(progress, "an index knows how far it is");
  return progress;
}

/** A range that vanished since the index was fed: it still holds these messages. */
export interface Vanished {
  readonly no: number;
  readonly conversation: number;
  readonly from_seq: number;
  readonly to_seq: number;
}

/** What vanished after a change, oldest first, up to a bound. */
export function vanishedAfter(state: Connection, change: number): Vanished[] {
  return state.all<Vanished>(
    "SELECT no, conversation, from_seq, to_seq FROM change_log WHERE no > ? ORDER BY no LIMIT ?",
    change,
    REMOVED_MAX,
  );
}

export function newestMessage(state: Connection): number {
  return state.get<{ id: number | null }>("SELECT max(id) AS id FROM message")?.id ?? 0;
}

function newestChange(state: Connection): number {
  return state.get<{ no: number | null }>("SELECT max(no) AS no FROM change_log")?.no ?? 0;
}

/** Whether the store holds something that the index does not; also when the index speaks of another store. */
function isAhead(state: Connection, progress: Progress): boolean {
  return (
    newestMessage(state) > progress.message || newestChange(state) > progress.change || isOfAnother(state, progress)
  );
}

/**
 * True when the store is not the one this index was fed from: a backup was restored, or the file was exchanged.
 * An erased message can no longer tell; then the floor of erased ids must have passed it.
 */
export function isOfAnother(state: Connection, progress: Progress): boolean {
  if (progress.change > newestChange(state)) return true;
  if (progress.message === 0) return false;
  const last = state.get<{ conversation: number; seq: number }>(
    "SELECT conversation, seq FROM message WHERE id = ?",
    progress.message,
  );
  if (last !== undefined) return last.conversation !== progress.conversation || last.seq !== progress.seq;
  const floor = state.get<{ value: number }>("SELECT value FROM tally WHERE name = 'message_floor'")?.value ?? 0;
  return floor < progress.message;
}

function feedInTransaction(state: Connection, index: Connection, budget: FeedBudget, clock: Clock): Fed {
  let progress = readProgress(index);
  if (isOfAnother(state, progress)) progress = emptied(index);
  // Nothing is indexed yet, so whatever vanished before now is simply not taken.
  if (progress.message === 0) progress = { ...progress, change: newestChange(state) };
  const startedMs = clock.monotonicMs();
  let messages = 0;
  let isDrained = false;
  while (!isDrained && messages < budget.messagesMax && clock.monotonicMs() - startedMs < budget.timeMs) {
    const rows = state.all<SourceRow>(
      SOURCE,
      progress.message,
      Math.min(ROWS_PER_READ, budget.messagesMax - messages),
      INDEXED_CHARS_MAX,
    );
    for (const row of rows) progress = take(index, row, progress);
    messages += rows.length;
    isDrained = rows.length === 0;
  }
  const removal = applyChanges(state, index, progress.change);
  index.run(
    "UPDATE progress SET message = ?, conversation = ?, seq = ?, change = ?, first_period = ?, last_period = ?",
    progress.message,
    progress.conversation,
    progress.seq,
    removal.change,
    progress.first_period,
    progress.last_period,
  );
  return { messages, isDone: isDrained && removal.isDone };
}

interface SourceRow {
  readonly id: number;
  readonly conversation: number;
  readonly seq: number;
  readonly role: SearchedRole;
  readonly created_ms: number;
  readonly source: string;
  readonly owner: number;
  /** Null when the message is not to be found: a copy, a note, superseded or deleted. */
  readonly text: string | null;
  readonly body: string | null;
}

/** A message that search may show, of a conversation `c`: the one definition of it in SQL. */
export const SEARCHED = `m.carried = 0 AND m.role IN ('user', 'assistant', 'tool') AND c.deleted_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM superseded u WHERE u.conversation = m.conversation AND u.from_seq <= m.seq AND m.seq <= u.to_seq)`;

const SOURCE = `SELECT m.id, m.conversation, m.seq, m.role, m.created_ms, c.source, c.owner,
  CASE WHEN ${SEARCHED} THEN substr(m.text, 1, ?3) END AS text, m.body
  FROM message m CROSS JOIN conversation c ON c.no = m.conversation WHERE m.id > ?1 ORDER BY m.id LIMIT ?2`;

function take(index: Connection, row: SourceRow, before: Progress): Progress {
  const place = { ...before, message: row.id, conversation: row.conversation, seq: row.seq };
  if (row.text === null) return place;
  const folded = fold(searchableText(row.text, parsedBody(row.body)));
  const role = ROLES.indexOf(row.role);
  const source = sourceNo(index, row.source);
  const period = periodOf(row.created_ms);
  const facets = [
    facet.role(role),
    facet.source(source),
    facet.conversation(row.conversation),
    facet.owner(row.owner),
    facet.period(period),
  ];
  index.run("INSERT INTO words(rowid, tokens) VALUES (?, ?)", row.id, `${wordsOf(folded)}${facets.join(" ")}`);
  index.run("INSERT INTO grams(rowid, text) VALUES (?, ?)", row.id, gramTextOf(squashed(folded)));
  index.run(
    "INSERT INTO doc(id, conversation, seq, role, source, owner, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    row.id,
    row.conversation,
    row.seq,
    role,
    source,
    row.owner,
    row.created_ms,
  );
  return {
    ...place,
    first_period: Math.min(before.first_period ?? period, period),
    last_period: Math.max(before.last_period ?? period, period),
  };
}

export function parsedBody(body: string | null): MessageBody | undefined {
  return body === null ? undefined : (JSON.parse(body) as MessageBody);
}

function sourceNo(index: Connection, name: string): number {
  const known = index.get<{ no: number }>("SELECT no FROM source WHERE name = ?", name);
  if (known !== undefined) return known.no;
  const added = index.get<{ no: number }>("INSERT INTO source(name) VALUES (?) RETURNING no", name);
  invariant(added, "an insert returns its row");
  return added.no;
}

/** Takes vanished messages out, up to a bound; a change counts as applied when none of its messages is left. */
function applyChanges(state: Connection, index: Connection, after: number): { change: number; isDone: boolean } {
  let change = after;
  let left = REMOVED_MAX;
  const rows = vanishedAfter(state, after);
  for (const row of rows) {
    const removed = removeRange(index, row, left);
    left -= removed;
    if (left <= 0) return { change, isDone: false };
    change = row.no;
  }
  return { change, isDone: rows.length < REMOVED_MAX };
}

function removeRange(index: Connection, { conversation, from_seq, to_seq }: Vanished, limit: number): number {
  const docs = index.all<{ id: number }>(
    `SELECT d.id FROM words w CROSS JOIN doc d ON d.id = w.rowid WHERE words MATCH ?1 AND d.seq BETWEEN ?2 AND ?3 LIMIT ?4`,
    `"${facet.conversation(conversation)}"`,
    from_seq,
    to_seq,
    limit,
  );
  for (const { id } of docs) {
    index.run("DELETE FROM words WHERE rowid = ?", id);
    index.run("DELETE FROM grams WHERE rowid = ?", id);
    index.run("DELETE FROM doc WHERE id = ?", id);
  }
  return docs.length;
}

function emptied(index: Connection): Progress {
  index.run("INSERT INTO words(words) VALUES ('delete-all')");
  index.run("INSERT INTO grams(grams) VALUES ('delete-all')");
  index.run("DELETE FROM doc");
  index.run(
    "UPDATE progress SET message = 0, conversation = NULL, seq = NULL, change = 0, first_period = NULL, last_period = NULL",
  );
  return readProgress(index);
}
