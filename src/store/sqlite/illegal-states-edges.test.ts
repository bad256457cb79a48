/** Forbidden states of routes, deliveries, jobs, boundary events and ledgers. */
import { type Attack, describeLegalSteps, describeRefusals, insert } from "../../../test/support/illegal-states.js";

type Row = Readonly<Record<string, string | number>>;

const route = (row: Row): string =>
  insert("route", {
    key: "'agent:main:x:dm:1'",
    conversation: ":idle",
    platform: "'x'",
    chat_type: "'dm'",
    created_ms: 1,
    used_ms: 1,
    ...row,
  });
const delivery = (row: Row): string =>
  insert("delivery", {
    id: "'new-delivery'",
    part: 1,
    parts: 1,
    platform: "'x'",
    destination: "'x/new'",
    address: "'{}'",
    text: "'hi'",
    state: "'pending'",
    created_ms: 1,
    ...row,
  });
const DUE_LINE = "(SELECT destination FROM delivery WHERE no = :dueDelivery)";
const claimed = "state = 'sending', due_ms = NULL, attempts = attempts + 1, host = 'host-one'";
const job = (row: Row): string =>
  insert("job", { id: "'new-job'", kind: "'k'", key: "'k'", payload: "'{}'", state: "'queued'", due_ms: 1, ...row });
const event = (row: Row): string =>
  insert("boundary_event", {
    conversation: ":idle",
    session: ":idleTip",
    kind: "'on_session_reset'",
    order_key: "'o'",
    payload: "'{}'",
    created_ms: 1,
    ...row,
  });
const hook = (row: Row): string =>
  insert("hook_delivery", { subscriber: "'other'", event: ":anyEvent", order_key: "'o'", state: "'pending'", ...row });

const ROUTES: readonly Attack[] = [
  [
    "[ST-14] a route to a deleted conversation",
    route({ conversation: ":gone" }),
    "leads to a conversation that exists",
  ],
  [
    "[ST-14] a route moved to a deleted conversation",
    "UPDATE route SET conversation = :gone",
    "leads to a conversation that exists",
  ],
  ["a route to nowhere", route({ conversation: 99 }), "FOREIGN KEY"],
  ["a chat with two routes", route({ key: "(SELECT key FROM route)" }), "UNIQUE constraint failed: route.key"],
  ["a route without a key", route({ key: "''" }), "CHECK constraint failed: key"],
  ["a route renamed", "UPDATE route SET key = 'other'", "a route keeps its key"],
  ["a route both due and expired", route({ expires_ms: 1, expired_ms: 1 }), "CHECK"],
  ["a policy that is no JSON", route({ reset_policy: "'{'" }), "CHECK constraint failed: json_valid(reset_policy)"],
  ["an origin that is no JSON", route({ origin: "'{'" }), "CHECK constraint failed: origin"],
];

