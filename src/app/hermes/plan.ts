/**
 * The order of an import, and why each session exists. The source only stores a parent and leaves the rest to
 * guesses; here every session gets one kind of lineage, once, before anything is written. The plan lives in a
 * temporary database of its own, so that memory stays flat however many sessions there are, and so that no index
 * of the source is needed.
 */
import { createHash } from "node:crypto";
import { Connection } from "#store/sqlite/connection.js";
import { toMs, toText } from "./columns.js";
import { isSummary } from "./copies.js";
import { isRecord, readJson } from "./json-text.js";
import type { Ledger } from "./report.js";
import type { HermesSource, OutlineRow } from "./source.js";

/**
 * `continuation` goes on with its parent's conversation after a compaction; the others begin one: `detached`
 * has a parent that does not explain it, `sibling` is a second continuation of one session.
 */
export type PlanKind = "root" | "continuation" | "branch" | "delegation" | "detached" | "sibling";

export interface PlanRow {
  readonly no: number;
  /** As stored here; the source's own wherever it can be kept. */
  readonly id: string;
  readonly sourceId: string;
  /** Its row in the source; null for messages whose session is gone. */
  readonly row: number | null;
  readonly kind: PlanKind;
  /** The session (as stored here, and as named there) that it comes from. */
  readonly parent: string | null;
  readonly parentSource: string | null;
}

export interface Plan {
  readonly sessions: number;
  /** Sessions whose parents are imported, at most `limit`. */
  ready(limit: number): readonly PlanRow[];
  done(rows: readonly PlanRow[]): void;
  /** When nothing is ready and something is left, sessions are each other's parents: cuts one such circle. */
  cutCycle(): PlanRow | undefined;
  has(sourceId: string): boolean;
  storedId(sourceId: string): string;
}

const PAGE_SESSIONS = 1_000;
const DELEGATES_TAGGED_SINCE = 16;
/** A summary stands within the first few messages of a continuation. */
const SUMMARY_AMONG = 6;

export function makePlan(source: HermesSource, routed: ReadonlySet<string>, ledger: Ledger): Plan {
  // An empty path is SQLite's private temporary file: it is gone with the process, however that ends.
  const db = new Connection({ path: "" });
  db.exec(SCHEMA);
  db.run("BEGIN");
  fill(db, source, ledger);
  explain(db, source, routed, ledger);
  db.run("UPDATE plan SET ready = 1 WHERE link IS NULL");
  db.run("COMMIT");
  return planOn(db, ledger);
}

const SCHEMA = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;
  CREATE TABLE plan(
    no INTEGER PRIMARY KEY, id TEXT NOT NULL, source_id TEXT NOT NULL UNIQUE, row INTEGER, parent TEXT,
    started REAL, ended REAL, reason TEXT, branched TEXT, delegated TEXT, kind TEXT, link INTEGER,
    ready INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX plan_parent ON plan(parent, started, no);
  CREATE INDEX plan_link ON plan(link);
  CREATE INDEX plan_ready ON plan(no) WHERE ready AND NOT done;
  CREATE INDEX plan_left ON plan(no) WHERE NOT done;
`;

function fill(db: Connection, source: HermesSource, ledger: Ledger): void {
  let afterRow = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const page = source.outline(afterRow, PAGE_SESSIONS);
    const last = page.at(-1);
    if (last === undefined) break;
    for (const row of page) insert(db, row, ledger);
    afterRow = last.row;
  }
  for (const sourceId of source.strayIds()) {
    if (db.get("SELECT 1 FROM plan WHERE source_id = ?", sourceId) !== undefined) continue;
    db.run("INSERT INTO plan(id, source_id, kind) VALUES (?, ?, 'root')", storable(sourceId, ledger), sourceId);
    ledger.odd("stray-messages", sourceId, undefined, source.messageCount(sourceId) || 1);
  }
}

function insert(db: Connection, row: OutlineRow, ledger: Ledger): void {
  const sourceId = toText(row.id) ?? `row ${row.row}`;
  const config = readJson(toText(row.model_config) ?? "null");
  const settings = config.kind === "value" && isRecord(config.value) ? config.value : {};
  const mark = (key: string): string | null => (typeof settings[key] === "string" ? settings[key] : null);
  db.run(
    `INSERT INTO plan(id, source_id, row, parent, started, ended, reason, branched, delegated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    storable(sourceId, ledger),
    sourceId,
    row.row,
    toText(row.parent_session_id) || null,
    toMs(row.started_at),
    toMs(row.ended_at),
    toText(row.end_reason),
    mark("_branched_from"),
    mark("_delegate_from"),
  );
}

const ID_CHARS_MIN = 4;
const ID_CHARS_MAX = 120;

/** Kept as it is wherever the store can hold it, with room for the numbers of its parts. */
function storable(sourceId: string, ledger: Ledger): string {
  const length = [...sourceId].length;
  if (length >= ID_CHARS_MIN && length <= ID_CHARS_MAX && !sourceId.includes("\0")) return sourceId;
  const hash = createHash("sha256").update(sourceId).digest("hex").slice(0, 12);
  const id = `hermes-${[...sourceId.replaceAll("\0", "")].slice(0, 40).join("")}-${hash}`;
  ledger.odd("renamed-session", sourceId, `stored as ${id}`);
  return id;
}

