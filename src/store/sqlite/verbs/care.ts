/**
 * Upkeep: hosts, people, orphans, attachments, the audit. Import has a file of its own.
 */
import { invariant } from "#base/errors.js";
import type { PersonId } from "#base/ids.js";
import { NO_HOST } from "#session/turn.js";
import type { CareVerbs } from "#session/verbs/care.js";
import { BUSY_CONVERSATIONS, personNo } from "../acts.js";
import type { VerbTable } from "../tx.js";
import { importVerbs } from "./import.js";

const ORPHAN_AGE_MS = 7 * 86_400_000;

export const careVerbs: VerbTable<CareVerbs> = {
  ...importVerbs,

  beginHost(tx, { id, pid, version, nowMs }) {
    const row = tx.db.get<{ epoch: number }>(
      "INSERT INTO host(epoch, id, pid, version, started_ms) VALUES ((SELECT coalesce(max(epoch), 0) + 1 FROM host), ?, ?, ?, ?) RETURNING epoch",
      id,
      pid,
      version,
      nowMs,
    );
    invariant(row, "an insert returns its row");
    tx.db.run("DELETE FROM host WHERE epoch <= ?", row.epoch - HOSTS_KEPT);
    return row;
  },

  endHost(tx, { id }) {
    // A new epoch, so that what still runs in the host that goes cannot write for a turn that somebody else has.
    const released = tx.db.run(
      `UPDATE lease SET epoch = epoch + 1, host = ? WHERE host = ?
         AND conversation IN (SELECT conversation FROM turn WHERE state <> 'settled' AND state = 'running')`,
      NO_HOST,
      id,
    );
    return { released };
  },

  person(tx, { platform, account, sender, name, nowMs }) {
    const no = personNo(tx, { platform, account }, { account: sender, name }, nowMs);
    const row = tx.db.get<{ id: PersonId }>("SELECT id FROM person WHERE no = ?", no);
    invariant(row, "a person has a row");
    return row;
  },

  finishOrphans(tx, { nowMs, limit }) {
    // Only an import can bring such rows: its sessions may have an opening that nobody ever closed.
    const orphans = tx.db.all<{ no: number }>(
      `SELECT o.no FROM opening o JOIN session s ON s.no = o.session JOIN session p ON p.no = s.parent
       WHERE o.closed_ms IS NULL AND o.imported = 1 AND o.opened_ms < ?1 AND s.lineage = 'compaction'
         AND (SELECT reason FROM opening WHERE session = p.no ORDER BY no DESC LIMIT 1) = 'compression'
         AND EXISTS (SELECT 1 FROM message m WHERE m.conversation = s.conversation AND m.seq >= s.from_seq AND m.session = s.no)
         AND NOT EXISTS (SELECT 1 FROM route r WHERE r.conversation = s.conversation)
         AND s.conversation NOT IN (${BUSY_CONVERSATIONS})
         AND s.origin IS NOT NULL AND NOT EXISTS
           (SELECT 1 FROM message m WHERE m.conversation = s.conversation AND m.seq >= s.from_seq AND m.session = s.no AND m.imported = 0)
       ORDER BY o.no LIMIT ?2`,
      nowMs - ORPHAN_AGE_MS,
      limit,
    );
    for (const orphan of orphans) {
      tx.db.run("UPDATE opening SET closed_ms = ?, reason = 'orphaned_compression' WHERE no = ?", nowMs, orphan.no);
    }
    return { finished: orphans.length };
  },

  noteAudit(tx, { act, subject, detail, nowMs }) {
    tx.db.run(
      "INSERT INTO audit(at_ms, act, subject, detail) VALUES (?, ?, ?, ?)",
      nowMs,
      act,
      subject,
      JSON.stringify(detail ?? {}),
    );
    return { kind: "ok" };
  },

  addAttachment(tx, { sha256, mediaType, bytes, nowMs }) {
    const added = tx.db.run(
      "INSERT INTO attachment(sha256, media_type, bytes, created_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      sha256,
      mediaType,
      bytes,
      nowMs,
    );
    return { kind: added === 1 ? "added" : "known" };
  },
};

/** Epochs of long-dead hosts say nothing any more. */
const HOSTS_KEPT = 100;
