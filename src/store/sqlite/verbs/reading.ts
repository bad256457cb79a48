/**
 * Reading. Lists and lookups ask an index and stop at a limit; none of them grows with all of history. Rows of
 * deleted conversations are never shown, only the fact that they were deleted.
 */
import { invariant } from "#base/errors.js";
import type { ConversationId, PersonId, SessionId } from "#base/ids.js";
import type {
  ConversationCard,
  ConversationRow,
  HistoryRow,
  ReadingVerbs,
  SessionRow,
  StoreStats,
} from "#session/verbs/reading.js";
import { findConversation } from "../acts.js";
import { isIn, type PlacedRow, supersededRanges, toMessage, visibleMessages } from "../history.js";
import { resolve } from "../resolve.js";
import { parsed, type Tx, type VerbTable } from "../tx.js";

export const readingVerbs: VerbTable<ReadingVerbs> = {
  resolve,

  list(tx, { limit, source, owner, after, withArchived, withDelegated }) {
    const cursor = after && tx.db.get<{ no: number }>("SELECT no FROM conversation WHERE id = ?", after.id);
    const page = (which: string): CardRow[] =>
      tx.db.all<CardRow>(
        `${CARD} WHERE ${which} ${source === undefined ? "AND ?1 IS NULL" : "AND c.source = ?1"}
           ${owner === undefined ? "AND ?2 IS NULL" : "AND c.owner = (SELECT no FROM person WHERE id = ?2)"}
           AND (?3 IS NULL OR (c.active_ms, c.no) < (?3, ?4)) ORDER BY c.active_ms DESC, c.no DESC LIMIT ?5`,
        source ?? null,
        owner ?? null,
        after?.activeMs ?? null,
        cursor?.no ?? 0,
        limit,
      );
    // A walk along an index each, then the newest of all: none reads what it does not show.
    const rows = page("c.listed");
    if (withArchived) rows.push(...page(ARCHIVED));
    if (withDelegated) rows.push(...page(withArchived ? DELEGATED : `${DELEGATED} AND c.archived = 0`));
    if (withArchived || withDelegated) rows.sort((a, b) => b.active_ms - a.active_ms || b.no - a.no);
    return rows.slice(0, limit).map(toRow);
  },

  show(tx, { conversation: id }) {
    const row = tx.db.get<CardRow>(`${CARD} WHERE c.id = ? AND c.deleted_ms IS NULL`, id);
    return row === undefined ? null : toCard(tx, row);
  },

  inCompany(tx, { conversation: id }) {
    const row = tx.db.get(
      `WITH RECURSIVE up(no, owner, parent, lineage) AS (
         SELECT no, owner, parent, lineage FROM conversation WHERE id = ?
         UNION ALL SELECT p.no, p.owner, p.parent, p.lineage FROM up JOIN conversation p ON p.no = up.parent WHERE up.lineage = 'delegation')
       SELECT 1 WHERE EXISTS (SELECT 1 FROM up JOIN route r ON r.conversation = up.no WHERE r.chat_type <> 'dm')
         AND EXISTS (SELECT 1 FROM up JOIN input i ON i.conversation = up.no WHERE i.author <> up.owner)`,
      id,
    );
    return row !== undefined;
  },

  history(tx, { conversation: id, session, afterSeq, limit, withSuperseded }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return [];
    const rows = tx.db.all<PlacedRow>(
      `${PLACED} WHERE m.conversation = ?1 AND m.seq > ?2 AND (?3 IS NULL OR s.id = ?3)
         AND (?4 OR NOT EXISTS (SELECT 1 FROM superseded u WHERE u.conversation = ?1 AND u.from_seq <= m.seq AND m.seq <= u.to_seq))
       ORDER BY m.seq LIMIT ?5`,
      conversation.no,
      afterSeq,
      session ?? null,
      withSuperseded ? 1 : 0,
      limit,
    );
    return toHistory(tx, conversation.no, rows);
  },

  recent(tx, { conversation: id, beforeSeq, limit }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return [];
    const rows = tx.db.all<PlacedRow>(
      `${PLACED} WHERE m.conversation = ?1 AND m.seq < ?2 AND (m.carried = 0 OR s.lineage = 'branch')
         AND NOT EXISTS (SELECT 1 FROM superseded u WHERE u.conversation = ?1 AND u.from_seq <= m.seq AND m.seq <= u.to_seq)
       ORDER BY m.seq DESC LIMIT ?3`,
      conversation.no,
      beforeSeq ?? conversation.seq + 1,
      limit,
    );
    return toHistory(tx, conversation.no, rows.reverse());
  },

  tipHistory(tx, { conversation: id, since }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return null;
    const { session: tip, seq } = conversation;
    const undone = supersededRanges(tx, conversation.no).length;
    const isDelta = since?.tip === tip && since.undone === undone;
    const messages = visibleMessages(tx, conversation.tip, { afterSeq: isDelta ? since.seq : 0, toSeq: seq });
    return { tip, seq, undone, isDelta, messages };
  },

  search(tx, query) {
    invariant(tx.search, "searches are answered where reads are");
    return tx.search.search(tx.db, query);
  },

  stats(tx) {
    const tally = new Map(
      tx.db.all<{ name: string; value: number }>("SELECT name, value FROM tally").map((row) => [row.name, row.value]),
    );
    const counted = (name: string): number => tally.get(name) ?? 0;
    const sources = [...tally].filter(([name, value]) => name.startsWith("source:") && value > 0);
    return {
      conversations: counted("conversations"),
      sessions: counted("sessions"),
      messages: messageCount(tx, counted),
      routes: counted("routes"),
      bySource: Object.fromEntries(sources.map(([name, value]) => [name.slice("source:".length), value])),
      ...openWork(tx),
    };
  },

  idleSince(tx, { beforeMs, source, limit }) {
    const rows = tx.db.all<CardRow>(
      `${CARD} WHERE c.listed AND c.active_ms < ?1 ${source === undefined ? "AND ?2 IS NULL" : "AND c.source = ?2"} ORDER BY c.active_ms, c.no LIMIT ?3`,
      beforeMs,
      source ?? null,
      limit,
    );
    return rows.map(toRow);
  },
};