const DELIVERIES: readonly Attack[] = [
  [
    "[ST-10] sent without a receipt",
    "UPDATE delivery SET state = 'sent', ended_ms = 1 WHERE no = :sendingDelivery",
    "CHECK constraint failed: state <> 'sent'",
  ],
  [
    "[ST-10] sent without having been claimed",
    "UPDATE delivery SET state = 'sent', receipt = 'r', due_ms = NULL, ended_ms = 1 WHERE no = :dueDelivery",
    "claimed, then sent",
  ],
  ["[ST-10] born sent", delivery({ state: "'sent'", receipt: "'r'", ended_ms: 1 }), "before it is attempted"],
  [
    "[ST-10] a sent part sent again",
    "UPDATE delivery SET state = 'sending', ended_ms = NULL, attempts = 2, text = 'x' WHERE no = :sentDelivery",
    "ends once",
  ],
  ["[ST-10] a receipt changed", "UPDATE delivery SET receipt = 'other' WHERE no = :sentDelivery", "ends once"],
  [
    "a dead delivery revived",
    "UPDATE delivery SET state = 'pending', ended_ms = NULL WHERE no = :deadDelivery",
    "ends once",
  ],
  [
    "dead without an error",
    "UPDATE delivery SET state = 'dead', ended_ms = 1 WHERE no = :sendingDelivery",
    "CHECK constraint failed: state <> 'dead'",
  ],
  ["an end without a time", "UPDATE delivery SET state = 'dead', error = 'x' WHERE no = :sendingDelivery", "CHECK"],
  ["another address", 'UPDATE delivery SET address = \'{"chatId":"43"}\' WHERE no = :nextDelivery', "as it was owed"],
  ["another destination", "UPDATE delivery SET destination = 'x/43' WHERE no = :nextDelivery", "as it was owed"],
  ["other words", "UPDATE delivery SET text = 'other' WHERE no = :nextDelivery", "as it was owed"],
  [
    "words forgotten before they were sent",
    "UPDATE delivery SET text = NULL WHERE no = :nextDelivery",
    "as it was owed",
  ],
  ["another platform", "UPDATE delivery SET platform = 'y' WHERE no = :nextDelivery", "as it was owed"],
  ["another part number", "UPDATE delivery SET part = 1, parts = 1 WHERE no = :nextDelivery", "as it was owed"],
  ["deleted while it is owed", "DELETE FROM delivery WHERE no = :nextDelivery", "what is owed stays owed"],
  [
    "deleted after it was sent, its conversation alive",
    "DELETE FROM delivery WHERE no = :sentDelivery",
    "what is owed stays owed",
  ],
  ["two heads in one line", delivery({ destination: DUE_LINE, due_ms: 1 }), "only the oldest of a line is due"],
  [
    "a later part made due before its head",
    "UPDATE delivery SET due_ms = 1 WHERE no = :laterDelivery",
    "only the oldest of a line is due",
  ],
  ["a part claimed out of turn", `UPDATE delivery SET ${claimed} WHERE no = :laterDelivery`, "claimed, then sent"],
  [
    "claimed while it is being sent",
    `UPDATE delivery SET ${claimed} WHERE no = :sendingDelivery`,
    "claimed, then sent",
  ],
  [
    "claimed while its outcome is unknown",
    `UPDATE delivery SET ${claimed} WHERE no = :unknownDelivery`,
    "claimed, then sent",
  ],
  [
    "claimed without counting the attempt",
    "UPDATE delivery SET state = 'sending', due_ms = NULL, host = 'h' WHERE no = :dueDelivery",
    "claimed, then sent",
  ],
  [
    "claimed by nobody",
    "UPDATE delivery SET state = 'sending', due_ms = NULL, attempts = 1 WHERE no = :dueDelivery",
    "CHECK",
  ],
  ["attempts uncounted", "UPDATE delivery SET attempts = 0 WHERE no = :unknownDelivery", "claimed, then sent"],
  [
    "unknown before it was sent",
    "UPDATE delivery SET state = 'unknown', due_ms = NULL WHERE no = :dueDelivery",
    "claimed, then sent",
  ],
  [
    "a second copy without a mark",
    "UPDATE delivery SET state = 'pending', due_ms = 1, host = NULL WHERE no = :unknownDelivery",
    "claimed, then sent",
  ],
  ["part zero", delivery({ part: 0 }), "CHECK constraint failed: part"],
  ["part two of one", delivery({ part: 2 }), "CHECK constraint failed: parts"],
  ["nowhere to", delivery({ destination: "''" }), "CHECK constraint failed: destination"],
  ["an address that is no JSON", delivery({ address: "'{'" }), "CHECK constraint failed: json_valid(address)"],
  [
    "a part owed twice",
    delivery({
      turn: ":doneTurn",
      conversation: ":chat",
      destination: "(SELECT destination FROM delivery WHERE no = :sentDelivery)",
    }),
    "UNIQUE constraint failed: delivery.turn",
  ],
  [
    "a reply of a turn that has not settled",
    delivery({ turn: ":runningTurn", conversation: ":busy" }),
    "by a settled turn",
  ],
  [
    "a reply booked to another conversation",
    delivery({ turn: ":doneTurn", conversation: ":idle" }),
    "by a settled turn",
  ],
  [
    "an unknown delivery state",
    "UPDATE delivery SET state = 'lost' WHERE no = :nextDelivery",
    "CHECK constraint failed: state IN",
  ],
];

