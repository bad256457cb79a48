/**
 * Bugs to be found, as changes to the text of a staged copy of the program. A harness that does not see them would
 * not see the real ones either.
 */

export interface Plant {
  readonly name: string;
  /** What it does, in a person's words. */
  readonly what: string;
  /** Text of the built program, and what stands there instead. */
  readonly changes: readonly (readonly [text: string, replacement: string])[];
  /** Where to kill, if a kill at any time would find it too rarely. */
  readonly faultPoint?: string;
}

const SPLIT = 'tx.db.exec("COMMIT; BEGIN IMMEDIATE; SAVEPOINT operation");';

export const PLANTS = {
  earlyAnswer: {
    name: "early answer",
    what: "answers a batch before its commit",
    changes: [
      [
        "const say = (message) => port.postMessage(message);",
        'const say = (message) => port.postMessage(message); globalThis.answerEarly = (responses) => say({ kind: "answers", responses });',
      ],
      ['faultPoint("store.before-commit");', 'globalThis.answerEarly(responses); faultPoint("store.before-commit");'],
    ],
  },
  forgetfulInbox: {
    name: "forgetful inbox",
    what: "does not recognise an event it has stored",
    changes: [
      ["const known = knownInput(tx, inbound);", "const known = undefined;"],
      [
        "UNIQUE(platform, account, event_id),\n  CHECK(state <> 'queued' OR text IS NOT NULL),",
        "CHECK(state <> 'queued' OR text IS NOT NULL),",
      ],
    ],
  },
  settleInTwo: {
    name: "settle in two",
    what: "commits a turn's end before its reply",
    changes: [['faultPoint("store.mid-settle");', `${SPLIT} faultPoint("store.mid-settle");`]],
    faultPoint: "store.mid-settle",
  },
  rotateInTwo: {
    name: "rotate in two",
    what: "commits a compaction's session before its content",
    changes: [['faultPoint("store.mid-rotate");', `${SPLIT} faultPoint("store.mid-rotate");`]],
    faultPoint: "store.mid-rotate",
  },
  noFence: {
    name: "no fence",
    what: "does not look at a writer's epoch, nor does the schema",
    changes: [
      [
        "WHERE t.id = ? AND t.state <> 'settled' AND l.epoch = ?",
        "WHERE t.id = ? AND t.state <> 'settled' AND (l.epoch = ? OR TRUE)",
      ],
      [
        "CREATE TRIGGER tool_call_kept ",
        "DROP TRIGGER message_fence; DROP TRIGGER turn_fence; DROP TRIGGER tool_call_fence; CREATE TRIGGER tool_call_kept ",
      ],
    ],
  },
  uncountedAttempt: {
    name: "uncounted attempt",
    what: "takes a turn over without counting it",
    changes: [
      [
        "UPDATE turn SET attempts = ?, epoch = ? WHERE no = ?",
        "UPDATE turn SET attempts = attempts + 0 * ?, epoch = ? WHERE no = ?",
      ],
    ],
  },
  lazyDisk: {
    name: "lazy disk",
    what: "leaves syncing the log to the operating system, and says it does not",
    changes: [
      ["PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL"],
      ['db.scalar("PRAGMA synchronous") === 2', 'db.scalar("PRAGMA synchronous") === 1'],
    ],
  },
} as const satisfies Record<string, Plant>;