const ARCHIVED = "c.archived = 1 AND c.deleted_ms IS NULL AND c.lineage <> 'delegation'";
const DELEGATED = "c.lineage = 'delegation' AND c.deleted_ms IS NULL";

interface CardRow {
  readonly no: number;
  readonly id: ConversationId;
  readonly tip: SessionId;
  readonly title: string | null;
  readonly preview: string | null;
  readonly source: string;
  readonly lineage: string;
  readonly owner: PersonId;
  readonly model: string | null;
  readonly created_ms: number;
  readonly active_ms: number;
  readonly message_count: number;
  readonly archived: 0 | 1;
  readonly end_reason: string | null;
  readonly ended_ms: number | null;
}

const CARD = `SELECT c.no, c.id, s.id AS tip, s.title, c.preview, c.source, c.lineage, p.id AS owner, s.model, c.created_ms, c.active_ms,
  c.message_count, c.archived, o.reason AS end_reason, o.closed_ms AS ended_ms
  FROM conversation c JOIN session s ON s.no = c.tip JOIN person p ON p.no = c.owner
  LEFT JOIN opening o ON o.no = (SELECT max(no) FROM opening WHERE session = c.tip)`;

function toRow(row: CardRow): ConversationRow {
  return {
    id: row.id,
    tip: row.tip,
    title: row.title,
    preview: row.preview,
    source: row.source,
    lineage: row.lineage,
    owner: row.owner,
    model: row.model,
    createdMs: row.created_ms,
    activeMs: row.active_ms,
    messages: row.message_count,
    isArchived: row.archived === 1,
    endReason: row.end_reason,
    endedMs: row.ended_ms,
  };
}

function toCard(tx: Tx, row: CardRow): ConversationCard {
  const place = tx.db.get<{ seq: number; parent: ConversationId | null; parent_seq: number | null }>(
    "SELECT c.seq, p.id AS parent, c.parent_seq FROM conversation c LEFT JOIN conversation p ON p.no = c.parent WHERE c.no = ?",
    row.no,
  );
  const turn = tx.db.get<{ phase: "running" | "waiting"; startedMs: number; attempts: number }>(
    "SELECT state AS phase, started_ms AS startedMs, attempts FROM turn WHERE conversation = ? AND state <> 'settled'",
    row.no,
  );
  return {
    ...toRow(row),
    seq: place?.seq ?? 0,
    parent: place?.parent ? { conversation: place.parent, seq: place.parent_seq } : null,
    sessions: tx.db.all<StoredSession>(SESSIONS, row.no).map((session) => toSession(tx, session)),
    superseded: tx.db.all(
      "SELECT from_seq AS fromSeq, to_seq AS toSeq, reason, created_ms AS atMs FROM superseded WHERE conversation = ?",
      row.no,
    ),
    routes: tx.db
      .all<{ key: string }>("SELECT key FROM route WHERE conversation = ? ORDER BY key", row.no)
      .map((route) => route.key),
    liveTurn: turn ?? null,
  };
}