const JOBS: readonly Attack[] = [
  [
    "a job finished twice",
    "UPDATE job SET state = 'dead', error = 'x', ended_ms = 2 WHERE no = :doneJob",
    "a job ends once",
  ],
  [
    "a finished job queued again",
    "UPDATE job SET state = 'queued', ended_ms = NULL WHERE no = :doneJob",
    "a job ends once",
  ],
  ["the same work open twice", job({ kind: "'review'", key: "'a'" }), "UNIQUE constraint failed: job.kind, job.key"],
  [
    "a job that runs uncounted",
    "UPDATE job SET state = 'running', host = 'h' WHERE no = :queuedJob",
    "attempts are counted",
  ],
  ["a job that nobody runs", "UPDATE job SET state = 'running', attempts = 1 WHERE no = :queuedJob", "CHECK"],
  [
    "a job that died without an error",
    "UPDATE job SET state = 'dead', ended_ms = 1 WHERE no = :runningJob",
    "CHECK constraint failed: state <> 'dead'",
  ],
  ["a job that ended at no time", "UPDATE job SET state = 'done' WHERE no = :runningJob", "CHECK"],
  ["a job born done", job({ state: "'done'", ended_ms: 1 }), "queued before it runs"],
  ["[ST-14] an erasure forgotten", "DELETE FROM job WHERE kind = 'erase'", "an open job is kept"],
  ["a payload that is no JSON", job({ payload: "'{'" }), "CHECK constraint failed: json_valid(payload)"],
  ["a job of no kind", job({ kind: "''" }), "CHECK constraint failed: kind"],
  [
    "an unknown job state",
    "UPDATE job SET state = 'paused' WHERE no = :queuedJob",
    "CHECK constraint failed: state IN",
  ],
];

