/**
 * Commands said in chats, and questions put to them [GW] [CT-2] [CT-10]. A command is stored before it is run, its attempt
 * counted before it is made, and its end commits with the answer; then its words go.
 */
import { invariant } from "#base/errors.js";
import type { ApprovalId, ChatCommandId, ConversationId, DeliveryId, PersonId } from "#base/ids.js";
import { type Address, destinationOf } from "#session/address.js";
import type { ApprovalAnswer } from "#session/approval.js";
import {
  type AskedQuestion,
  type ChatCommandRow,
  type ChatVerbs,
  COMMAND_ATTEMPTS_MAX,
  COMMAND_CHARS_MAX,
  COMMANDS_QUEUED_MAX,
  QUESTION_MESSAGES_MAX,
} from "#session/verbs/chat.js";
import { findConversation } from "../acts.js";
import { owe } from "../line.js";
import type { Tx, VerbTable } from "../tx.js";

type CommandVerbs = Pick<
  ChatVerbs,
  | "admitCommand"
  | "beginCommand"
  | "finishCommand"
  | "openCommands"
  | "question"
  | "questionStanding"
  | "openQuestion"
  | "tellJob"
>;

export const chatCommandVerbs: VerbTable<CommandVerbs> = {
  admitCommand(tx, { platform, account, eventId, routeKey, address, author, line, nowMs }) {
    if (isKnown(tx, { platform, account, eventId })) return { kind: "duplicate" };
    if (line.length > COMMAND_CHARS_MAX) return { kind: "too-long" };
    if (queuedIn(tx, routeKey) >= COMMANDS_QUEUED_MAX) return { kind: "full" };
    const command = tx.newId<ChatCommandId>();
    tx.db.run(
      `INSERT INTO chat_command(id, platform, account, event_id, route_key, author, line, address, state, received_ms)
       VALUES (?, ?, ?, ?, ?, (SELECT no FROM person WHERE id = ?), ?, ?, 'queued', ?)`,
      command,
      platform,
      account,
      eventId,
      routeKey,
      author,
      line.toWellFormed(),
      JSON.stringify(address),
      nowMs,
    );
    return { kind: "new", command };
  },

  beginCommand(tx, { command }) {
    const row = tx.db.get<{ no: number; state: string; attempts: number; begun_in: number | null; at: number | null }>(
      `SELECT no, state, attempts, begun_in, (SELECT conversation FROM route WHERE key = route_key) AS at
       FROM chat_command WHERE id = ?`,
      command,
    );
    if (row === undefined || row.state !== "queued") return { kind: "ended" };
    if (row.attempts >= COMMAND_ATTEMPTS_MAX) return { kind: "spent" };
    const from = row.attempts === 0 ? row.at : row.begun_in;
    tx.db.run("UPDATE chat_command SET attempts = attempts + 1, begun_in = ? WHERE no = ?", from, row.no);
    return { kind: "begun", attempts: row.attempts + 1, from: idOf(tx, from), at: idOf(tx, row.at) };
  },

  finishCommand(tx, { command, outcome, parts, conversation, nowMs }) {
    const row = tx.db.get<{ no: number; address: string | null }>(
      "SELECT no, address FROM chat_command WHERE id = ? AND state = 'queued'",
      command,
    );
    if (row === undefined) return { kind: "ended" };
    invariant(row.address !== null, "a command under way knows where it was said");
    tx.db.run(
      "UPDATE chat_command SET state = ?, reason = ?, line = NULL, address = NULL, ended_ms = ? WHERE no = ?",
      outcome.kind,
      outcome.kind === "dead" ? outcome.reason : null,
      nowMs,
      row.no,
    );
    const found = conversation === undefined ? undefined : findConversation(tx, conversation);
    owed(tx, JSON.parse(row.address) as Address, {
      parts,
      conversation: found?.deleted_ms === null ? found.no : null,
      nowMs,
    });
    return { kind: "finished" };
  },

  openCommands(tx, { routeKey, limit }) {
    const rows =
      routeKey === undefined
        ? tx.db.all<OpenRow>(`${open("chat_command_open")} ORDER BY c.no LIMIT ?`, limit)
        : tx.db.all<OpenRow>(`${open("chat_command_line")} AND c.route_key = ? ORDER BY c.no LIMIT ?`, routeKey, limit);
    return rows.map((row) => ({ ...row, address: JSON.parse(row.address) as Address }));
  },

  question(tx, { approval }) {
    const row = tx.db.get<QuestionRow>(`${QUESTION} WHERE a.id = ?`, approval);
    return row === undefined ? null : toQuestion(row);
  },

  questionStanding(tx, { approval }) {
    const row = tx.db.get<StandingRow>(STANDING, approval);
    const messages = row === undefined ? [] : tx.db.all<MessageRow>(MESSAGES, row.conversation, approval);
    if (row === undefined || messages.length === 0) return { kind: "nowhere" };
    if (row.answer === null) return { kind: "open" };
    // What never arrived cannot be changed either.
    const there = messages.filter(({ state }) => state !== "dead");
    if (there.length === 0) return { kind: "nowhere" };
    return {
      kind: "decided",
      messages: there.map(({ state: _, marked, address, ...message }) => ({
        ...message,
        isMarked: marked === 1,
        address: JSON.parse(address) as Address,
      })),
      question: JSON.parse(row.question) as Record<string, unknown>,
      answer: row.answer,
      reply: row.reply,
      by: row.by === null ? null : { id: row.by, name: row.name },
    };
  },

  openQuestion(tx, { routeKey, ...event }) {
    const row = tx.db.get<QuestionRow>(
      `${QUESTION} WHERE a.conversation = (SELECT conversation FROM route WHERE key = ?) AND a.state = 'pending'
       ORDER BY a.no LIMIT 1`,
      routeKey,
    );
    const question = row === undefined ? null : toQuestion(row);
    return { isKnown: isKnownCommand(tx, event), queued: queuedIn(tx, routeKey), question };
  },

  tellJob(tx, { job, address, text, nowMs }) {
    const told = tx.db.run(
      "UPDATE job SET state = 'done', ended_ms = ? WHERE id = ? AND ended_ms IS NULL AND state = 'running'",
      nowMs,
      job,
    );
    if (told === 0) return { kind: "unknown" };
    owed(tx, address, { parts: [text], conversation: null, nowMs });
    return { kind: "told" };
  },
};

