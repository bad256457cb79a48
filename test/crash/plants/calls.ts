/** Bugs of calls and of what is asked about them. */

import { killedCommand, stubbornCommand } from "../scenarios/interruptions.js";
import {
  allowedAndKilled,
  answeredOftenKilledOnce,
  denied,
  deniedThenAllowed,
  onceIsOnce,
  oneOfTwoAllowed,
} from "../scenarios/questions.js";
import { killedTurn } from "../scenarios/turns.js";
import { brokenArguments } from "../scenarios/wire.js";
import type { TurnPlant } from "./plant.js";

const START = 'if (call.phase === "recorded" || call.isLeftover) await turn.journal.startCalls([call.id]);';
/** The store and the schema refuse a start without leave; a bug that gets its way has to get past both. */
const UNGUARDED: TurnPlant["changes"] = [
  ['return approval.answer === null ? "awaits-approval" : approval.answer === "deny" ? "denied" : void 0;', ""],
  ["AND (state <> 'decided' OR answer = 'deny' OR args_hash <> NEW.args_hash))", "AND FALSE)"],
];
const ASKS_AGAIN = [
  "if (known !== void 0 && known.answer !== null) return leaveOf(",
  "if (known !== void 0 && known.answer !== null && turn.isYolo) return leaveOf(",
] as const;

