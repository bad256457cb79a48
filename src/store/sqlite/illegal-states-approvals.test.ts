/** Forbidden states of approvals and of grants. */
import { APPROVAL_REPLY_CHARS_MAX, GRANT_NAME_CHARS_MAX } from "#session/approval.js";
import { type Attack, describeLegalSteps, describeRefusals, insert } from "../../../test/support/illegal-states.js";

type Row = Readonly<Record<string, string | number>>;
const OTHER_HASH = `'${"b".repeat(64)}'`;

const approval = (row: Row): string =>
  insert("approval", {
    id: "'new-approval'",
    conversation: ":busy",
    turn: ":runningTurn",
    call: ":busyCall",
    args_hash: `'${"a".repeat(64)}'`,
    question: "'{}'",
    state: "'pending'",
    asked_ms: 1,
    ...row,
  });
const start = (no: string): string =>
  `UPDATE tool_call SET state = 'started', attempts = 1, started_ms = 1 WHERE no = ${no}`;
const PENDING = "WHERE no = :pendingApproval";
/** Without its `WHERE`, so that a test may set more. */
const decided = (answer: string): string =>
  `UPDATE approval SET state = 'decided', answer = '${answer}', decided_by = 1, decided_ms = 1`;
const grant = (row: Row): string =>
  insert("grant", {
    name: "'terminal:rm'",
    owner: 1,
    conversation: ":chat",
    approval: "(SELECT id FROM approval WHERE no = :pendingApproval)",
    at_ms: 1,
    ...row,
  });
/** The legal store asks about it; these are the answers that grant something. */
const forSession = `${decided("session")} ${PENDING}`;
const forAlways = `${decided("always")} ${PENDING}`;
const GIVEN = "a grant is what a person answered";

const APPROVALS: readonly Attack[] = [
  [
    "[ST-18] an approval decided twice",
    "UPDATE approval SET answer = 'once', decided_by = 1 WHERE no = :deniedApproval",
    "decided once",
  ],
  [
    "[ST-18] a decision taken back",
    "UPDATE approval SET state = 'pending', answer = NULL, decided_ms = NULL WHERE no = :deniedApproval",
    "decided once",
  ],
  [
    "[ST-18] an approval moved to other arguments",
    `UPDATE approval SET state = 'decided', answer = 'once', decided_by = 1, decided_ms = 1, args_hash = ${OTHER_HASH} WHERE no = :pendingApproval`,
    "decided once",
  ],
  [
    "[ST-18] an approval moved to another call",
    "UPDATE approval SET state = 'decided', answer = 'once', decided_by = 1, decided_ms = 1, call = :recordedCall WHERE no = :pendingApproval",
    "decided once",
  ],
  [
    "[ST-18] a question changed after it was asked",
    'UPDATE approval SET question = \'{"ask":"other"}\' WHERE no = :pendingApproval',
    "decided once",
  ],
  [
    "[ST-18] an approval for other arguments than the call's",
    approval({ args_hash: OTHER_HASH }),
    "bound to a call and its arguments",
  ],
  ["[ST-18] an approval of another turn's call", approval({ call: ":recordedCall" }), "bound to a call"],
  [
    "[ST-18] an approval for a call that has started",
    approval({ conversation: ":chat", turn: ":waitingTurn", call: ":onceCall" }),
    "bound to a call",
  ],
  [
    "[ST-18] an approval that begins decided",
    approval({ state: "'decided'", answer: "'once'", decided_by: 1, decided_ms: 1 }),
    "bound to a call",
  ],
  [
    "[ST-18] a call asked about twice",
    approval({ conversation: ":chat", turn: ":waitingTurn", call: ":askedCall" }),
    "UNIQUE constraint failed: approval.call",
  ],
  [
    "[ST-18] leave given by nobody",
    "UPDATE approval SET state = 'decided', answer = 'once', decided_ms = 1 WHERE no = :pendingApproval",
    "CHECK",
  ],
  [
    "[ST-18] a decision without an answer",
    "UPDATE approval SET state = 'decided', decided_ms = 1 WHERE no = :pendingApproval",
    "CHECK",
  ],
  [
    "[ST-18] an unknown answer",
    "UPDATE approval SET state = 'decided', answer = 'perhaps', decided_ms = 1 WHERE no = :pendingApproval",
    "CHECK",
  ],
  [
    "[AP-1] words before there is an answer",
    "UPDATE approval SET reply = 'yes' WHERE no = :pendingApproval",
    "decided once",
  ],
  ["[AP-1] words added to an answer", "UPDATE approval SET reply = 'yes' WHERE no = :deniedApproval", "decided once"],
  ["[AP-1] a question that begins with words", approval({ reply: "'yes'" }), "CHECK"],
  ["[AP-1] a question that begins with who decides", approval({ decided_by: 1 }), "CHECK"],
  [
    "[AP-1] words of nobody",
    "UPDATE approval SET state = 'decided', answer = 'deny', decided_ms = 1, reply = 'no' WHERE no = :pendingApproval",
    "CHECK constraint failed: reply IS NULL",
  ],
  [
    "[AP-1] words without end",
    `${decided("once")}, reply = printf('%.*c', ${APPROVAL_REPLY_CHARS_MAX + 1}, 'x') ${PENDING}`,
    "CHECK constraint failed: length(reply)",
  ],
  ["a question that is no JSON", approval({ question: "'{'" }), "CHECK constraint failed: json_valid(question)"],
  ["an approval deleted", "DELETE FROM approval WHERE no = :deniedApproval", "approvals are kept"],
];

