/** Forbidden states of hosts, leases, inputs, turns and tool calls. */
import { type Attack, describeLegalSteps, describeRefusals, insert } from "../../../test/support/illegal-states.js";

type Row = Readonly<Record<string, string | number>>;
const FENCED = "stale epoch";
const OTHER_HASH = `'${"b".repeat(64)}'`;

const input = (row: Row): string =>
  insert("input", {
    id: "'new-input'",
    platform: "'telegram'",
    account: "'bot'",
    event_id: "'new-event'",
    conversation: ":idle",
    author: 1,
    mode: "'queue'",
    state: "'queued'",
    text: "'hi'",
    received_ms: 1,
    ...row,
  });
const turn = (row: Row): string =>
  insert("turn", {
    id: "'new-turn'",
    conversation: ":idle",
    input: "(SELECT no FROM input WHERE id = 'new-input')",
    epoch: 1,
    state: "'running'",
    started_ms: 1,
    ...row,
  });
const NEW_TURN = "(SELECT no FROM turn WHERE id = 'new-turn')";
const said = insert("message", {
  conversation: ":idle",
  seq: ":idleSeq + 1",
  session: ":idleTip",
  turn: NEW_TURN,
  epoch: 1,
  role: "'user'",
  text: "'hi'",
  created_ms: 1,
});
const taken = "UPDATE input SET state = 'taken', text = NULL WHERE id = 'new-input'";
const call = (row: Row): string =>
  insert("tool_call", {
    id: "'new-call'",
    conversation: ":busy",
    turn: ":runningTurn",
    step: 2,
    ordinal: 0,
    call_id: "'c'",
    name: "'look'",
    effect: "'read-only'",
    args_hash: `'${"a".repeat(64)}'`,
    epoch: 1,
    state: "'recorded'",
    ...row,
  });
const settled = "state = 'settled', outcome = 'completed', settled_ms = 1, draft = NULL";
const start = (no: string, attempts = 1): string =>
  `UPDATE tool_call SET state = 'started', attempts = ${attempts}, started_ms = 1 WHERE no = ${no}`;
const result = insert("message", {
  conversation: ":busy",
  seq: ":busySeq + 1",
  session: ":busyTip",
  turn: ":runningTurn",
  epoch: 1,
  role: "'tool'",
  text: "'42'",
  call: ":busyCall",
  created_ms: 1,
});

const HOSTS: readonly Attack[] = [
  [
    "[ST-8] a lease epoch set back",
    "UPDATE lease SET epoch = 0 WHERE conversation = :busy",
    "an epoch never goes back",
  ],
  [
    "[ST-8] a new holder under the old epoch",
    "UPDATE lease SET host = 'host-two' WHERE conversation = :busy",
    "a new holder takes a new one",
  ],
  ["[ST-8] a lease dropped", "DELETE FROM lease WHERE conversation = :busy", "a lease is taken over, not dropped"],
  [
    "[ST-8] a lease replaced from the start",
    "INSERT OR REPLACE INTO lease(conversation, epoch, host) VALUES (:busy, 1, 'host-two')",
    "a lease is taken over, not dropped",
  ],
  ["[ST-8] a lease moved elsewhere", "UPDATE lease SET conversation = :closed WHERE conversation = :busy", "an epoch"],
  ["[ST-8] a lease of epoch zero", insert("lease", { conversation: 99, epoch: 0, host: "'h'" }), "CHECK"],
  ["a lease of no conversation", insert("lease", { conversation: 99, epoch: 1, host: "'h'" }), "FOREIGN KEY"],
  [
    "[ST-8] a host whose epoch is not above all earlier ones",
    insert("host", { epoch: 1, id: "'h'", pid: 1, version: "'1'", started_ms: 1 }),
    "above all earlier ones",
  ],
  ["a host's epoch changed", "UPDATE host SET epoch = 7", "a host is registered once"],
  ["the newest host forgotten", "DELETE FROM host", "the newest epoch is remembered"],
];

