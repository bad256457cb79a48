/** Forbidden states of pairing, access and commands of chats. */
import { PAIRING_FAILURES_MAX, PAIRINGS_PENDING_MAX } from "#session/pairing.js";
import { COMMAND_ATTEMPTS_MAX, COMMAND_CHARS_MAX } from "#session/verbs/chat.js";
import { type Attack, describeLegalSteps, describeRefusals, insert } from "../../../test/support/illegal-states.js";

type Row = Readonly<Record<string, string | number>>;

const pairing = (row: Row = {}): string =>
  insert("pairing", {
    platform: "'telegram'",
    account: "'main'",
    slot: 1,
    sender: "'7'",
    address: "'{}'",
    code_hash: `'${"a".repeat(64)}'`,
    offered_ms: 1,
    expires_ms: 100,
    ...row,
  });
const grant = (row: Row = {}): string =>
  insert("access_grant", {
    platform: "'telegram'",
    account: "'main'",
    sender: "'7'",
    role: "'member'",
    granted_by: "'terminal'",
    granted_ms: 50,
    ...row,
  });
const ownerChat = (row: Row = {}): string =>
  insert("owner_chat", {
    platform: "'telegram'",
    account: "'main'",
    address: `'{"chatType":"dm"}'`,
    since_ms: 1,
    ...row,
  });
const hash = (letter: string): string => `'${letter.repeat(64)}'`;
const second = (row: Row): string => pairing({ slot: 2, sender: "'8'", code_hash: hash("b"), ...row });

const PAIRINGS: readonly Attack[] = [
  ["[GW-3] more codes out on an account than may be", pairing({ slot: PAIRINGS_PENDING_MAX + 1 }), "slot"],
  ["[GW-3] a code in no place at all", pairing({ slot: 0 }), "slot"],
  ["[GW-3] two codes in one place", second({ slot: 1 }), "UNIQUE", pairing()],
  ["[GW-3] two codes out for one person", second({ sender: "'7'" }), "UNIQUE", pairing()],
  ["[GW-3] one code for two people", second({ code_hash: hash("a") }), "UNIQUE", pairing()],
  ["[GW-3] a code in clear", pairing({ code_hash: "'ABCD2345'" }), "code_hash"],
  ["[GW-3] a code that is never valid", pairing({ expires_ms: 1 }), "expires_ms"],
  ["[GW-3] a code that is valid for longer", "UPDATE pairing SET expires_ms = 999", "never changed", pairing()],
  ["a code for nobody", pairing({ sender: "''" }), "sender"],
  [
    "[GW-2] a code for somebody who is in",
    pairing(),
    "offered to a stranger",
    `${pairing()}; ${grant()}; DELETE FROM pairing`,
  ],
  ["[GW-7] an owner's chat in a group", ownerChat({ address: `'{"chatType":"group"}'` }), "address"],
  ["[GW-7] an owner's chat nowhere", ownerChat({ address: "'{}'" }), "address"],
  ["[GW-7] two owner's chats of one account", ownerChat(), "UNIQUE", ownerChat()],
  ["[GW-5] access without a code", grant(), "a code that is out"],
  ["[GW-5] access by somebody else's code", grant({ sender: "'8'" }), "a code that is out", pairing()],
  ["[GW-5] access on another platform", grant({ platform: "'irc'" }), "a code that is out", pairing()],
  ["[GW-23] access by a code of another account", grant({ account: "'second'" }), "a code that is out", pairing()],
  ["[GW-5] access by a code that is too old", grant({ granted_ms: 100 }), "a code that is out", pairing()],
  ["[GW-5] a role of its own", grant({ role: "'admin'" }), "role", pairing()],
  [
    "[GW-5] a member who becomes an owner by a change",
    "UPDATE access_grant SET role = 'owner'",
    "never changed",
    `${pairing()}; ${grant()}`,
  ],
  [
    "[GW-4] wrong codes beyond the limit",
    `UPDATE pairing_guard SET failures = ${PAIRING_FAILURES_MAX + 1}`,
    "failures",
  ],
  [
    "[GW-4] the last wrong code without a pause",
    `UPDATE pairing_guard SET failures = ${PAIRING_FAILURES_MAX}`,
    "CHECK",
  ],
  ["[GW-4] a pause without wrong codes", "UPDATE pairing_guard SET locked_ms = 1", "CHECK"],
  ["[GW-4] wrong codes that nobody counts", "DELETE FROM pairing_guard", "counted"],
];

const command = (row: Row = {}): string =>
  insert("chat_command", {
    id: "'cmd'",
    platform: "'telegram'",
    account: "'bot'",
    event_id: "'cmd-event'",
    route_key: "'agent:main:telegram:dm:42'",
    author: 1,
    line: "'/status'",
    address: "'{}'",
    state: "'queued'",
    received_ms: 1,
    ...row,
  });