const BOUNDARIES: readonly Attack[] = [
  [
    "[BH-8] a finalize for an open opening",
    event({ kind: "'on_session_finalize'", opening: ":openOpening" }),
    "a boundary tells what is so",
  ],
  [
    "[BH-8] a second finalize for an opening",
    event({ kind: "'on_session_finalize'", conversation: ":closed", session: ":closedTip", opening: ":closedOpening" }),
    "UNIQUE constraint failed: boundary_event.opening",
  ],
  [
    "[BH-8] a finalize for a compaction",
    event({ kind: "'on_session_finalize'", conversation: ":chat", session: ":chatOld", opening: ":compressedOpening" }),
    "a boundary tells what is so",
  ],
  [
    "a second start for an opening",
    event({ kind: "'on_session_start'", opening: ":openOpening" }),
    "UNIQUE constraint failed: boundary_event.opening",
  ],
  [
    "a start for an opening that was not announced",
    event({
      kind: "'on_session_start'",
      conversation: ":closed",
      session: ":closedTip",
      opening: "last_insert_rowid()",
    }),
    "a boundary tells what is so",
    insert("opening", { session: ":closedTip", platform: "'x'", opened_ms: 1 }),
  ],
  ["a finalize without its opening", event({ kind: "'on_session_finalize'" }), "a boundary tells what is so"],
  ["an end without its turn", event({ kind: "'on_session_end'" }), "CHECK"],
  [
    "a second end for a turn",
    event({ kind: "'on_session_end'", turn: ":idleTurn" }),
    "UNIQUE constraint failed: boundary_event.turn",
  ],
  [
    "an end for a live turn",
    event({ kind: "'on_session_end'", conversation: ":busy", session: ":busyTip", turn: ":runningTurn" }),
    "a boundary tells what is so",
  ],
  ["a compress that was none", event({ kind: "'session:compress'" }), "a boundary tells what is so"],
  ["a boundary of another conversation's session", event({ session: ":chatTip" }), "a boundary tells what is so"],
  [
    "a boundary of another session's opening",
    event({ kind: "'on_session_start'", opening: ":chatOpening" }),
    "a boundary tells what is so",
  ],
  [
    "[HK-1] something told of a turn that nobody listens to",
    event({ kind: "'agent:start'", turn: ":idleTurn" }),
    "a boundary tells what is so",
  ],
  ["something told of a turn without the turn", event({ kind: "'agent:step'" }), "CHECK constraint failed"],
  [
    "a turn's end before it ended",
    event({ conversation: ":busy", session: ":busyTip", kind: "'agent:end'", turn: ":runningTurn" }),
    "a boundary tells what is so",
  ],
  [
    "a step of another conversation's turn",
    event({ kind: "'agent:step'", turn: ":runningTurn" }),
    "a boundary tells what is so",
  ],
  ["[HK-2] a number that another boundary had", event({ no: 0 }), "a boundary's number is its own for ever"],
  ["a boundary of a session with a turn", event({ turn: ":idleTurn" }), "CHECK constraint failed"],
  [
    "a hook that failed no time",
    insert("hook_failure", { subscriber: "'x'", kind: "'agent:end'", dead: 0, error: "'boom'", at_ms: 1 }),
    "CHECK constraint failed: dead",
  ],
  ["an unknown boundary", event({ kind: "'on_full_moon'" }), "CHECK constraint failed: kind IN"],
  ["a boundary edited", "UPDATE boundary_event SET payload = '{}'", "boundary events are facts"],
  [
    "an undelivered boundary removed",
    "DELETE FROM boundary_event WHERE no = (SELECT event FROM hook_delivery WHERE no = :owedHook)",
    "undelivered boundaries are kept",
  ],
  [
    "a delivered boundary removed under its delivery",
    "DELETE FROM boundary_event WHERE no = (SELECT event FROM hook_delivery WHERE no = :doneHook)",
    "FOREIGN KEY",
  ],
  [
    "a hook delivered twice",
    "UPDATE hook_delivery SET state = 'pending', ended_ms = NULL WHERE no = :doneHook",
    "delivered once to each subscriber",
  ],
  [
    "a boundary owed twice to one hook",
    hook({ subscriber: "'memory'" }),
    "UNIQUE constraint failed: hook_delivery.subscriber",
  ],
  ["a hook delivery born done", hook({ state: "'done'", ended_ms: 1 }), "owed before it is delivered"],
  ["a hook delivery dropped", "DELETE FROM hook_delivery WHERE no = :owedHook", "undelivered boundaries are kept"],
  [
    "a hook delivery moved to another event",
    "UPDATE hook_delivery SET event = :anyEvent WHERE no = :owedHook",
    "delivered once",
  ],
  [
    "a hook delivery jumped to the front",
    "UPDATE hook_delivery SET due_ms = 1 WHERE no = :owedHook",
    "only the oldest of a line is due",
  ],
  [
    "a hook that runs uncounted",
    "UPDATE hook_delivery SET state = 'running', host = 'h' WHERE no = :owedHook",
    "delivered once",
  ],
  [
    "a hook that failed for ever without an error",
    "UPDATE hook_delivery SET state = 'dead', ended_ms = 1 WHERE no = :runningHook",
    "CHECK constraint failed: state <> 'dead'",
  ],
  [
    "a subscription to an unknown boundary",
    insert("hook_subscriber", { name: "'x'", kind: "'on_full_moon'" }),
    "CHECK constraint failed: kind IN",
  ],
];

