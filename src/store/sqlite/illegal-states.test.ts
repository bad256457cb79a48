/** Forbidden states of conversations, sessions, openings and history. */
import { type Attack, describeLegalSteps, describeRefusals, insert } from "../../../test/support/illegal-states.js";

const IDENTITY = "identity and lineage are stored once";
const TIP = "a session continues its conversation's tip";
const NEXT = "a message takes the next number of its conversation, in its tip";
const SUPERSEDED = "only past history of an idle conversation is superseded";

const NEW_CONVERSATION = "(SELECT no FROM conversation WHERE id = 'new-one')";
const conversation = (row: Record<string, string | number>): string =>
  insert("conversation", {
    id: "'new-one'",
    owner: 1,
    lineage: "'root'",
    source: "'cli'",
    created_ms: 1,
    active_ms: 1,
    ...row,
  });
const session = (row: Record<string, string | number>): string =>
  insert("session", {
    id: "'new-session'",
    conversation: ":closed",
    lineage: "'compaction'",
    parent: ":closedTip",
    from_seq: ":closedSeq + 1",
    created_ms: 1,
    ...row,
  });
const opening = (row: Record<string, string | number>): string =>
  insert("opening", { session: ":closedTip", platform: "'cli'", opened_ms: 1, ...row });
const message = (row: Record<string, string | number>): string =>
  insert("message", {
    conversation: ":busy",
    seq: ":busySeq + 1",
    session: ":busyTip",
    turn: ":runningTurn",
    epoch: 1,
    role: "'assistant'",
    text: "'words'",
    created_ms: 1,
    ...row,
  });
const range = (row: Record<string, string | number>): string =>
  insert("superseded", { conversation: ":closed", from_seq: 1, to_seq: 2, reason: "'undo'", created_ms: 1, ...row });

const CONVERSATIONS: readonly Attack[] = [
  ["a conversation deleted outright", "DELETE FROM conversation WHERE no = :closed", "leaves a tombstone"],
  [
    "[ST-14] a tombstone taken back",
    "UPDATE conversation SET deleted_ms = NULL WHERE no = :gone",
    "a tombstone is final",
  ],
  ["[ST-14] a tombstone moved", "UPDATE conversation SET deleted_ms = 5 WHERE no = :gone", "a tombstone is final"],
  ["[ST-14] a routed conversation deleted", "UPDATE conversation SET deleted_ms = 5 WHERE no = :chat", "unrouted"],
  ["[ST-14] a conversation deleted in mid-turn", "UPDATE conversation SET deleted_ms = 5 WHERE no = :busy", "idle"],
  [
    "a conversation deleted with an input that waits",
    "UPDATE conversation SET deleted_ms = 5 WHERE no = :closed",
    "idle",
    insert("input", {
      id: "'i'",
      platform: "'p'",
      account: "'a'",
      event_id: "'e'",
      conversation: ":closed",
      author: 1,
      mode: "'queue'",
      state: "'queued'",
      text: "'x'",
      received_ms: 1,
    }),
  ],
  ["a conversation deleted while it is open", "UPDATE conversation SET deleted_ms = 5 WHERE no = :idle", "closed"],
  ["a conversation born deleted", conversation({ deleted_ms: 1 }), "a conversation starts empty"],
  [
    "[ST-17] a conversation born with another's tip",
    conversation({ tip: ":closedTip" }),
    "a conversation starts empty",
  ],
  ["a conversation born with a history it does not have", conversation({ seq: 3 }), "a conversation starts empty"],
  ["a conversation born with a count it does not have", conversation({ message_count: 3 }), "starts empty"],
  ["a conversation of nobody", conversation({ owner: 99 }), "FOREIGN KEY constraint failed"],
  ["an unknown lineage", conversation({ lineage: "'guess'" }), "CHECK constraint failed: lineage IN"],
  ["a reset that continues nothing", conversation({ lineage: "'reset'" }), "CHECK constraint failed: lineage NOT IN"],
  [
    "a branch without its place",
    conversation({ lineage: "'branch'", parent: ":idle" }),
    "CHECK constraint failed: (lineage = 'branch')",
  ],
  ["an id given twice", conversation({ id: "(SELECT id FROM conversation WHERE no = :gone)" }), "UNIQUE"],
  ["a conversation without a source", conversation({ source: "''" }), "CHECK constraint failed: source"],
  ["an id changed", "UPDATE conversation SET id = 'other' WHERE no = :idle", IDENTITY],
  ["a lineage changed", "UPDATE conversation SET lineage = 'import' WHERE no = :idle", IDENTITY],
  ["a parent invented afterwards", "UPDATE conversation SET parent = :chat WHERE no = :idle", IDENTITY],
  ["an owner changed", "UPDATE conversation SET owner = 1 WHERE no = :idle", IDENTITY],
  ["a source changed", "UPDATE conversation SET source = 'cli' WHERE no = :idle", IDENTITY],
  ["a sequence set back", "UPDATE conversation SET seq = seq - 1 WHERE no = :idle", "a sequence grows"],
  ["a sequence with a gap", "UPDATE conversation SET seq = seq + 1 WHERE no = :idle", "a sequence grows"],
  ["a count that lies", "UPDATE conversation SET message_count = 0 WHERE no = :idle", "a sequence grows"],
];

