/**
 * Titles in the store [LS-4 … LS-7] [CR-11]: unique among sessions, numbered along a lineage. A title held by
 * an earlier session of the same conversation moves to its tip; one held elsewhere is taken.
 */
import type { ConversationId } from "#base/ids.js";
import type { TitleOutcome } from "#session/input.js";
import { cleanTitle, type NumberedTitle, numberedTitle } from "#session/title.js";
import type { Conversation } from "./acts.js";
import { sqliteFault } from "./connection.js";
import type { Tx } from "./tx.js";

export function setTitle(tx: Tx, conversation: Conversation, text: string): TitleOutcome {
  const clean = cleanTitle(text);
  if (clean.kind === "invalid") return { kind: "dropped", reason: clean.reason };
  const holder = tx.db.get<{ no: number; conversation: number; id: ConversationId }>(
    "SELECT s.no, s.conversation, c.id FROM session s JOIN conversation c ON c.no = s.conversation WHERE s.title = ?",
    clean.title.title,
  );
  if (holder !== undefined && holder.conversation !== conversation.no)
    return { kind: "dropped", reason: "taken", holder: holder.id };
  if (holder !== undefined) clearTitle(tx, holder.no);
  writeTitle(tx, conversation.tip, clean.title);
  return { kind: "set", title: clean.title.title };
}

/**
 * [LS-4] [LS-5] [LS-6] The wish is a column, written with the first message, and granted at once where it can
 * be. A title that is taken or invalid is dropped; any other failure leaves the wish for the next turn, and
 * never costs the message.
 */
export function wantTitle(tx: Tx, conversation: Conversation, text: string): TitleOutcome {
  tx.db.run("UPDATE conversation SET wanted_title = ? WHERE no = ?", text, conversation.no);
  return grantTitle(tx, conversation, text);
}

export function grantTitle(tx: Tx, conversation: Conversation, wanted: string): TitleOutcome {
  tx.db.exec("SAVEPOINT title");
  try {
    const outcome = setTitle(tx, conversation, wanted);
    tx.db.run("UPDATE conversation SET wanted_title = NULL WHERE no = ?", conversation.no);
    tx.db.exec("RELEASE title");
    return outcome;
  } catch (error) {
    // Only a refused statement may be survived here; when the transaction itself is gone, so is the message.
    if (sqliteFault(error) !== "constraint" || !tx.db.isInTransaction) throw error;
    tx.db.exec("ROLLBACK TO title; RELEASE title");
    return { kind: "kept-for-later" };
  }
}

export function clearTitle(tx: Tx, session: number): void {
  tx.db.run("UPDATE session SET title = NULL, title_base = NULL, title_no = NULL WHERE no = ?", session);
}

export function titleOf(tx: Tx, session: number): NumberedTitle | undefined {
  return tx.db.get<NumberedTitle>(
    "SELECT title, title_base AS base, title_no AS number FROM session WHERE no = ? AND title IS NOT NULL",
    session,
  );
}

/** Gives `session` the next free title of a lineage; undefined after too many collisions of cut bases. */
export function numberTitle(tx: Tx, session: number, base: string): string | undefined {
  const newest = tx.db.get<{ number: number | null }>(
    "SELECT max(title_no) AS number FROM session WHERE title_base = ?",
    base,
  )?.number;
  const first = newest === null || newest === undefined ? 1 : newest + 1;
  for (let number = first; number < first + COLLISIONS_MAX; number++) {
    const title = numberedTitle(base, number);
    if (tx.db.get("SELECT 1 FROM session WHERE title = ?", title.title) !== undefined) continue;
    writeTitle(tx, session, title);
    return title.title;
  }
  return undefined;
}

const COLLISIONS_MAX = 1_000;

function writeTitle(tx: Tx, session: number, title: NumberedTitle): void {
  tx.db.run(
    "UPDATE session SET title = ?, title_base = ?, title_no = ? WHERE no = ?",
    title.title,
    title.base,
    title.number,
    session,
  );
}