/** Branch and delegation are marked there; a compaction is known by how and when the parent ended. */
const EXPLAIN = `
  UPDATE plan AS c SET link = (SELECT p.no FROM plan p WHERE p.source_id = coalesce(
    (SELECT m.source_id FROM plan m WHERE m.source_id = coalesce(c.branched, c.delegated)), c.parent) AND p.no <> c.no)
    WHERE kind IS NULL;
  UPDATE plan AS c SET kind = CASE
    WHEN delegated IS NOT NULL THEN 'delegation'
    WHEN branched IS NOT NULL THEN 'branch'
    WHEN link IS NULL THEN 'root'
    ELSE (SELECT CASE WHEN p.reason = 'compression' AND c.started >= p.ended THEN 'continuation'
      WHEN p.reason = 'branched' AND c.started >= p.ended THEN 'branch' ELSE 'detached' END FROM plan p WHERE p.no = c.link) END
    WHERE kind IS NULL;
  CREATE TEMP TABLE first AS SELECT min(no) AS no FROM plan AS c WHERE kind = 'continuation'
    AND NOT EXISTS (SELECT 1 FROM plan e WHERE e.parent = c.parent AND e.kind = 'continuation' AND (e.started, e.no) < (c.started, c.no))
    GROUP BY parent;
  UPDATE plan SET kind = 'sibling' WHERE kind = 'continuation' AND no NOT IN (SELECT no FROM first);
`;

interface Explained {
  readonly no: number;
  readonly source_id: string;
  readonly parent: string | null;
  readonly kind: PlanKind;
  readonly link: number | null;
  readonly delegated: string | null;
  readonly branched: string | null;
  readonly parent_reason: string | null;
}

function explain(db: Connection, source: HermesSource, routed: ReadonlySet<string>, ledger: Ledger): void {
  db.exec(EXPLAIN);
  let afterNo = 0;
  for (;;) {
    const page = db.all<Explained>(
      `SELECT c.no, c.source_id, c.parent, c.kind, c.link, c.delegated, c.branched, p.reason AS parent_reason
       FROM plan c LEFT JOIN plan p ON p.no = c.link
       WHERE c.no > ? AND (c.kind IN ('detached', 'sibling', 'delegation') OR (c.link IS NULL AND (c.parent IS NOT NULL OR c.branched IS NOT NULL)))
       ORDER BY c.no LIMIT ?`,
      afterNo,
      PAGE_SESSIONS,
    );
    const last = page.at(-1);
    if (last === undefined) return;
    for (const row of page) {
      const kind = judge(row, source, routed, ledger);
      if (kind !== row.kind) db.run("UPDATE plan SET kind = ? WHERE no = ?", kind, row.no);
    }
    afterNo = last.no;
  }
}

/** What the marks alone do not settle. Everything here is reported. */
function judge(row: Explained, source: HermesSource, routed: ReadonlySet<string>, ledger: Ledger): PlanKind {
  if (row.kind === "sibling") {
    ledger.odd("second-continuation", row.source_id, `of ${row.parent}`);
    return "sibling";
  }
  if (row.link === null && row.kind !== "delegation") {
    const isSelf = row.parent === row.source_id;
    ledger.odd(
      isSelf ? "self-parent" : "missing-parent",
      row.source_id,
      isSelf ? undefined : (row.branched ?? row.parent ?? ""),
    );
    return "root";
  }
  // A parent that was closed too early hides its continuation among the delegated runs.
  if (routed.has(row.source_id) || beginsWithSummary(source, row.source_id)) {
    ledger.odd(
      "ended-but-continued",
      row.source_id,
      row.parent === null ? undefined : `after ${row.parent} (${row.parent_reason ?? "open"})`,
    );
    return row.link === null ? "root" : "detached";
  }
  if (row.kind === "delegation") return row.kind;
  if (source.schema !== null && source.schema < DELEGATES_TAGGED_SINCE) return "delegation";
  ledger.odd("unexplained-parent", row.source_id, `of ${row.parent} (${row.parent_reason ?? "open"})`);
  return "detached";
}

function beginsWithSummary(source: HermesSource, session: string): boolean {
  const ids = source.messageIds(session, -1, SUMMARY_AMONG);
  return source.messages(ids, Number.MAX_SAFE_INTEGER).some((row) => isSummary(row.content));
}

const ROWS = `SELECT c.no, c.id, c.source_id AS sourceId, c.row, c.kind, p.id AS parent, p.source_id AS parentSource
  FROM plan c LEFT JOIN plan p ON p.no = c.link`;

function planOn(db: Connection, ledger: Ledger): Plan {
  return {
    sessions: db.get<{ n: number }>("SELECT count(*) AS n FROM plan WHERE row IS NOT NULL")?.n ?? 0,
    ready: (limit) => db.all<PlanRow>(`${ROWS} WHERE c.ready AND NOT c.done ORDER BY c.no LIMIT ?`, limit),
    done(rows) {
      for (const { no } of rows) {
        db.run("UPDATE plan SET done = 1 WHERE no = ?", no);
        db.run("UPDATE plan SET ready = 1 WHERE link = ?", no);
      }
    },
    cutCycle() {
      const left = db.get<{ no: number }>("SELECT no FROM plan WHERE NOT done ORDER BY no LIMIT 1");
      if (left === undefined) return undefined;
      db.run("UPDATE plan SET link = NULL, kind = 'root', ready = 1 WHERE no = ?", left.no);
      const row = db.get<PlanRow>(`${ROWS} WHERE c.no = ?`, left.no);
      if (row !== undefined) ledger.odd("parent-cycle", row.sourceId);
      return row;
    },
    has: (sourceId) => db.get("SELECT 1 FROM plan WHERE source_id = ?", sourceId) !== undefined,
    storedId: (sourceId) => db.get<{ id: string }>("SELECT id FROM plan WHERE source_id = ?", sourceId)?.id ?? sourceId,
  };
}
