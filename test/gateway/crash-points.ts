/** Crash points of the plan, and where they are in a gateway that has messages of three chats in flight. */

/** A point in the program, with the time it is reached. */
export type CrashPoint = readonly [id: string, point: string];

export const WORK_POINTS: readonly CrashPoint[] = [
  ["CP-01 a message has come in, nothing of it is stored", "gateway.heard:4"],
  ["CP-01 it is being stored", "store.mid-admit:3"],
  ["CP-01 it is written, not committed", "store.before-commit:6"],
  ["CP-02 it is committed, the store has not answered", "store.after-commit:6"],
  ["CP-02 it is stored, the platform has not heard so", "gateway.kept:4"],
  ["CP-03 acknowledged, no turn yet", "run.before-claim:2"],
  ["CP-04 the turn is created, no model call", "turn.claimed:2"],
  ["CP-05 request sent, no byte received", "step.request-sent:2"],
  ["CP-06 in the middle of the stream", "step.mid-stream:2"],
  ["CP-07 the step is complete, not committed", "step.before-record"],
  ["CP-08 the calls are committed, none started", "step.recorded"],
  ["CP-09 a read-only call has started", "call.started:1"],
  ["CP-09 an idempotent call has started", "call.started:2"],
  ["CP-09 an at-most-once call has started", "call.started:3"],
  ["CP-10 an idempotent effect is done, not committed", "call.effect-done:2"],
  ["CP-10 an at-most-once effect is done, not committed", "call.effect-done:3"],
  ["CP-11 one result of three is committed", "call.finished:1"],
  ["CP-11 all results are committed", "call.finished:3"],
  ["CP-14 the answer is complete, not committed", "turn.before-settle:2"],
  ["CP-14 in the commit of the end", "store.mid-settle:2"],
  ["CP-15 turn and reply are committed, nothing is sent", "turn.settled:3"],
  ["CP-15 the reply is claimed, nothing is sent", "outbox.claimed:3"],
  ["CP-15 the reply is about to be sent", "outbox.before-send:3"],
  ["CP-17 the receipt has come, it is not stored", "outbox.sent:3"],
  ["CP-18 a part of several is sent", "outbox.settled:4"],
  ["CP-18 most parts are sent", "outbox.settled:6"],
];

/** Deaths while a question to a person is on its way, answered, or about to have its effect. */
export const QUESTION_POINTS: readonly CrashPoint[] = [
  ["CP-12 asked, the question is not sent", "approval.asked"],
  ["CP-12 the question is being sent", "outbox.before-send"],
  ["CP-12 the question is sent, nobody noted it", "outbox.sent"],
];

export const ANSWER_POINTS: readonly CrashPoint[] = [
  ["CP-13 the answer has come in, it is not stored", "gateway.heard"],
  ["CP-13 the answer is stored", "chat.command-stored"],
  ["CP-13 allowed, the call has not started", "approval.decided"],
  ["CP-13 allowed, the call has started", "call.started"],
  ["CP-13 its effect is done, not committed", "call.effect-done"],
];

/** The end of a session is committed with `/new`; who is told of it hears of it. */
export const BOUNDARY_POINTS: readonly CrashPoint[] = [
  ["CP-21 the end is committed, its hook has not been told", "hook.claimed"],
  ["CP-22 its hook has been told, nobody noted it", "hook.returned"],
  ["CP-21 the command has run, it is not answered", "chat.command-ran"],
];

/** While an answer grows in its chat, and how many beginnings of it that leaves behind. */
export const PREVIEW_POINTS: readonly (readonly [...CrashPoint, left: number])[] = [
  ["CP-06 the first preview is sent, nobody noted where", "preview.sent", 1],
  ["CP-06 it is noted where the preview is", "preview.kept", 0],
];

/** While a file comes in with a message, and what is left of it under a temporary name. */
export const FILE_POINTS: readonly (readonly [...CrashPoint, left: number])[] = [
  ["CP-01 a part of a file is written", "shelf.written", 1],
  ["CP-01 a file is whole and synced, it has no name", "shelf.synced", 1],
  ["CP-01 a file has its name, no row knows of it", "shelf.renamed", 0],
  ["CP-01 a row names the file, its message is not stored", "shelf.named", 0],
];