const SESSIONS: readonly Attack[] = [
  [
    "[ST-17] a tip moved back",
    "UPDATE conversation SET tip = :chatOld WHERE no = :chat",
    "the tip is the newest session of its own conversation",
  ],
  [
    "[ST-17] a tip in another conversation",
    "UPDATE conversation SET tip = :idleTip WHERE no = :chat",
    "newest session",
  ],
  ["[ST-17] a tip taken away", "UPDATE conversation SET tip = NULL WHERE no = :chat", "newest session"],
  ["[ST-17] a tip that does not exist", "UPDATE conversation SET tip = 999 WHERE no = :chat", "newest session"],
  [
    "[ST-17] a tip superseded without a child",
    "UPDATE session SET superseded_ms = 5 WHERE no = :chatTip",
    "a tip is superseded by its child, once",
  ],
  [
    "[ST-17] a superseded session revived",
    "UPDATE session SET superseded_ms = NULL WHERE no = :chatOld",
    "a tip is superseded by its child, once",
  ],
  ["[CR-1] a session superseded twice", "UPDATE session SET superseded_ms = 9 WHERE no = :chatOld", "once"],
  ["[CR-1] a fork of a superseded session", session({ conversation: ":chat", parent: ":chatOld" }), TIP],
  ["[CR-1] a child in another conversation", session({ conversation: ":idle", from_seq: ":idleSeq + 1" }), TIP],
  ["[CR-1] a second root", session({ parent: "NULL", lineage: "'root'" }), TIP],
  ["[CR-1] a continuation that is no compaction", session({ lineage: "'branch'" }), TIP],
  [
    "[CR-1] a compaction of nothing",
    session({ conversation: NEW_CONVERSATION, parent: "NULL", from_seq: 1 }),
    TIP,
    conversation({}),
  ],
  [
    "a first session with another lineage than its conversation's",
    session({ conversation: NEW_CONVERSATION, parent: "NULL", lineage: "'import'", from_seq: 1 }),
    TIP,
    conversation({}),
  ],
  ["a session born superseded", session({ superseded_ms: 1 }), TIP],
  ["a session that begins with a gap", session({ from_seq: ":closedSeq + 2" }), TIP],
  ["a session that begins in the past", session({ from_seq: 1 }), TIP],
  [
    "[ST-16] a compaction that leaves its parent open",
    session({ conversation: ":idle", parent: ":idleTip", from_seq: ":idleSeq + 1" }),
    TIP,
  ],
  [
    "[ST-14] a session for a deleted conversation",
    session({ conversation: ":gone", parent: ":goneTip", from_seq: ":goneSeq + 1" }),
    TIP,
  ],
  ["a session deleted", "DELETE FROM session WHERE no = :chatOld", "a session row outlives its content"],
  ["a session's id changed", "UPDATE session SET id = 'other' WHERE no = :idleTip", IDENTITY],
  ["a session moved elsewhere", "UPDATE session SET conversation = :closed WHERE no = :idleTip", IDENTITY],
  ["a session's lineage rewritten", "UPDATE session SET lineage = 'import' WHERE no = :idleTip", IDENTITY],
  ["a session's beginning moved", "UPDATE session SET from_seq = 2 WHERE no = :idleTip", IDENTITY],
  [
    "[LS-7] a title held twice",
    "UPDATE session SET title = 'closed', title_base = 'closed', title_no = 1 WHERE no = :idleTip",
    "UNIQUE constraint failed: session.title",
  ],
  [
    "[LS-7] a title of 101 characters",
    "UPDATE session SET title = printf('%.101c', 'x'), title_base = 'x', title_no = 1 WHERE no = :idleTip",
    "CHECK constraint failed: title",
  ],
  [
    "[LS-7] a blank title",
    "UPDATE session SET title = '', title_base = 'x', title_no = 1 WHERE no = :idleTip",
    "CHECK",
  ],
  [
    "[LS-7] an untrimmed title",
    "UPDATE session SET title = ' x', title_base = 'x', title_no = 1 WHERE no = :idleTip",
    "CHECK",
  ],
  ["[CR-11] a title without its base", "UPDATE session SET title = 'x' WHERE no = :idleTip", "CHECK"],
  [
    "[CR-11] a title without its number",
    "UPDATE session SET title = 'x', title_base = 'x' WHERE no = :idleTip",
    "CHECK",
  ],
  [
    "[CR-11] a blank base",
    "UPDATE session SET title = 'x', title_base = '', title_no = 1 WHERE no = :idleTip",
    "CHECK",
  ],
  [
    "[CR-11] a title numbered zero",
    "UPDATE session SET title = 'x', title_base = 'x', title_no = 0 WHERE no = :idleTip",
    "CHECK",
  ],
  [
    "[ST-14] a title held by a deleted conversation",
    "UPDATE session SET title = 'x', title_base = 'x', title_no = 1 WHERE no = :goneTip",
    "a deleted conversation holds no title",
  ],
  [
    "settings that are no JSON",
    "UPDATE session SET settings = '{' WHERE no = :idleTip",
    "CHECK constraint failed: json_valid",
  ],
  ["a prompt that is not stored", `UPDATE session SET prompt = '${"b".repeat(64)}' WHERE no = :idleTip`, "FOREIGN KEY"],
  [
    "[CR-12] a session's prompt changed",
    "UPDATE session SET prompt = NULL WHERE prompt IS NOT NULL",
    "keeps its prompt",
  ],
  [
    "[CR-12] a session's prompt exchanged",
    `UPDATE session SET prompt = '${"b".repeat(64)}' WHERE prompt IS NOT NULL`,
    "keeps its prompt",
    insert("prompt", { hash: `'${"b".repeat(64)}'`, text: "'be quick'" }),
  ],
  ["a prompt rewritten under its hash", "UPDATE prompt SET text = 'be cruel'", "a prompt is its hash"],
];