type StoredUsage = SessionRow["usage"];
interface StoredSession
  extends Omit<SessionRow, "settings" | "origin" | "usage" | "openings" | "isCostUnknown">,
    StoredUsage {
  readonly no: number;
  readonly settings: string;
  readonly origin: string | null;
  readonly isCostUnknown: 0 | 1;
}

const SESSIONS = `SELECT s.no, s.id, s.lineage, p.id AS parent, s.from_seq AS fromSeq, s.created_ms AS createdMs, s.superseded_ms AS supersededMs,
  s.title, s.model, s.cwd, s.settings, t.text AS prompt, s.origin, s.input_tokens AS inputTokens, s.output_tokens AS outputTokens,
  s.cache_read_tokens AS cacheReadTokens, s.cache_write_tokens AS cacheWriteTokens, s.reasoning_tokens AS reasoningTokens,
  s.model_calls AS modelCalls, s.cost_micros AS costMicros, s.cost_unknown AS isCostUnknown
  FROM session s LEFT JOIN session p ON p.no = s.parent LEFT JOIN prompt t ON t.hash = s.prompt WHERE s.conversation = ? ORDER BY s.no`;

function toSession(tx: Tx, row: StoredSession): SessionRow {
  const {
    no,
    settings,
    origin,
    isCostUnknown,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
    modelCalls,
    ...rest
  } = row;
  return {
    ...rest,
    settings: JSON.parse(settings) as Record<string, unknown>,
    origin: parsed<Record<string, unknown>>(origin) ?? null,
    usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, modelCalls },
    isCostUnknown: isCostUnknown === 1,
    openings: tx.db.all(
      "SELECT platform, opened_ms AS openedMs, closed_ms AS closedMs, reason FROM opening WHERE session = ? ORDER BY no",
      no,
    ),
  };
}

const PLACED = `SELECT m.seq, m.role, m.text, m.body, m.carried, m.imported, m.created_ms, t.id AS turn, k.id AS call, s.id AS session
  FROM message m JOIN session s ON s.no = m.session LEFT JOIN turn t ON t.no = m.turn LEFT JOIN tool_call k ON k.no = m.call`;

function toHistory(tx: Tx, conversation: number, rows: readonly PlacedRow[]): HistoryRow[] {
  const ranges = supersededRanges(tx, conversation);
  return rows.map((row) => ({
    ...toMessage(row),
    session: row.session,
    isSuperseded: isIn(ranges, row.seq),
    isImported: row.imported === 1,
  }));
}

/** Ids are given without gaps and never again, so the newest id less what was erased is the count. */
function messageCount(tx: Tx, counted: (name: string) => number): number {
  const newest = tx.db.get<{ id: number | null }>("SELECT max(id) AS id FROM message")?.id ?? 0;
  return Math.max(newest, counted("message_floor")) - counted("messages_erased");
}

function openWork(tx: Tx): Pick<StoreStats, "spend" | "open" | "bytes"> {
  const count = (sql: string): number => tx.db.get<{ n: number }>(sql)?.n ?? 0;
  const spend = tx.db.get<StoreStats["spend"]>(
    `SELECT coalesce(sum(input_tokens), 0) AS inputTokens, coalesce(sum(output_tokens), 0) AS outputTokens, coalesce(sum(cost_micros), 0) AS costMicros,
       coalesce(sum(model_calls), 0) AS modelCalls, coalesce(sum(unpriced_calls), 0) AS unpricedCalls, coalesce(sum(turns), 0) AS turns FROM spend`,
  );
  return {
    spend: spend ?? { inputTokens: 0, outputTokens: 0, costMicros: 0, modelCalls: 0, unpricedCalls: 0, turns: 0 },
    open: {
      turns: count("SELECT count(*) AS n FROM turn WHERE state <> 'settled'"),
      inputs: count("SELECT count(*) AS n FROM input WHERE state = 'queued'"),
      deliveries: count("SELECT count(*) AS n FROM delivery WHERE ended_ms IS NULL"),
      hooks: count("SELECT count(*) AS n FROM hook_delivery WHERE ended_ms IS NULL"),
      jobs: count("SELECT count(*) AS n FROM job WHERE state IN ('queued', 'running')"),
    },
    bytes: count("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size"),
  };
}