const BEGUN = `${command()}; UPDATE chat_command SET attempts = 1`;
const END = "UPDATE chat_command SET state = 'done', line = NULL, address = NULL, ended_ms = 2";
const DONE = `${BEGUN}; ${END}`;

const COMMANDS: readonly Attack[] = [
  ["[CT-2] one event as two commands", command({ id: "'other'" }), "UNIQUE", command()],
  [
    "[CT-2] a message that becomes a command",
    command({
      platform: "(SELECT platform FROM input WHERE no = 1)",
      account: "(SELECT account FROM input WHERE no = 1)",
      event_id: "(SELECT event_id FROM input WHERE no = 1)",
    }),
    "no message is one",
  ],
  [
    "[GW-6] a command that begins as done",
    command({ state: "'done'", line: "NULL", address: "NULL", ended_ms: 1 }),
    "stored before",
  ],
  ["[GW-6] a command that was tried before it was stored", command({ attempts: 1 }), "stored before"],
  ["[GW-6] a command of nobody", command({ author: 999 }), "FOREIGN"],
  ["[GW-6] a command without words", command({ line: "NULL" }), "CHECK"],
  ["a command longer than may be", command({ line: `'${"x".repeat(COMMAND_CHARS_MAX + 1)}'` }), "CHECK"],
  ["[GW-6] a command that ends twice", `${END.replace("'done'", "'dead'")}, reason = 'x'`, "one end", DONE],
  [
    "[GW-6] an end taken back",
    "UPDATE chat_command SET state = 'queued', line = '/x', address = '{}', ended_ms = NULL, attempts = attempts + 1",
    "one end",
    DONE,
  ],
  ["[GW-6] an end that keeps the words", "UPDATE chat_command SET state = 'done', ended_ms = 2", "CHECK", BEGUN],
  [
    "[GW-6] an end without a time",
    "UPDATE chat_command SET state = 'done', line = NULL, address = NULL",
    "CHECK",
    BEGUN,
  ],
  ["[GW-6] given up without a reason", END.replace("'done'", "'dead'"), "CHECK", BEGUN],
  [
    "[GW-6] words changed under way",
    "UPDATE chat_command SET line = '/other', attempts = attempts + 1",
    "one end",
    BEGUN,
  ],
  [
    "[GW-6] said by another",
    "UPDATE chat_command SET author = (SELECT max(no) + 1 FROM person), attempts = attempts + 1",
    "one end",
    BEGUN,
  ],
  ["[GW-10] an attempt that is not counted", "UPDATE chat_command SET begun_in = begun_in", "counted before", BEGUN],
  ["[GW-10] an attempt counted with the end", `${END}, attempts = attempts + 1`, "counted before", BEGUN],
  [
    "[GW-10] more attempts than may be",
    "UPDATE chat_command SET attempts = attempts + 1",
    "CHECK",
    `${BEGUN}${"; UPDATE chat_command SET attempts = attempts + 1".repeat(COMMAND_ATTEMPTS_MAX - 1)}`,
  ],
  [
    "[GW-8] a beginning that moves",
    "UPDATE chat_command SET begun_in = :idle, attempts = attempts + 1",
    "one end",
    BEGUN,
  ],
  ["[CT-2] an event forgotten", "DELETE FROM chat_command", "remembers", DONE],
];

describeRefusals("pairing and access", PAIRINGS);
describeRefusals("commands of chats", COMMANDS);
describeLegalSteps("chats", [
  ["a code", pairing()],
  ["a second code", `${pairing()}; ${second({})}`],
  ["the same person on another account of ours", `${pairing()}; ${second({ account: "'second'", sender: "'7'" })}`],
  [
    "a code for an id that is in on another account of ours",
    `${pairing()}; ${grant()}; ${second({ account: "'second'", sender: "'7'" })}`,
  ],
  ["access by a code", `${pairing()}; ${grant()}`],
  ["a code that is spent", `${pairing()}; ${grant()}; DELETE FROM pairing`],
  ["access taken back", `${pairing()}; ${grant()}; DELETE FROM access_grant`],
  ["the last wrong code with its pause", `UPDATE pairing_guard SET failures = ${PAIRING_FAILURES_MAX}, locked_ms = 9`],
  ["a command", command()],
  [
    "a command that is begun where its chat leads",
    `${command()}; UPDATE chat_command SET attempts = 1, begun_in = :idle`,
  ],
  ["a command that is done", DONE],
  ["a command that is given up", `${BEGUN}; ${END.replace("'done'", "'dead'")}, reason = 'x'`],
]);
