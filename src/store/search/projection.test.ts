/**
 * The index as a projection [SR-6]: fed step by step, made anew, and a plain scan written without any of the code
 * under test find the same messages, after any sequence of appends, undos, copies and deletions.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { sampleCount } from "../../../test/support/sample.js";
import { found, tell } from "../../../test/support/search.js";
import { openInlineStore } from "../sqlite/inline-store.js";
import { rebuildSearch } from "./rebuild.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-projection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
let runs = 0;

const NAMES = ["a", "b", "c"] as const;
const VOCABULARY = ["red", "green", "blue", "redder", "北京", "大学", "北京大学"] as const;
const QUERIES = [
  "red",
  "red blue",
  '"red green"',
  "red OR blue",
  "green -red",
  "redd*",
  "~edde",
  "北京",
  "京",
  "京大",
] as const;

type Act =
  | { readonly kind: "say"; readonly name: string; readonly words: readonly string[] }
  | { readonly kind: "undo" | "remove" | "compact" | "branch"; readonly name: string };
type Op = Act | { readonly kind: "erase" } | { readonly kind: "feed" };

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      name: fc.constantFrom(...NAMES),
      words: fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("undo" as const, "remove" as const, "compact" as const, "branch" as const),
      name: fc.constantFrom(...NAMES),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom({ kind: "erase" as const }, { kind: "feed" as const }) },
);

describe("the index", () => {
  it("[SR-6] [SR-4] answers the same fed step by step, made anew, and as a scan of the store would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOp, { minLength: 1, maxLength: 25 }), async (ops) => {
        const path = join(folder, `${++runs}.db`);
        const fedPath = join(folder, `${runs}-fed.db`);
        const opened = openInlineStore({ path, searchPath: fedPath });
        const numbers = new Map<string, number>();
        for (const op of ops) {
          if (op.kind === "feed") await opened.catchUpSearch();
          else if (op.kind === "erase") await opened.store.eraseChunk({ limit: 3, nowMs: 9_000 });
          else await perform(opened.store, op, numbers);
        }
        const madePath = join(folder, `${runs}-made.db`);
        await rebuildSearch({ statePath: path, searchPath: madePath });
        const made = openInlineStore({ path, searchPath: madePath, isReadOnly: true });
        const unindexed = openInlineStore({ path, searchPath: join(folder, "none.db"), isReadOnly: true });
        const halfFed = await answers(opened.store);
        await opened.catchUpSearch();
        const expected = await scan(opened.store);
        expect(await answers(opened.store), "fed").toEqual(expected);
        expect(await answers(made.store), "made anew").toEqual(expected);
        expect(await answers(unindexed.store), "not indexed").toEqual(expected);
        expect(halfFed, "fed in part").toEqual(expected);
      }),
      { numRuns: sampleCount(60) },
    );
  }, 120_000);

  it("[SR-6] [SR-4] counts nothing that vanished since it was fed", async () => {
    const opened = openInlineStore();
    const conversation = await tell(opened.store, "a", ["red one", "red two", "red three"]);
    await opened.catchUpSearch();
    await opened.store.undo({ conversation, turns: 2, reason: "undo", nowMs: 9_000 });
    for (const order of ["rank", "newest"] as const)
      expect(await opened.store.search({ text: "red", order })).toMatchObject({
        hits: [{ seq: 1, more: 0 }],
        behind: 0,
      });
  });

  it("[SR-6] holds nothing of what vanished, not even tokens that only the index knows of", async () => {
    const opened = openInlineStore();
    const id = await tell(opened.store, "a", ["red one", "red two"]);
    await opened.catchUpSearch();
    await opened.store.remove({ conversation: id, by: "owner", nowMs: 9_000 });
    await opened.store.eraseChunk({ limit: 100, nowMs: 9_000 });
    expect(await opened.catchUpSearch()).toBe(0);
    await tell(opened.store, "b", ["blue"]);
    await opened.catchUpSearch();
    expect(await opened.store.search({ text: "red" })).toEqual({ hits: [], isComplete: true, behind: 0 });
    expect(await found(opened.store, "blue")).toEqual(["b:1"]);
  });
});

async function perform(store: SessionStore, op: Act, numbers: Map<string, number>): Promise<void> {
  const from = numbers.get(op.name) ?? 0;
  const conversation = `conversation-${op.name}` as ConversationId;
  switch (op.kind) {
    case "say": {
      const card = await store.resolve({ text: conversation });
      if (card.kind === "deleted") return;
      numbers.set(op.name, from + 1);
      await tell(store, op.name, [{ role: from % 2 === 0 ? "user" : "assistant", text: op.words.join(" ") }], { from });
      return;
    }
    case "undo":
      await store.undo({ conversation, turns: 1, reason: "undo", nowMs: 9_000 });
      return;
    case "remove":
      await store.remove({ conversation, by: "owner", nowMs: 9_000 });
      return;
    case "branch":
      await store.branch({ actor: { platform: "cli" }, from: conversation, nowMs: 9_000 });
      return;
    case "compact": {
      const tip = await store.tipHistory({ conversation });
      if (tip === null || tip.messages.length === 0) return;
      const { tip: session, seq, undone } = tip;
      const messages = tip.messages.map(({ role, text }) => ({ role, text }));
      await store.rotate({
        conversation,
        tip: session,
        seq,
        undone,
        messages,
        tokensBefore: 9,
        tokensAfter: 1,
        nowMs: 9_000,
      });
      return;
    }
  }
}

/** For each query: the conversations found, and how many matches of each. */
async function answers(store: SessionStore): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const text of QUERIES) {
    const { hits } = await store.search({ text, limit: 100 });
    found[text] = hits.map(({ conversation, more }) => `${conversation} ${more + 1}`).sort();
  }
  return found;
}