const INPUTS: readonly Attack[] = [
  [
    "[ST-15] an event admitted twice",
    input({ event_id: "(SELECT event_id FROM input WHERE no = :takenInput)" }),
    "UNIQUE constraint failed: input.platform, input.account, input.event_id",
  ],
  [
    "[ST-15] an event admitted again after it was withdrawn",
    input({ event_id: "(SELECT event_id FROM input WHERE no = :cancelledInput)" }),
    "UNIQUE constraint failed",
  ],
  ["[ST-15] an event without an id", input({ event_id: "''" }), "CHECK constraint failed: event_id"],
  ["[ST-15] an input deleted", "DELETE FROM input WHERE no = :takenInput", "the inbox remembers every event"],
  [
    "[ST-15] an event renamed",
    "UPDATE input SET event_id = 'x', state = 'dead', reason = 'x' WHERE no = :queuedInput",
    "one end",
  ],
  [
    "[ST-15] an input replaced under its event",
    input({ event_id: "(SELECT event_id FROM input WHERE no = :queuedInput)" }).replace("INSERT", "INSERT OR REPLACE"),
    "the inbox remembers every event",
  ],
  ["[ST-14] an input for a deleted conversation", input({ conversation: ":gone" }), "a conversation that exists"],
  ["an input for no conversation", input({ conversation: 99 }), "FOREIGN KEY"],
  ["an input born taken", input({ state: "'taken'" }), "an input is queued"],
  ["an input without words", input({ text: "NULL" }), "CHECK"],
  ["an input in an unknown state", input({ state: "'lost'" }), "an input is queued"],
  ["an input with an unknown mode", input({ mode: "'shout'" }), "CHECK constraint failed: mode IN"],
  ["an address that is no JSON", input({ address: "'{'" }), "CHECK constraint failed: address"],
  [
    "an input used again",
    "UPDATE input SET state = 'queued', text = 'x' WHERE no = :takenInput",
    "an input has one end",
  ],
  [
    "a withdrawn input revived",
    "UPDATE input SET state = 'queued', reason = NULL WHERE no = :cancelledInput",
    "an input has one end",
  ],
  ["a taken input withdrawn", "UPDATE input SET state = 'cancelled', reason = 'x' WHERE no = :takenInput", "one end"],
  ["an input withdrawn without a reason", "UPDATE input SET state = 'cancelled' WHERE no = :queuedInput", "CHECK"],
  ["an input that died without a reason", "UPDATE input SET state = 'dead' WHERE no = :queuedInput", "CHECK"],
  ["waiting words edited", "UPDATE input SET text = 'other' WHERE no = :queuedInput", "an input has one end"],
  ["words put into another's mouth", "UPDATE input SET author = 99 WHERE no = :queuedInput", "an input has one end"],
  ["an input moved elsewhere", "UPDATE input SET conversation = :idle WHERE no = :queuedInput", "an input has one end"],
  [
    "an input taken by no turn",
    "UPDATE input SET state = 'taken', text = NULL WHERE no = :queuedInput",
    "an input is taken by a turn, into history",
  ],
  [
    "an input steered into a conversation without a live turn",
    "UPDATE input SET state = 'steered', text = NULL WHERE id = 'new-input'",
    "an input is taken by a turn",
    input({}),
  ],
  ["an input taken whose words are not in history", taken, "an input is taken by a turn", `${input({})}; ${turn({})}`],
];