const OPENINGS: readonly Attack[] = [
  ["[ST-16] a second opening beside an open one", opening({ session: ":idleTip" }), "UNIQUE constraint failed"],
  [
    "[ST-16] an opening closed twice",
    "UPDATE opening SET closed_ms = 9, reason = 'again' WHERE no = :closedOpening",
    "closes once",
  ],
  [
    "[ST-16] a closing reason changed",
    "UPDATE opening SET reason = 'other' WHERE no = :closedOpening",
    "its reason stays",
  ],
  [
    "[LS-2] the reason of a compaction changed",
    "UPDATE opening SET reason = 'cli_close' WHERE no = :compressedOpening",
    "its reason stays",
  ],
  [
    "[ST-16] an opening opened again",
    "UPDATE opening SET closed_ms = NULL, reason = NULL WHERE no = :closedOpening",
    "closes once",
  ],
  ["[ST-16] an end without a reason", "UPDATE opening SET closed_ms = 9 WHERE no = :openOpening", "CHECK"],
  ["[ST-16] a reason without an end", "UPDATE opening SET reason = 'why' WHERE no = :openOpening", "CHECK"],
  ["[ST-16] an empty reason", "UPDATE opening SET closed_ms = 9, reason = '' WHERE no = :openOpening", "CHECK"],
  ["[ST-16] a superseded session opened", opening({ session: ":chatOld" }), "only a tip can be opened"],
  ["[ST-14] a deleted conversation opened", opening({ session: ":goneTip" }), "only a tip can be opened"],
  ["an opening deleted", "DELETE FROM opening WHERE no = :closedOpening", "openings are kept"],
  [
    "an opening moved to another session",
    "UPDATE opening SET session = :closedTip WHERE no = :openOpening",
    "closes once",
  ],
  ["an opening's time changed", "UPDATE opening SET opened_ms = 2 WHERE no = :openOpening", "closes once"],
  ["an opening's platform changed", "UPDATE opening SET platform = 'x' WHERE no = :openOpening", "closes once"],
  ["an announced opening unannounced", "UPDATE opening SET announced = 0 WHERE no = :openOpening", "closes once"],
];

