/**
 * Random sequences of operations on the store and on a small model of it, compared after each step; a failure is
 * shrunk to the few operations that matter and printed with its seed. The checker is checked too: a store that
 * drops one effect has to be found out.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { anyLife, type Op } from "../../../test/support/model/ops.js";
import { Run, type Subject } from "../../../test/support/model/run.js";
import { sampleCount } from "../../../test/support/sample.js";
import type { Connection, SqlValue } from "./connection.js";
import { MEMORY, openForWriting } from "./open.js";

const RUNS = Number(process.env["TALARIA_MODEL_RUNS"] ?? 200);
const LIVES = sampleCount(RUNS);
const FILE_RUNS = 12;
const OPS_MAX = 120;
/** Say, claim, settle, undo; now and then something that shrinking cannot see through. */
const SHRUNK_MAX = 8;
const TIME_MAX_MS = 600_000;
/** Set it to repeat a failure. The long run has a fresh one, every other the same: what it finds, it found before. */
const SEED = process.env["TALARIA_MODEL_SEED"] ?? (process.env["TALARIA_LONG"] === undefined ? "20260115" : undefined);
const seed = SEED === undefined ? {} : { seed: Number(SEED) };

const folder = mkdtempSync(join(tmpdir(), "talaria-model-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const inMemory = (): Subject => ({ open: () => openForWriting({ path: MEMORY }) });

/** A death on a file: the old connection is left as it is, with nothing said to it, and another one opens. */
function onFile(): Subject {
  const path = join(folder, `${++files}.db`);
  const open = (): Connection => openForWriting({ path });
  return { open, reopen: open };
}

function play(subject: Subject, ops: readonly Op[]): void {
  new Run(subject).play(ops);
}

const anyOps = anyLife(OPS_MAX);

describe("the store and its model", () => {
  it(
    `[ST-7] [ST-9] [ST-16] [ST-17] agree after every operation of ${LIVES} random lives in memory`,
    () => {
      fc.assert(
        fc.property(anyOps, (ops) => play(inMemory(), ops)),
        { numRuns: LIVES, ...seed },
      );
    },
    TIME_MAX_MS,
  );

  it(
    `agree across deaths, on a file opened again (${FILE_RUNS} lives)`,
    () => {
      fc.assert(
        fc.property(anyOps, (ops) => play(onFile(), ops)),
        { numRuns: FILE_RUNS, ...seed },
      );
    },
    TIME_MAX_MS,
  );
});

const say: Op = { op: "say", chat: 0, mode: "queue" };
const claim: Op = { op: "claim", to: 0 };
const FREE = { tokens: 0, isPriced: true };
const settle = (outcome: "completed" | "failed"): Op => ({
  op: "settle",
  to: 0,
  outcome,
  parts: 1,
  isStale: false,
  ...FREE,
});
const erase: Op = { op: "erase", limit: 100 };

const asking: Op = {
  op: "step",
  to: 0,
  calls: ["at-most-once", "idempotent"],
  isStarted: false,
  isStale: false,
  ...FREE,
};
const ask = (call: number): Op => ({
  op: "ask",
  to: 0,
  call,
  grant: "terminal:rm",
  isQuick: false,
  answer: "once",
  reply: null,
});
const allow = (answer: "session" | "always"): Op => ({ op: "decide", to: 0, call: 0, answer, reply: null });

/** Lives that chance meets too seldom. */
const HARD_LIVES: readonly [name: string, ops: readonly Op[]][] = [
  [
    "[ST-14] what an earlier host's failed turn left is erased under a later lease",
    [
      say,
      claim,
      settle("failed"),
      { op: "die" },
      say,
      claim,
      settle("completed"),
      { op: "remove", to: 0 },
      erase,
      erase,
    ],
  ],
  [
    "[ST-14] what is owed when a conversation is deleted is sent, and then nothing of it is left",
    [
      say,
      claim,
      settle("completed"),
      { op: "send", limit: 1 },
      { op: "remove", to: 0 },
      erase,
      { op: "sent", delivery: 0, how: "gave-up" },
      erase,
    ],
  ],
  [
    "[AP-3] [AP-4] what was granted for always is given once, taken back, and given again after a death",
    [
      say,
      claim,
      asking,
      ask(0),
      ask(1),
      allow("always"),
      allow("always"),
      { op: "die" },
      { op: "takeOver", to: 0 },
      { op: "revoke", grant: 0, to: 0, name: "terminal:rm", isAlways: true },
      { op: "revoke", grant: 15, to: 0, name: "terminal:rm", isAlways: true },
      asking,
      ask(0),
      allow("session"),
      settle("failed"),
      { op: "remove", to: 0 },
    ],
  ],
  [
    "[ST-14] what was handed on goes with the one it came from, in mid-turn",
    [
      say,
      claim,
      { op: "delegate", to: 0 },
      { op: "claim", to: 0 },
      { op: "delegate", to: 1 },
      settle("completed"),
      { op: "remove", to: 14 },
      erase,
      erase,
      erase,
    ],
  ],
  [
    "a turn that was taken over in mid-call is settled by whoever has it",
    [
      say,
      claim,
      { op: "step", to: 0, calls: ["at-most-once", "idempotent"], isStarted: true, isStale: false, ...FREE },
      { op: "die" },
      { op: "takeOver", to: 0 },
      { op: "draft", to: 0, isStale: true },
      settle("failed"),
    ],
  ],
];

describe("a hard life", () => {
  it.each(HARD_LIVES)("%s", (_, ops) => {
    play(inMemory(), ops);
    play(onFile(), ops);
  });
});

/** Statements that a planted bug forgets to run, and when. */
const PLANTED: readonly [name: string, forgets: (sql: string, params: readonly SqlValue[]) => boolean][] = [
  [
    "forgets to finalize",
    (sql, params) => sql.includes("INTO boundary_event") && params.includes("on_session_finalize"),
  ],
  [
    "forgets to tell of a turn's end",
    (sql, params) => sql.includes("INTO boundary_event") && params.includes("on_session_end"),
  ],
  ["forgets to withdraw what waited", (sql) => sql.includes("UPDATE input SET state = 'cancelled'")],
  ["forgets to make the next delivery due", (sql) => sql.startsWith("UPDATE delivery SET due_ms")],
  ["forgets to make the next boundary due", (sql) => sql.startsWith("UPDATE hook_delivery SET due_ms")],
  ["forgets that a conversation was used", (sql) => sql.includes("SET active_ms")],
  ["forgets to renew a deadline", (sql) => sql.includes("SET used_ms = max(used_ms, ?), expires_ms")],
  ["forgets to close an opening", (sql) => sql.includes("UPDATE opening SET closed_ms = ?, reason = ?")],
  [
    "forgets to free the title of what is deleted",
    (sql) => /^UPDATE session SET title = NULL.* WHERE conversation/.test(sql),
  ],
  ["forgets what an undo hides", (sql) => sql.includes("INTO superseded")],
  ["forgets what a turn has spent", (sql) => sql.startsWith("UPDATE turn SET input_tokens")],
  ["forgets what was spent today", (sql) => sql.startsWith("INSERT INTO spend(")],
  ["forgets to grant what was allowed", (sql) => sql.startsWith("INSERT INTO grant(")],
  ["forgets the prompt of a session", (sql) => sql.startsWith("UPDATE session SET prompt = ?")],
];

describe("a store with a planted bug", () => {
  it.each(PLANTED)("that %s is found out", (_, forgets) => {
    let forgotten = 0;
    const counted = (sql: string, params: readonly SqlValue[]): boolean => {
      const isForgotten = forgets(sql, params);
      if (isForgotten) forgotten++;
      return isForgotten;
    };
    const subject: Subject = { open: () => forgetful(openForWriting({ path: MEMORY }), counted) };
    const details = fc.check(
      fc.property(anyOps, (ops) => play(subject, ops)),
      { numRuns: RUNS, endOnFailure: true, ...seed },
    );
    expect(forgotten, "nothing was planted: the statement reads otherwise now").toBeGreaterThan(0);
    expect(details.failed, "the model test is blind to it").toBe(true);
  });

  it("is shown by the few operations that matter", () => {
    const forgets = (sql: string): boolean => sql.includes("INTO superseded");
    const subject: Subject = { open: () => forgetful(openForWriting({ path: MEMORY }), forgets) };
    const details = fc.check(
      fc.property(anyLife(30), (ops) => play(subject, ops)),
      { numRuns: RUNS, ...seed },
    );
    const [ops = []] = details.counterexample ?? [];
    expect(ops.length).toBeLessThanOrEqual(SHRUNK_MAX);
    expect(ops.at(-1)?.op).toBe("undo");
  });
});

/** A connection that skips some statements; everything else is the real one. */
function forgetful(db: Connection, forgets: (sql: string, params: readonly SqlValue[]) => boolean): Connection {
  return {
    path: db.path,
    isReadOnly: db.isReadOnly,
    get isInTransaction() {
      return db.isInTransaction;
    },
    get: (sql: string, ...params: SqlValue[]) => db.get(sql, ...params),
    all: (sql: string, ...params: SqlValue[]) => db.all(sql, ...params),
    iterate: (sql: string, ...params: SqlValue[]) => db.iterate(sql, ...params),
    run: (sql: string, ...params: SqlValue[]) => (forgets(sql, params) ? 0 : db.run(sql, ...params)),
    exec: (sql: string) => db.exec(sql),
    scalar: (sql: string) => db.scalar(sql),
    list: (sql: string) => db.list(sql),
  } as unknown as Connection;
}
