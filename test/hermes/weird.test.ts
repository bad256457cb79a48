import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HermesReport } from "#app/hermes/import-hermes.js";
import { type HermesHome, hermesHome, SUMMARY, type Value } from "../support/hermes/home.js";
import { at, exportText, importFrom, newStore } from "../support/hermes/import.js";
import { sampleCount } from "../support/sample.js";

/** Orphans are marked with the time of the run. */
const NOW_MS = 1_780_000_000_000;
const IDS = ["alpha", "bravo", "charlie", "delta", "echo~2", "x", "ünïcode", "l".repeat(150)] as const;
const anyId = fc.constantFrom(...IDS, "missing");
const odd = fc.oneof(
  fc.constantFrom<Value>(
    null,
    "",
    0,
    1,
    -1,
    2 ** 53,
    9.5e18,
    Number.POSITIVE_INFINITY,
    "null",
    "{}",
    "[]",
    "[{",
    '{"a":1}',
  ),
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.uint8Array({ maxLength: 8 }),
);
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }).map((second) => 1_750_000_000 + second) },
  { weight: 1, arbitrary: odd },
);

const session = fc.record({
  id: fc.constantFrom(...IDS),
  source: fc.constantFrom("cli", "telegram", ""),
  user_id: fc.constantFrom<Value>(null, "7"),
  parent_session_id: fc.option(anyId),
  started_at: time.map((value) => value ?? 0),
  ended_at: fc.option(time),
  end_reason: fc.constantFrom<Value>(null, "compression", "branched", "agent_close", ""),
  model_config: fc.oneof(
    odd,
    anyId.map((id) => JSON.stringify({ _branched_from: id })),
    anyId.map((id) => JSON.stringify({ _delegate_from: id })),
  ),
  title: fc.oneof(odd, fc.constantFrom<Value>("same title", "T".repeat(120))),
  estimated_cost_usd: odd,
  input_tokens: odd,
  archived: fc.constantFrom(0, 1),
});
const calls = JSON.stringify([{ id: "c1", function: { name: "ls", arguments: {} } }]);
const message = fc.record({
  session_id: anyId,
  role: fc.constantFrom("user", "assistant", "tool", "system", "session_meta", "wizard", ""),
  content: fc.oneof(
    odd,
    fc.constantFrom(SUMMARY, "hello", "\0json:[1]", '\0json:{"text":"t"}', "\x01json:[]", "\0json:nope"),
  ),
  tool_calls: fc.oneof(odd, fc.constant(calls)),
  tool_call_id: fc.constantFrom<Value>(null, "c1", "c2"),
  timestamp: time.map((value) => value ?? 0),
  reasoning_details: odd,
  active: fc.constantFrom(0, 1, 1, 1),
  compacted: fc.constantFrom(0, 0, 1),
});

function fill(
  home: HermesHome,
  sessions: readonly { readonly id: string }[],
  messages: readonly Readonly<Record<string, Value>>[],
): void {
  for (const row of sessions) home.session(row);
  for (const row of messages) home.message(row as { session_id: string });
}

function expectBalanced(report: HermesReport, found: { sessions: number; messages: number }): void {
  for (const what of ["sessions", "messages"] as const) {
    const { added, known, left } = report[what];
    expect(report[what].found, what).toBe(found[what]);
    expect(added + known + left, what).toBe(found[what]);
  }
  const reported = new Set(report.odd.map(({ kind }) => kind));
  if (report.messages.left + report.sessions.left > 0)
    expect(reported.has("not-stored") || reported.has("not-reached")).toBe(true);
}

describe("an import of anything", () => {
  it("[IM-2] [IM-3] accounts for every session and message of any database, and a second run adds nothing", async () => {
    const databases = fc.record({
      sessions: fc.uniqueArray(session, { selector: ({ id }) => id, maxLength: 8 }),
      messages: fc.array(message, { maxLength: 25 }),
      schema: fc.constantFrom(12, 15, 16, 99),
    });
    await fc.assert(
      fc.asyncProperty(databases, async ({ sessions, messages, schema }) => {
        const home = hermesHome({ schema });
        try {
          fill(home, sessions, messages);
          home.close();
          const found = { sessions: sessions.length, messages: messages.length };
          const store = newStore();
          expectBalanced(await importFrom(home.dir, newStore(), { isDryRun: true }), found);
          const first = await importFrom(home.dir, store);
          expectBalanced(first, found);
          expect((await store.stats({})).messages).toBe(first.messages.added);
          const once = await exportText(store);
          const second = await importFrom(home.dir, store);
          expectBalanced(second, found);
          expect([second.sessions.added, second.messages.added]).toEqual([0, 0]);
          expect((await exportText(store)).text).toBe(once.text);
        } finally {
          home.remove();
        }
      }),
      { numRuns: sampleCount(120), interruptAfterTimeLimit: 60_000 },
    );
  }, 240_000);

  it("[IM-2] comes to the same in pieces: an import while the source grows, and one at its end", async () => {
    const growing = fc.array(
      fc.array(
        message.map((row) => ({ ...row, active: 1, compacted: 0 })),
        { maxLength: 6 },
      ),
      {
        minLength: 2,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(growing, async (batches) => {
        const home = hermesHome();
        try {
          home.session({ id: "alpha", ended_at: 1, end_reason: "compression" });
          home.session({ id: "bravo", parent_session_id: "alpha", started_at: 2 });
          // The parent is closed for good; its continuation grows.
          home.message({ session_id: "alpha", content: "hello" });
          const grown = newStore();
          let found = 1;
          for (const batch of batches) {
            found += batch.length;
            fill(
              home,
              [],
              batch.map((row) => ({ ...row, session_id: "bravo" })),
            );
            home.keep();
            expectBalanced(await importFrom(home.dir, grown, { clock: at(NOW_MS) }), { sessions: 2, messages: found });
          }
          const whole = newStore();
          await importFrom(home.dir, whole, { clock: at(NOW_MS) });
          expect((await exportText(grown)).text).toBe((await exportText(whole)).text);
        } finally {
          home.close();
          home.remove();
        }
      }),
      { numRuns: 25, interruptAfterTimeLimit: 30_000 },
    );
  });
});