const HISTORY: readonly Attack[] = [
  ["[ST-6] a message edited", "UPDATE message SET text = 'other' WHERE id = :firstMessage", "history is append-only"],
  ["[ST-6] a message's time changed", "UPDATE message SET created_ms = 1 WHERE id = :firstMessage", "append-only"],
  ["[ST-6] a message of a tombstone edited", "UPDATE message SET text = '' WHERE id = :goneMessage", "append-only"],
  [
    "[ST-6] a message deleted",
    "DELETE FROM message WHERE id = :firstMessage",
    "only a deleted conversation loses its messages",
  ],
  ["[ST-6] all messages deleted", "DELETE FROM message", "only a deleted conversation loses its messages"],
  [
    "[ST-6] a message replaced under its id",
    message({ id: ":firstMessage" }).replace("INSERT", "INSERT OR REPLACE"),
    "only a deleted conversation loses its messages",
  ],
  ["[ST-6] a message moved", "UPDATE message SET seq = 99 WHERE id = :firstMessage", "history is append-only"],
  ["a number skipped", message({ seq: ":busySeq + 2" }), NEXT],
  ["a number used twice", message({ seq: ":busySeq" }), NEXT],
  ["a number of zero", message({ seq: 0 }), NEXT],
  [
    "[CR-2] a message in a superseded session",
    message({ conversation: ":chat", seq: ":chatSeq + 1", session: ":chatOld", turn: ":waitingTurn" }),
    NEXT,
  ],
  ["a message in another conversation's session", message({ session: ":idleTip" }), NEXT],
  [
    "[ST-14] a message for a tombstone",
    message({
      conversation: ":gone",
      seq: ":goneSeq + 1",
      session: ":goneTip",
      turn: "NULL",
      epoch: 0,
      role: "'note'",
    }),
    NEXT,
  ],
  [
    "[ST-8] a message under an older epoch",
    message({ conversation: ":chat", seq: ":chatSeq + 1", session: ":chatTip", turn: ":waitingTurn", epoch: 99 }),
    "stale epoch",
  ],
  ["[ST-8] a message under no epoch", message({ epoch: 0 }), "stale epoch"],
  [
    "[ST-8] a message of a settled turn",
    message({ conversation: ":idle", seq: ":idleSeq + 1", session: ":idleTip", turn: ":idleTurn" }),
    "a turn that has ended",
  ],
  ["[ST-8] a message by another conversation's turn", message({ turn: ":waitingTurn" }), "stale epoch"],
  [
    "[ST-8] words said outside any turn",
    message({ turn: "NULL", epoch: 0 }),
    "CHECK constraint failed: turn IS NOT NULL",
  ],
  ["[ST-8] a turn's words disguised as an import", message({ imported: 1 }), "CHECK constraint failed: turn IS NULL"],
  [
    "[CR-1] carried content after the session began",
    message({ turn: "NULL", epoch: 0, carried: 1 }),
    "at the start of its session",
  ],
  ["an unknown role", message({ role: "'wizard'" }), "CHECK constraint failed: role IN"],
  ["a body that is no JSON", message({ body: "'{'" }), "CHECK constraint failed: body"],
  ["[ST-9] a tool result without a call", message({ role: "'tool'" }), "CHECK constraint failed: role <> 'tool'"],
  ["[ST-9] a call answered by somebody else", message({ call: ":busyCall" }), "CHECK constraint failed: call IS NULL"],
  [
    "[ST-9] a second result for a call",
    message({ role: "'tool'", call: ":busyCall", seq: ":busySeq + 2" }),
    "UNIQUE constraint failed: message.call",
    message({ role: "'tool'", call: ":busyCall" }),
  ],
  [
    "[ST-9] a result for a call of another conversation",
    message({ role: "'tool'", call: ":recordedCall" }),
    "a tool result needs its open call",
  ],
  [
    "[ST-9] a result for a finished call",
    message({
      conversation: ":chat",
      seq: ":chatSeq + 1",
      session: ":chatTip",
      turn: ":waitingTurn",
      role: "'tool'",
      call: ":finishedCall",
    }),
    "a tool result needs its open call",
  ],
  [
    "[ST-9] a result for a call that does not exist",
    message({ role: "'tool'", call: 999 }),
    "a tool result needs its open call",
  ],
  ["history superseded in the future", range({ to_seq: 99 }), SUPERSEDED],
  ["history superseded in mid-turn", range({ conversation: ":busy", to_seq: 1 }), SUPERSEDED],
  ["history of a tombstone superseded", range({ conversation: ":gone", from_seq: 2 }), SUPERSEDED],
  ["a range that runs backwards", range({ from_seq: 2, to_seq: 1 }), "CHECK"],
  ["a range before the beginning", range({ from_seq: 0 }), "CHECK"],
  ["a range without a known reason", range({ reason: "'mood'" }), "CHECK constraint failed: reason IN"],
  [
    "[ST-6] a superseded range edited",
    "UPDATE superseded SET to_seq = 1 WHERE conversation = :idle",
    "a superseded range stays",
  ],
  [
    "[ST-6] a superseded range removed",
    "DELETE FROM superseded WHERE conversation = :idle",
    "a superseded range stays",
  ],
  ["the change log rewritten", "UPDATE change_log SET to_seq = 1", "the change log is append-only"],
  ["the change log shortened", "DELETE FROM change_log", "the change log is append-only"],
];