const TURNS: readonly Attack[] = [
  [
    "[ST-7] a second live turn",
    turn({ conversation: ":busy", input: ":busyInput" }),
    "UNIQUE constraint failed: turn.conversation",
  ],
  ["[ST-8] a turn begun under a stale epoch", turn({ epoch: 7 }), "under the lease", input({})],
  [
    "[ST-8] a turn begun without a lease",
    turn({ conversation: "(SELECT conversation FROM session WHERE id = 'imported-session')" }),
    "under the lease",
    input({ conversation: "(SELECT conversation FROM session WHERE id = 'imported-session')" }),
  ],
  ["an input answered by two turns", turn({ input: ":idleInput" }), "a turn takes a queued input"],
  ["a turn about a withdrawn input", turn({ input: ":cancelledInput" }), "a turn takes a queued input"],
  ["a turn about another conversation's input", turn({ input: ":queuedInput" }), "a turn takes a queued input"],
  ["a turn about nothing", turn({ input: 99 }), "a turn takes a queued input"],
  [
    "a turn born settled",
    turn({ state: "'settled'", outcome: "'completed'", settled_ms: 1 }),
    "a turn takes",
    input({}),
  ],
  [
    "[ST-8] a turn changed under a stale epoch",
    "UPDATE turn SET draft = 'x', epoch = 0 WHERE no = :runningTurn",
    FENCED,
  ],
  [
    "[ST-8] a turn changed by who lost the lease",
    "UPDATE turn SET draft = 'x', epoch = 1 WHERE no = :runningTurn",
    FENCED,
    "UPDATE lease SET epoch = 2, host = 'host-two' WHERE conversation = :busy",
  ],
  [
    "a settled turn revived",
    "UPDATE turn SET state = 'running', outcome = NULL, settled_ms = NULL WHERE no = :doneTurn",
    "a turn that has ended",
  ],
  ["an outcome changed", "UPDATE turn SET outcome = 'failed' WHERE no = :doneTurn", "a turn that has ended"],
  [
    "[ST-9] a turn settled over an open call",
    `UPDATE turn SET ${settled} WHERE no = :runningTurn`,
    "every call answered",
  ],
  [
    "[ST-9] a turn settled over a started call",
    `UPDATE turn SET ${settled} WHERE no = :runningTurn`,
    "every call answered",
    start(":busyCall"),
  ],
  [
    "[ST-18] a turn settled over a pending approval",
    `UPDATE turn SET ${settled} WHERE no = :waitingTurn`,
    "every call answered",
  ],
  [
    "a turn settled without an outcome",
    "UPDATE turn SET state = 'settled', settled_ms = 1 WHERE no = :runningTurn",
    "every call answered",
  ],
  ["an outcome before the end", "UPDATE turn SET outcome = 'completed' WHERE no = :runningTurn", "CHECK"],
  ["an unknown outcome", "UPDATE turn SET outcome = 'tired' WHERE no = :runningTurn", "CHECK"],
  [
    "an unknown turn state",
    "UPDATE turn SET state = 'asleep' WHERE no = :runningTurn",
    "CHECK constraint failed: state IN",
  ],
  [
    "a turn that waits for nobody",
    "UPDATE turn SET state = 'waiting' WHERE no = :runningTurn",
    "waits for a pending approval",
  ],
  [
    "a turn that does not wait for its approval",
    "UPDATE turn SET state = 'running' WHERE no = :waitingTurn",
    "waits for a pending approval",
  ],
  ["an attempt uncounted", "UPDATE turn SET attempts = 0 WHERE no = :runningTurn", FENCED],
  ["a step taken back", "UPDATE turn SET steps = 0 WHERE no = :runningTurn", FENCED],
  ["a turn renamed", "UPDATE turn SET id = 'other' WHERE no = :runningTurn", FENCED],
  ["a turn moved elsewhere", "UPDATE turn SET conversation = :idle WHERE no = :runningTurn", FENCED],
  ["a turn given another input", "UPDATE turn SET input = :busyInput WHERE no = :runningTurn", FENCED],
  ["a settled turn's reason rewritten", "UPDATE turn SET reason = 'x' WHERE no = :doneTurn", "a turn that has ended"],
  [
    "a settled turn touched while its conversation lives",
    "UPDATE turn SET reason = NULL WHERE no = :doneTurn",
    "ended",
  ],
  ...["input_tokens", "output_tokens", "cost_micros", "unpriced_calls"].flatMap((column): Attack[] => [
    [
      `what was spent taken back: ${column}`,
      `UPDATE turn SET ${column} = ${column} - 1 WHERE no = :runningTurn`,
      "stays spent",
    ],
    [`a turn that begins with something spent: ${column}`, turn({ [column]: 1 }), "a turn takes", input({})],
    [
      `something spent by a turn that has ended: ${column}`,
      `UPDATE turn SET ${column} = ${column} + 1 WHERE no = :doneTurn`,
      "a turn",
    ],
  ]),
  [
    "[ST-8] something spent by who lost the lease",
    "UPDATE turn SET cost_micros = cost_micros + 1 WHERE no = :runningTurn",
    FENCED,
    "UPDATE lease SET epoch = 2, host = 'host-two' WHERE conversation = :busy",
  ],
  ["a turn deleted", "DELETE FROM turn WHERE no = :doneTurn", "turns are kept"],
];