type OpenRow = Omit<ChatCommandRow, "address"> & { readonly address: string };

function open(index: string): string {
  return `SELECT c.id, c.platform, c.account, c.event_id AS eventId, c.route_key AS routeKey, c.address, p.id AS author,
    c.line, c.attempts FROM chat_command c INDEXED BY ${index} JOIN person p ON p.no = c.author WHERE c.state = 'queued'`;
}

function queuedIn(tx: Tx, routeKey: string): number {
  const row = tx.db.get<{ count: number }>(
    "SELECT count(*) AS count FROM chat_command WHERE route_key = ? AND state = 'queued'",
    routeKey,
  );
  return row?.count ?? 0;
}

interface EventName {
  readonly platform: string;
  readonly account: string;
  readonly eventId: string;
}

/** As a command, or as a message: which of both it is may change with the commands there are, and it happened once. */
function isKnown(tx: Tx, event: EventName): boolean {
  const { platform, account, eventId } = event;
  return (
    isKnownCommand(tx, event) ||
    tx.db.get("SELECT 1 FROM input WHERE platform = ? AND account = ? AND event_id = ?", platform, account, eventId) !==
      undefined
  );
}

function isKnownCommand(tx: Tx, { platform, account, eventId }: EventName): boolean {
  return (
    tx.db.get(
      "SELECT 1 FROM chat_command WHERE platform = ? AND account = ? AND event_id = ?",
      platform,
      account,
      eventId,
    ) !== undefined
  );
}

function idOf(tx: Tx, conversation: number | null): ConversationId | null {
  if (conversation === null) return null;
  const row = tx.db.get<{ id: ConversationId }>("SELECT id FROM conversation WHERE no = ?", conversation);
  invariant(row, "a stored reference leads to a conversation");
  return row.id;
}

const QUESTION = `SELECT a.id AS approval, c.id AS conversation, p.id AS author, p.name, a.question, a.answer
  FROM approval a JOIN conversation c ON c.no = a.conversation JOIN turn t ON t.no = a.turn
  JOIN input i ON i.no = t.input JOIN person p ON p.no = i.author`;

interface QuestionRow {
  readonly approval: ApprovalId;
  readonly conversation: ConversationId;
  readonly author: PersonId;
  readonly name: string | null;
  readonly question: string;
  readonly answer: ApprovalAnswer | null;
}

function toQuestion({ author, name, question, ...row }: QuestionRow): AskedQuestion {
  return { ...row, author: { id: author, name }, question: JSON.parse(question) as Record<string, unknown> };
}

const STANDING = `SELECT a.conversation, a.question, a.answer, a.reply, p.id AS by, p.name
  FROM approval a LEFT JOIN person p ON p.no = a.decided_by WHERE a.id = ?`;

/** The last part of each names it. They are among the newest of what was owed beside replies, so these are looked at first. */
const MESSAGES = `SELECT id AS delivery, address, text, marked, receipt, state FROM delivery INDEXED BY delivery_notice
  WHERE conversation = ? AND turn IS NULL AND body ->> '$.approval' = ? ORDER BY no DESC LIMIT ${QUESTION_MESSAGES_MAX}`;

interface StandingRow {
  readonly conversation: number;
  readonly question: string;
  readonly answer: ApprovalAnswer | null;
  readonly reply: string | null;
  readonly by: PersonId | null;
  readonly name: string | null;
}

interface MessageRow {
  readonly delivery: DeliveryId;
  readonly address: string;
  readonly text: string;
  readonly marked: number;
  readonly receipt: string | null;
  readonly state: string;
}

function owed(
  tx: Tx,
  address: Address,
  { parts, conversation, nowMs }: { parts: readonly string[]; conversation: number | null; nowMs: number },
): void {
  owe(tx, {
    conversation,
    platform: address.platform,
    destination: destinationOf(address),
    address: JSON.stringify(address),
    parts,
    nowMs,
  });
}