export const CALL_PLANTS = {
  repeatedEffect: {
    name: "repeated effect",
    what: "runs an at-most-once call again after a death",
    changes: [
      ['return effect !== "at-most-once";', "return true;"],
      ["CHECK(effect <> 'at-most-once' OR attempts <= 1),", ""],
    ],
    scenario: killedTurn("call.effect-done:3"),
    found: /effect happened [2-9] times/,
  },
  unmarkedStart: {
    name: "unmarked start",
    what: "runs a call that is not marked as started",
    changes: [[START, ""]],
    scenario: killedTurn("call.effect-done:3"),
    found: /effect happened [2-9] times/,
  },
  unrecordedEffect: {
    name: "unrecorded effect",
    what: "runs the calls of a step before the step is recorded",
    changes: [
      [
        "const recorded = await turn.journal.recordStep({",
        `globalThis.early = new Map();
         for (const { call, as } of prepared) if (as.kind === "ready") globalThis.early.set(call.id, await runTool(turn, { id: call.id, callId: call.id, name: call.name, prepared: as, reply: void 0 }));
         faultPoint("call.effect-done");
         const recorded = await turn.journal.recordStep({`,
      ],
      [
        "= await runTool(turn, { ...call, prepared, reply: leave.reply });",
        "= globalThis.early?.get(call.callId) ?? await runTool(turn, { ...call, prepared, reply: leave.reply });",
      ],
    ],
    scenario: killedTurn("call.effect-done"),
    found: /effect happened [2-9] times/,
  },
  finishedAgain: {
    name: "finished again",
    what: "runs finished calls again when a turn is taken over",
    changes: [
      [
        "attempts FROM tool_call\n     WHERE turn = ? AND state <> 'finished'",
        "attempts FROM tool_call\n     WHERE turn = ?",
      ],
      [START, START.replace("|| call.isLeftover", "&& !call.isLeftover")],
    ],
    scenario: killedTurn("call.finished:3", 2),
    found: /effect happened [2-9] times/,
  },
  forgottenCalls: {
    name: "forgotten calls",
    what: "does not look for calls that a death left open",
    changes: [['if (calls.length === 0) return "done";', 'if (calls.length >= 0) return "done";']],
    scenario: killedTurn("step.recorded", 2),
    found: /does not print the answer/,
  },
  certainOutcome: {
    name: "certain outcome",
    what: "answers a call that was cut as if it had worked",
    changes: [['{ outcome: "unknown", text: ABANDONED_TEXT.unknown }', '{ outcome: "ok", text: "done" }']],
    scenario: killedTurn("call.started:3"),
    found: /never happened and its result does not say so/,
  },
  harmlessOutcome: {
    name: "harmless outcome",
    what: "says of a command that may have worked that it can be run again",
    changes: [
      [
        '(state, row.effect) === "unknown" ? "unknown" : "interrupted"',
        '(state, row.effect) === "" ? "unknown" : "interrupted"',
      ],
    ],
    scenario: stubbornCommand,
    found: /its result says/,
  },
  strayCommand: {
    name: "stray command",
    what: "has a watchdog that forgets what it is told",
    changes: [['add) groups="$groups $group" ;;', 'add) groups="$groups" ;;']],
    scenario: killedCommand("SIGKILL"),
    found: /outlives its host/,
  },
  emptyArguments: {
    name: "empty arguments",
    what: "runs a call whose arguments cannot be read without any",
    changes: [
      [
        "return malformed(error instanceof Error ? error.message : String(error));",
        'return { kind: "parsed", value: {} };',
      ],
    ],
    scenario: brokenArguments,
    found: /arguments that nobody sent/,
  },
  deniedRuns: {
    name: "denied runs",
    what: "takes a no for a yes",
    changes: [
      ['if (answer !== "deny") return { kind: "granted"', 'if (answer !== "") return { kind: "granted"'],
      ...UNGUARDED,
    ],
    scenario: denied,
    found: /what was denied ran 1 times/,
  },
  forgottenQuestion: {
    name: "forgotten question",
    what: "takes a call that waited through a restart as allowed",
    changes: [
      [
        'if (call.phase === "started" || turn.isYolo) return GRANTED;',
        'if (call.phase === "started" || call.isLeftover) return GRANTED;',
      ],
      ...UNGUARDED,
    ],
    scenario: denied,
    found: /what was denied ran 1 times/,
  },
  askedAgain: {
    name: "asked again",
    what: "asks again what was decided before a death",
    changes: [ASKS_AGAIN],
    scenario: deniedThenAllowed,
    found: /ended with 6/,
  },
  secondAnswer: {
    name: "second answer",
    what: "lets a later answer replace the first",
    changes: [
      ASKS_AGAIN,
      ["turn.approvals.filter(({ answer: answer2 }) => answer2 === null).map(", "turn.approvals.map("],
      ['state.phase === "pending" ? { kind: "decided"', 'state.phase !== "" ? { kind: "decided"'],
      ["WHEN OLD.state = 'decided' OR NEW.state <> 'decided' OR", "WHEN NEW.state <> 'decided' OR"],
    ],
    scenario: deniedThenAllowed,
    found: /what was denied ran 1 times/,
  },
  borrowedLeave: {
    name: "borrowed leave",
    what: "takes the leave for one call as a leave for its neighbour",
    changes: [["approvals.find(({ call }) => call ===", "approvals.find(({ call }) => call !== void 0 || call ==="]],
    scenario: oneOfTwoAllowed,
    found: /second was not asked about/,
  },
  onceForEver: {
    name: "once for ever",
    what: "keeps a leave for once as a leave for always",
    changes: [
      ['if (answer === "session" || answer === "always")', 'if (answer !== "deny")'],
      ["AND a.answer = iif(NEW.conversation IS NULL, 'always', 'session') ", ""],
    ],
    scenario: onceIsOnce,
    found: /second was not asked about/,
  },
  countedAnswers: {
    name: "counted answers",
    what: "counts every answer of a person as a death",
    changes: [['turn.attempts + (turn.state === "running" && !isReleased ? 1 : 0);', "turn.attempts + 1;"]],
    scenario: answeredOftenKilledOnce,
    found: /not brought to its end; .*set aside/s,
  },
  allowedTwice: {
    name: "allowed twice",
    what: "runs what was allowed once a second time after a death",
    changes: [
      ['return effect !== "at-most-once";', "return true;"],
      ["CHECK(effect <> 'at-most-once' OR attempts <= 1),", ""],
    ],
    scenario: allowedAndKilled,
    found: /allowed once ran 2 times/,
  },
} as const satisfies Record<string, TurnPlant>;