const LEDGERS: readonly Attack[] = [
  ["[ST-14] the audit edited", "UPDATE audit SET subject = 'x'", "the audit is append-only"],
  ["[ST-14] the audit shortened", "DELETE FROM audit", "the audit is append-only"],
  [
    "[ST-14] the audit overwritten",
    "INSERT OR REPLACE INTO audit(no, at_ms, act, subject) SELECT no, 1, 'x', 'x' FROM audit",
    "the audit is append-only",
  ],
  [
    "[ST-14] an act without a name",
    insert("audit", { at_ms: 1, act: "''", subject: "'x'" }),
    "CHECK constraint failed: act",
  ],
  ["a detail that is no JSON", insert("audit", { at_ms: 1, act: "'x'", subject: "'x'", detail: "'{'" }), "CHECK"],
  ["a count below zero", "UPDATE tally SET value = -1", "CHECK constraint failed: value"],
  [
    "an attachment of negative size",
    insert("attachment", { sha256: `'${"a".repeat(64)}'`, media_type: "'x'", bytes: -1, created_ms: 1 }),
    "CHECK constraint failed: bytes",
  ],
  [
    "an attachment without its hash",
    insert("attachment", { sha256: "'x'", media_type: "'x'", bytes: 1, created_ms: 1 }),
    "CHECK",
  ],
  [
    "a person with an unknown role",
    insert("person", { id: "'x'", role: "'king'", created_ms: 1 }),
    "CHECK constraint failed: role IN",
  ],
  [
    "an id of nobody",
    insert("person_account", { platform: "'x'", account: "'x'", sender: "'x'", person: 99 }),
    "FOREIGN KEY",
  ],
  ["the owner of a conversation removed", "DELETE FROM person WHERE no = 1", "FOREIGN KEY"],
];

describeRefusals("a route", ROUTES);
describeRefusals("a delivery", DELIVERIES);
describeRefusals("a job", JOBS);
describeRefusals("a boundary", BOUNDARIES);
describeRefusals("a ledger", LEDGERS);

describeLegalSteps("the edges", [
  ["a second route to one conversation", route({})],
  ["a route moved to a living conversation", "UPDATE route SET conversation = :idle"],
  ["a delivery outside any turn", delivery({})],
  ["a delivery behind the head of its line", delivery({ destination: DUE_LINE })],
  ["the head claimed, its attempt counted", `UPDATE delivery SET ${claimed} WHERE no = :dueDelivery`],
  [
    "sent with a receipt, its copy let go",
    "UPDATE delivery SET state = 'sent', receipt = 'r', text = NULL, ended_ms = 1 WHERE no = :sendingDelivery",
  ],
  [
    "found by a read-back",
    "UPDATE delivery SET state = 'sent', receipt = 'r', ended_ms = 1 WHERE no = :unknownDelivery",
  ],
  [
    "a marked copy",
    "UPDATE delivery SET state = 'pending', due_ms = 1, marked = 1, host = NULL WHERE no = :unknownDelivery",
  ],
  [
    "the next one due after the head ended",
    `UPDATE delivery SET state = 'dead', error = 'x', due_ms = NULL, ended_ms = 1 WHERE no = :dueDelivery; UPDATE delivery SET due_ms = 2 WHERE no = :laterDelivery`,
  ],
  [
    "a job run and done",
    "UPDATE job SET state = 'running', host = 'h', attempts = 1 WHERE no = :queuedJob; UPDATE job SET state = 'done', ended_ms = 1 WHERE no = :queuedJob",
  ],
  ["work open again after it was done", job({ kind: "'done'", key: "'c'" })],
  ["a finished job forgotten", "DELETE FROM job WHERE no = :doneJob"],
  ["a hook done", "UPDATE hook_delivery SET state = 'done', ended_ms = 1 WHERE no = :runningHook"],
  [
    "a hook to be tried again",
    "UPDATE hook_delivery SET state = 'pending', due_ms = 5, error = 'x' WHERE no = :runningHook",
  ],
  ["a boundary about a living session", event({})],
  ["an act noted", insert("audit", { at_ms: 1, act: "'x'", subject: "'x'" })],
]);