describeRefusals("a conversation", CONVERSATIONS);
describeRefusals("a session", SESSIONS);
describeRefusals("an opening", OPENINGS);
describeRefusals("history", HISTORY);

describeLegalSteps("history and its frame", [
  ["a tombstone for what is closed, unrouted and idle", "UPDATE conversation SET deleted_ms = 5 WHERE no = :closed"],
  ["a compaction: the child becomes the tip", session({})],
  [
    "carried content at the start of the child",
    `${session({})}; ${message({ conversation: ":closed", seq: ":closedSeq + 1", session: "(SELECT tip FROM conversation WHERE no = :closed)", turn: "NULL", epoch: 0, carried: 1 })}`,
  ],
  [
    "a conversation and its first session",
    `${conversation({})}; ${session({ conversation: "last_insert_rowid()", parent: "NULL", lineage: "'root'", from_seq: 1 })}`,
  ],
  ["a prompt for a session that has none", "UPDATE session SET prompt = (SELECT hash FROM prompt) WHERE no = :idleTip"],
  ["a title", "UPDATE session SET title = 'x', title_base = 'x', title_no = 1 WHERE no = :idleTip"],
  ["a new opening after the last one closed", opening({})],
  ["an opening closed with a reason", "UPDATE opening SET closed_ms = 9, reason = 'cli_close' WHERE no = :openOpening"],
  ["a closed opening brought by an import", opening({ session: ":chatOld", closed_ms: 2, reason: "'cli_close'" })],
  ["the next message of a live turn", message({})],
  ["a result for an open call", message({ role: "'tool'", call: ":busyCall" })],
  [
    "a note outside any turn",
    message({
      conversation: ":idle",
      seq: ":idleSeq + 1",
      session: ":idleTip",
      turn: "NULL",
      epoch: 0,
      role: "'note'",
    }),
  ],
  [
    "an imported message in a superseded session",
    message({ conversation: ":chat", seq: ":chatSeq + 1", session: ":chatOld", turn: "NULL", epoch: 0, imported: 1 }),
  ],
  ["a range of an idle conversation's past", range({})],
  ["a message of a deleted conversation erased", "DELETE FROM message WHERE id = :goneMessage"],
  ["a superseded range of a deleted conversation erased", "DELETE FROM superseded WHERE conversation = :gone"],
]);
