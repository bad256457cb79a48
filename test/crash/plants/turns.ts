/** Bugs of turns, of what is stored of them, and of what goes over the wire. */
import { PLANTS } from "../../chaos/plants.js";
import { compacted, killedCompaction, longSummary } from "../scenarios/compactions.js";
import { interruptedAnswer, killedAnswer } from "../scenarios/interruptions.js";
import { killedThreeTimes, killedTurn, saidAfterKill, sameMessageTwice } from "../scenarios/turns.js";
import { cutAnswer, dayBudget, personTitle, refusedForEver, secretSaid } from "../scenarios/wire.js";
import type { TurnPlant } from "./plant.js";

export const TURN_PLANTS = {
  uncountedDeath: {
    name: "uncounted death",
    what: "does not count how often a turn ended the program",
    changes: PLANTS.uncountedAttempt.changes,
    scenario: killedThreeTimes,
    found: /not set aside/,
  },
  abandonedTurn: {
    name: "abandoned turn",
    what: "does not look for turns that a death left open",
    changes: [["take(await recover(", "reports.length > 0 && take(await recover("]],
    scenario: saidAfterKill,
    found: /the answer is/,
  },
  saidAgain: {
    name: "said again",
    what: "puts the person's message into history again when a turn is taken over",
    changes: [
      [
        'invariant(input, "a turn has its input");',
        'append(tx, { conversation: conversation.no, session: conversation.tip, role: "user", text: tx.db.get("SELECT text FROM message WHERE turn = ? AND role = ?", turn.no, "user").text, turn: turn.no, epoch, atMs: nowMs });',
      ],
    ],
    scenario: killedTurn("turn.claimed"),
    found: /user message is not there once/,
  },
  keptEpoch: {
    name: "kept epoch",
    what: "takes a turn over under the epoch of the dead",
    changes: [
      [
        "UPDATE lease SET epoch = epoch + 1, host = ? WHERE conv",
        "UPDATE lease SET epoch = epoch + 0, host = ? WHERE conv",
      ],
    ],
    scenario: killedTurn("turn.claimed"),
    found: /it ended with/,
  },
  earlyPrint: {
    name: "early print",
    what: "tells the answer before it is stored",
    changes: [
      [
        'faultPoint("turn.before-settle");',
        `run.face.onReport?.({ ...report(run, facts), outcome, text, steps: 1 });
         await new Promise((resolve) => setTimeout(resolve, 300));
         faultPoint("turn.before-settle");`,
      ],
    ],
    scenario: killedTurn("turn.before-settle"),
    found: /printed before it was stored/,
  },
  lostAnswer: {
    name: "lost answer",
    what: "settles a turn without its last words",
    changes: [[' && text !== "" ? { final:', ' && text === "" ? { final:']],
    scenario: killedTurn("turn.settled"),
    found: /the transcript is: user assistant tool tool tool$/m,
  },
  answeredTwice: {
    name: "answered twice",
    what: "leaves an input in the queue after it was answered",
    changes: [
      [
        "UPDATE input SET state = ?, text = NULL, body = NULL WHERE no = ?",
        "UPDATE input SET state = ?, text = NULL, body = NULL WHERE no = ? AND (SELECT count(*) FROM turn WHERE turn.input = input.no) > 1",
      ],
      ["input INTEGER NOT NULL UNIQUE REFERENCES input(no)", "input INTEGER NOT NULL REFERENCES input(no)"],
    ],
    scenario: sameMessageTwice,
    found: /was answered 2 times/,
  },
  forgetfulInbox: { ...PLANTS.forgetfulInbox, scenario: sameMessageTwice, found: /began a second conversation/ },
  noDraft: {
    name: "no draft",
    what: "stores streamed text at the end alone",
    changes: [["DRAFT_EVERY_MS = 1e3;", "DRAFT_EVERY_MS = 1e9;"]],
    scenario: killedAnswer("SIGKILL"),
    found: /that were shown are not stored/,
  },
  lostAtInterrupt: {
    name: "lost at interrupt",
    what: "does not store what was streamed since the last second when it is interrupted",
    changes: [
      [
        '|| turn.signal.aborted) {\n      await drafts.flush();\n      return { kind: "aborted" };',
        '|| turn.signal.aborted) {\n      return { kind: "aborted" };',
      ],
    ],
    scenario: interruptedAnswer,
    found: /shown and not stored|the transcript is: user note/,
  },
  interruptForgotten: {
    name: "interrupt forgotten",
    what: "settles an interrupted turn as if it had come to its end",
    changes: [['interrupted: "interrupted-by-user"\n', 'interrupted: "completed"\n']],
    scenario: interruptedAnswer,
    found: /the transcript is: user$/m,
  },
  halfAnswer: {
    name: "half answer",
    what: "takes a stream that was cut for a whole answer",
    changes: [["if (!this.#hasEnd || this.#finish === void 0 || this.#reason === void 0) return CUT;", ""]],
    scenario: cutAnswer,
    found: /half an answer/,
  },
  endlessRetries: {
    name: "endless retries",
    what: "does not count what it tries again",
    changes: [[".retriesLeft--;", ".retriesLeft;"]],
    scenario: refusedForEver,
    found: /it was asked \d+ times/,
  },
  leakedSecret: {
    name: "leaked secret",
    what: "sends secrets to the provider",
    changes: [["clip(redact(cleanText(text)), TEXT_CHARS_MAX)", "clip(cleanText(text), TEXT_CHARS_MAX)"]],
    scenario: secretSaid,
    found: /secret was sent to the provider/,
  },
  ignoredBudget: {
    name: "ignored budget",
    what: "does not look at what the day has cost",
    changes: [['over("today", day,', 'over("today", { tokens: 0, micros: 0 },']],
    scenario: dayBudget,
    found: /2 requests were paid for/,
  },
  takenTitle: {
    name: "taken title",
    what: "puts a title of its own over the person's",
    changes: [
      [".isTitled) return;", '.isTitled === "") return;'],
      ['wanted.kind === "set" || wanted.kind === "kept-for-later"', 'wanted.kind === "kept-for-later"'],
      ["if (card === null || card.title !== null) return;", "if (card === null) return;"],
    ],
    scenario: personTitle,
    found: /the title is: A title by the model/,
  },
  largerContext: {
    name: "larger context",
    what: "commits a compaction that gained nothing",
    changes: [
      ["if (tokensAfter >= tokensBefore) return {", "if (tokensAfter < 0) return {"],
      [
        "rotation.messages.length === 0 || rotation.tokensAfter >= rotation.tokensBefore",
        "rotation.messages.length === 0",
      ],
    ],
    scenario: longSummary,
    found: /made the context larger was committed/,
  },
  compactedAgain: {
    name: "compacted again",
    what: "compacts what it has just compacted",
    changes: [
      ["if (now.tokens < now.threshold) return", "if (now.tokens < 0) return"],
      ["return now.tokens <= record.tokensAfter + tolerated(now.threshold) ?", "return now.tokens < 0 ?"],
    ],
    scenario: compacted,
    found: /sessions after one compaction/,
  },
  lostQuestion: {
    name: "lost question",
    what: "keeps the summary alone, without what was asked last",
    changes: [["summaryMessage(plan, summary, remembered), ...tail]", "summaryMessage(plan, summary, remembered)]"]],
    scenario: compacted,
    found: /model was not told what it was asked/,
  },
  halfCompaction: {
    ...PLANTS.rotateInTwo,
    scenario: killedCompaction("store.mid-rotate", "parent"),
    found: /summaries were made by the next start|went no further|ended with/,
  },
} as const satisfies Record<string, TurnPlant>;