const GRANTS: readonly Attack[] = [
  ["[AP-3] a grant before anybody answered", grant({}), GIVEN],
  ["[AP-3] a grant out of a denial", grant({}), GIVEN, `${decided("deny")} ${PENDING}`],
  ["[AP-3] a grant out of leave for once", grant({}), GIVEN, `${decided("once")} ${PENDING}`],
  ["[AP-3] a grant for always out of one for the conversation", grant({ conversation: "NULL" }), GIVEN, forSession],
  ["[AP-3] a grant for the conversation out of one for always", grant({}), GIVEN, forAlways],
  ["[AP-3] a grant for another conversation", grant({ conversation: ":idle" }), GIVEN, forSession],
  ["[AP-3] a grant for no conversation", grant({ conversation: 99 }), GIVEN, forSession],
  ["[AP-3] a grant of another name than the question's", grant({ name: "'terminal:dd'" }), GIVEN, forSession],
  ["[AP-3] a grant without a name", grant({ name: "''" }), GIVEN, forSession],
  ["[AP-3] a grant for another owner's conversations", grant({ conversation: "NULL", owner: 2 }), GIVEN, forAlways],
  ["[AP-3] a grant out of no question", grant({ approval: "'nosuchapproval'" }), GIVEN, forSession],
  [
    "[AP-3] a grant out of a question that names nothing",
    grant({ approval: "'new-approval'", conversation: ":busy", name: "''" }),
    GIVEN,
    `${approval({})}; ${decided("session")} WHERE id = 'new-approval'`,
  ],
  [
    "[AP-3] a grant of a name without end",
    grant({
      approval: "'new-approval'",
      conversation: ":busy",
      name: "(SELECT question ->> '$.grant' FROM approval WHERE id = 'new-approval')",
    }),
    "CHECK constraint failed: length(name)",
    `${approval({ question: `'{"grant":"${"x".repeat(GRANT_NAME_CHARS_MAX + 1)}"}'` })}; ${decided("session")} WHERE id = 'new-approval'`,
  ],
  [
    "[AP-3] a grant given twice to a conversation",
    grant({}),
    "UNIQUE constraint failed: grant.conversation, grant.name",
    `${forSession}; ${grant({})}`,
  ],
  [
    "[AP-3] a grant given twice for always",
    grant({ conversation: "NULL" }),
    "UNIQUE constraint failed: grant.owner, grant.name",
    `${forAlways}; ${grant({ conversation: "NULL" })}`,
  ],
  ["[AP-4] a grant widened", "UPDATE grant SET conversation = NULL", "never changed", `${forSession}; ${grant({})}`],
  ["[AP-4] a grant renamed", "UPDATE grant SET name = 'terminal:dd'", "never changed", `${forSession}; ${grant({})}`],
  [
    "[AP-4] [ST-14] a tombstone that grants something",
    "UPDATE conversation SET deleted_ms = 5 WHERE no = :closed",
    "grants nothing",
    // The closed conversation has no turn to ask from, so its grant is slipped past the check.
    `DROP TRIGGER grant_given; ${grant({ conversation: ":closed" })}`,
  ],
];

describeRefusals("an approval", APPROVALS);
describeRefusals("a grant", GRANTS);

describeLegalSteps("approvals", [
  [
    "an approval asked, and the turn waits",
    `${approval({})}; UPDATE turn SET state = 'waiting' WHERE no = :runningTurn`,
  ],
  [
    "an approval decided, the turn goes on, the call starts",
    `${decided("once")} ${PENDING}; UPDATE turn SET state = 'running' WHERE no = :waitingTurn; ${start(":askedCall")}`,
  ],
  ["words with an answer", `${decided("once")}, reply = 'the left one' ${PENDING}`],
  ["a grant for the conversation, out of its answer", `${forSession}; ${grant({})}`],
  ["a grant for always, out of its answer", `${forAlways}; ${grant({ conversation: "NULL" })}`],
  [
    "a denial by nobody, when the turn ends",
    `UPDATE approval SET state = 'decided', answer = 'deny', decided_ms = 1 ${PENDING}`,
  ],
]);

/** Nothing is left when it is revoked, so it is compared with the state before it was given. */
describeLegalSteps("a grant", [
  [
    "revoked, after which it can be given again",
    `${forSession}; ${grant({})}; DELETE FROM grant; ${grant({ at_ms: 2 })}`,
  ],
]);