type Meaning = (words: readonly string[], text: string) => boolean;

/** The same from history, by the meaning of the queries and nothing else; as substrings where no word is found. */
async function scan(store: SessionStore): Promise<Record<string, string[]>> {
  const conversations: { readonly id: string; readonly texts: readonly string[] }[] = [];
  for (const { id } of await store.list({ limit: 100, withArchived: true })) {
    const rows = await store.history({ conversation: id, afterSeq: 0, limit: 1_000 });
    const searched = rows.filter(({ isCarried, role }) => !isCarried && (role === "user" || role === "assistant"));
    conversations.push({ id, texts: searched.map(({ text }) => text) });
  }
  const matching = (meaning: Meaning): string[] =>
    conversations
      .map(({ id, texts }) => ({ id, count: texts.filter((text) => meaning(text.split(" "), text)).length }))
      .filter(({ count }) => count > 0)
      .map(({ id, count }) => `${id} ${count}`)
      .sort();
  return Object.fromEntries(
    QUERIES.map((query) => {
      const [strict, loose] = MEANINGS[query];
      const found = matching(strict);
      return [query, found.length > 0 || loose === undefined ? found : matching(loose)];
    }),
  );
}

const MEANINGS: Readonly<Record<(typeof QUERIES)[number], readonly [strict: Meaning, loose?: Meaning]>> = {
  red: [(words) => words.includes("red"), (_, text) => text.includes("red")],
  "red blue": [
    (words) => words.includes("red") && words.includes("blue"),
    (_, text) => text.includes("red") && text.includes("blue"),
  ],
  '"red green"': [(_, text) => ` ${text} `.includes(" red green "), (_, text) => text.includes("red green")],
  "red OR blue": [
    (words) => words.includes("red") || words.includes("blue"),
    (_, text) => text.includes("red") || text.includes("blue"),
  ],
  "green -red": [
    (words) => words.includes("green") && !words.includes("red"),
    (words, text) => text.includes("green") && !words.includes("red"),
  ],
  "redd*": [(words) => words.some((word) => word.startsWith("redd"))],
  "~edde": [(_, text) => text.includes("edde")],
  北京: [(words) => words.some((word) => word.includes("北京"))],
  京: [(words) => words.some((word) => word.includes("京"))],
  京大: [(words) => words.some((word) => word.includes("京大"))],
};
