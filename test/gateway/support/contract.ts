/**
 * The contract, as checks over what anybody can see [CT-1 … CT-4]: every message that the platform regards as taken has
 * one turn, and one reply in its own chat, in order; a second copy of a reply says that it is one.
 */
import { SECOND_COPY } from "#gateway/words.js";
import type { Connection } from "#store/sqlite/connection.js";
import { findHalves } from "../../chaos/checker/halves.js";
import { findDamage, findDisorder } from "../../chaos/checker/order.js";
import { chatOf, tokensIn } from "./echo.js";

/** Something that was said to us, once, however often it was delivered. */
export interface Told {
  readonly chat: string;
  readonly token: string;
  readonly eventId: string;
  /** What its reply shows, a token for each message of it; the token itself unless told. */
  readonly answers?: readonly string[];
}

/** A chat as its people see it. */
export interface View {
  readonly chat: string;
  /** Our messages, oldest first. */
  readonly posts: readonly string[];
}

export interface Window {
  /** Deaths without a word: each may cost every chat one marked copy. */
  readonly deaths: number;
}

/** Everything that is wrong in the chats. `told` stands in the order in which each chat's messages first arrived. */
export function judgeViews(told: readonly Told[], views: readonly View[], { deaths }: Window): readonly string[] {
  return views.flatMap(({ chat, posts }) => {
    const wrong: string[] = [];
    const replies = posts.map((text) => ({ text, tokens: tokensIn(text), isMarked: text.startsWith(SECOND_COPY) }));
    for (const { text, tokens } of replies) {
      if (tokens.some((token) => chatOf(token) !== chat)) wrong.push(`chat ${chat} shows words of another: ${text}`);
      if (tokens.length > 1) wrong.push(`chat ${chat} shows two answers in one: ${text}`);
    }
    const seen = replies.flatMap(({ tokens }) => tokens);
    const first = seen.filter((token, at) => seen.indexOf(token) === at);
    const expected = told.filter((one) => one.chat === chat).flatMap(answersTo);
    const lost = expected.filter((token) => !first.includes(token));
    if (lost.length > 0) wrong.push(`chat ${chat} never saw an answer to ${lost.join(" ")}`);
    else if (first.join() !== expected.join())
      wrong.push(`chat ${chat} shows ${first.join(" ")}, not ${expected.join(" ")}`);
    const grouped = seen.filter((token, at) => seen[at - 1] !== token);
    if (grouped.length !== first.length)
      wrong.push(`chat ${chat} shows a copy behind a later answer: ${seen.join(" ")}`);
    for (const token of first) {
      const plain = replies.filter(({ tokens, isMarked }) => !isMarked && tokens.includes(token)).length;
      if (plain > 1) wrong.push(`chat ${chat} shows ${token} ${plain} times without a mark`);
    }
    const marked = replies.filter(({ isMarked }) => isMarked).length;
    if (marked > deaths) wrong.push(`chat ${chat} shows ${marked} marked copies after ${deaths} deaths`);
    return wrong;
  });
}

function answersTo({ token, answers = [token] }: Told): readonly string[] {
  return answers;
}

/** What a dead or stopped gateway left: everything acknowledged is stored, as words or as a command [CT-1]. */
export function judgeKept(db: Connection, acknowledged: readonly { readonly eventId: string }[]): readonly string[] {
  const stored = db.all<{ id: string }>("SELECT event_id AS id FROM input UNION ALL SELECT event_id FROM chat_command");
  const kept = new Set(stored.map(({ id }) => id));
  const lost = new Set(acknowledged.map(({ eventId }) => eventId).filter((id) => !kept.has(id)));
  return [...lost].map((id) => `${id} was acknowledged and is not stored`);
}

/** Sends whose outcome nobody learnt, in a store that was left by a death. */
export function inTheAir(db: Connection): number {
  return db.get<{ count: number }>("SELECT count(*) AS count FROM delivery WHERE state = 'sending'")?.count ?? 0;
}

interface InputRow {
  readonly id: string;
  readonly state: string;
  readonly turns: number;
  readonly outcome: string | null;
}

/** The store of a gateway that had nothing left to do. */
export function judgeStore(
  db: Connection,
  told: readonly Told[],
  { isStopped = false }: { readonly isStopped?: boolean } = {},
): readonly string[] {
  const rows = db.all<InputRow>(
    `SELECT i.event_id AS id, i.state, count(t.no) AS turns, min(t.outcome) AS outcome
     FROM input i LEFT JOIN turn t ON t.input = i.no GROUP BY i.no`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wrong = told.flatMap(({ eventId, token }) => {
    const row = byId.get(eventId);
    if (row === undefined) return [`${token} is not stored`];
    const isWell = row.state === "taken" && row.turns === 1 && row.outcome === "completed";
    return isWell ? [] : [`${token} is ${row.state} with ${row.turns} turns, ${row.outcome ?? "open"}`];
  });
  const strangers = rows.length - told.length;
  if (strangers !== 0) wrong.push(`${rows.length} inputs are stored of ${told.length} messages`);
  const owed = db.all<{ what: string }>(
    "SELECT state || ' ' || coalesce(error, '') || ' ' || coalesce(text, '') AS what FROM delivery WHERE state <> 'sent'",
  );
  for (const { what } of owed) wrong.push(`a delivery is ${what.slice(0, 200)}`);
  return [...wrong, ...judgeTranscripts(db, told), ...judgeRows(db, isStopped)];
}

/** Each chat is one conversation, in which question and answer alternate in the order in which they came. */
function judgeTranscripts(db: Connection, told: readonly Told[]): readonly string[] {
  const lines = db.all<{ conversation: number; role: string; text: string }>(
    "SELECT conversation, role, text FROM message WHERE role IN ('user', 'assistant') ORDER BY conversation, seq",
  );
  const byConversation = new Map<number, string[]>();
  for (const { conversation, role, text } of lines) {
    // What was said before a tool was used has none.
    if (tokensIn(text).length === 0) continue;
    const words = byConversation.get(conversation) ?? [];
    byConversation.set(conversation, [...words, `${role} ${tokensIn(text).join(" ")}`]);
  }
  const found = [...byConversation.values()].map((words) => words.join("\n")).sort();
  const chats = [...new Set(told.map(({ chat }) => chat))];
  const expected = chats
    .map((chat) =>
      told
        .filter((one) => one.chat === chat)
        .flatMap((one) => [`user ${one.token}`, `assistant ${answersTo(one).join(" ")}`]),
    )
    .map((words) => words.join("\n"))
    .sort();
  return expected.flatMap((words, at) =>
    words === found[at] ? [] : [`a transcript is\n${found[at] ?? "missing"}\nand not\n${words}`],
  );
}

/** `isStopped`: a gateway was stopped in order while turns ran, which counts as no attempt of theirs. */
function judgeRows(db: Connection, isStopped: boolean): readonly string[] {
  const isMeant = (sql: string): boolean => isForAnyone(sql) && !(isStopped && sql.includes("count(DISTINCT m.epoch)"));
  const found = [...findDamage(db), ...findHalves(db, isMeant), ...findDisorder(db, isMeant)];
  return found.map(({ text }) => text);
}

/** The store's own chaos marks its messages, and it has hooks. */
function isForAnyone(sql: string): boolean {
  return !sql.includes("$.chaos.") && !sql.includes("hook_delivery");
}