const CALLS: readonly Attack[] = [
  ["[ST-8] a call recorded under a stale epoch", call({ epoch: 7 }), "under the lease"],
  ["a call of a settled turn", call({ conversation: ":idle", turn: ":idleTurn" }), "recorded by the live turn"],
  ["a call of another conversation's turn", call({ conversation: ":chat" }), "recorded by the live turn"],
  ["a call born started", call({ state: "'started'", attempts: 1 }), "a call is recorded"],
  ["a call born finished", call({ state: "'finished'", outcome: "'ok'" }), "a call is recorded"],
  ["a call recorded twice in a step", call({ step: 1 }), "UNIQUE constraint failed: tool_call.turn"],
  ["a call without a name", call({ name: "''" }), "CHECK constraint failed: name"],
  ["a call without the provider's id", call({ call_id: "''" }), "CHECK constraint failed: call_id"],
  ["a call without its arguments' hash", call({ args_hash: "'x'" }), "CHECK constraint failed: length(args_hash)"],
  ["an undeclared effect", call({ effect: "'maybe'" }), "CHECK constraint failed: effect IN"],
  ["an at-most-once call started twice", start(":onceCall", 2), "CHECK constraint failed: effect <> 'at-most-once'"],
  ["a call started again without counting it", start(":onceCall", 1), FENCED],
  ["attempts that jump", start(":busyCall", 2), FENCED],
  ["[ST-8] a call started under a stale epoch", `${start(":busyCall")} AND 1`.replace("SET", "SET epoch = 7,"), FENCED],
  [
    "[ST-8] a call started by who lost the lease",
    start(":busyCall"),
    FENCED,
    "UPDATE lease SET epoch = 2, host = 'host-two' WHERE conversation = :busy",
  ],
  ["[ST-18] a call started while its approval is pending", start(":askedCall"), "a call waits for its approval"],
  ["[ST-18] a call started after it was denied", start(":deniedCall"), "a call waits for its approval"],
  [
    "[ST-9] a call finished without a result",
    "UPDATE tool_call SET state = 'finished', outcome = 'error' WHERE no = :busyCall",
    "has its result in history",
  ],
  [
    "a call finished without an outcome",
    "UPDATE tool_call SET state = 'finished' WHERE no = :busyCall",
    "CHECK",
    result,
  ],
  [
    "a call that never started and went well",
    "UPDATE tool_call SET state = 'finished', outcome = 'ok' WHERE no = :busyCall",
    "CHECK constraint failed: outcome NOT IN",
    result,
  ],
  ["a finished call started again", start(":finishedCall", 2), "a call that is finished"],
  [
    "a finished call's outcome changed",
    "UPDATE tool_call SET outcome = 'error' WHERE no = :finishedCall",
    "a call that is finished",
  ],
  ["a started call taken back", "UPDATE tool_call SET state = 'recorded' WHERE no = :onceCall", FENCED],
  [
    "a call's arguments changed",
    `UPDATE tool_call SET state = 'started', attempts = 1, args_hash = ${OTHER_HASH} WHERE no = :busyCall`,
    FENCED,
  ],
  [
    "a call's effect softened",
    "UPDATE tool_call SET effect = 'idempotent', state = 'started', attempts = 2 WHERE no = :onceCall",
    FENCED,
  ],
  [
    "a call moved to another turn",
    "UPDATE tool_call SET turn = :waitingTurn, state = 'started', attempts = 1 WHERE no = :busyCall",
    FENCED,
  ],
  ["a call deleted", "DELETE FROM tool_call WHERE no = :finishedCall", "tool calls are kept"],
];

describeRefusals("a host and its leases", HOSTS);
describeRefusals("an input", INPUTS);
describeRefusals("a turn", TURNS);
describeRefusals("a tool call", CALLS);

describeLegalSteps("work", [
  ["the next host", insert("host", { epoch: 2, id: "'h'", pid: 1, version: "'1'", started_ms: 1 })],
  ["a lease taken over under a new epoch", "UPDATE lease SET epoch = 2, host = 'host-two' WHERE conversation = :busy"],
  ["an input", input({})],
  ["an input set aside at once", input({ state: "'dead'", reason: "'suspended'" })],
  ["an input withdrawn with a reason", "UPDATE input SET state = 'cancelled', reason = 'x' WHERE no = :queuedInput"],
  ["an ended input's words forgotten", "UPDATE input SET text = NULL WHERE no = :cancelledInput"],
  ["an input taken by its turn, into history", `${input({})}; ${turn({})}; ${said}; ${taken}`],
  ["a draft", "UPDATE turn SET draft = 'so far' WHERE no = :runningTurn"],
  [
    "something spent",
    "UPDATE turn SET cost_micros = cost_micros + 5, input_tokens = input_tokens + 1 WHERE no = :runningTurn",
  ],
  ["a call recorded by the live turn", call({})],
  ["a call started and counted", start(":busyCall")],
  [
    "a call finished after its result",
    `${start(":busyCall")}; ${result}; UPDATE tool_call SET state = 'finished', outcome = 'ok' WHERE no = :busyCall`,
  ],
  [
    "a call denied without a start",
    `${result}; UPDATE tool_call SET state = 'finished', outcome = 'denied' WHERE no = :busyCall`,
  ],
  [
    "a turn settled with every call answered",
    `${result}; UPDATE tool_call SET state = 'finished', outcome = 'error' WHERE no = :busyCall; UPDATE turn SET ${settled} WHERE no = :runningTurn`,
  ],
]);
