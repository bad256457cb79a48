/** Any text at all, against real SQLite: an answer, never an error, and the same with and without an index [SR-1]. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { SearchOrder } from "#session/search.js";
import { tell } from "../../../test/support/search.js";
import { type InlineStore, openInlineStore } from "../sqlite/inline-store.js";

const LINES = [
  'a "quoted" thing OR another AND (brackets) NEAR/2 {curly}',
  "北京大学 東京タワー 한국어 hello世界 🎉",
  "C++ -- flags --verbose ~/.config *.ts a* 50% under_score",
  "naïve café Ångström x\u0302y",
  "NULL null \0 nul",
];
const ALPHABET = [
  '"',
  "'",
  "*",
  "-",
  "~",
  "(",
  ")",
  "{",
  "}",
  "^",
  ":",
  "+",
  ".",
  "/",
  "\\",
  "%",
  "_",
  ";",
  ",",
  "\0",
  "\n",
  "\ud800",
  "\udc00",
];
const WORDS = [
  "OR",
  "AND",
  "NOT",
  "NEAR",
  "a",
  "qu",
  "thing",
  "quoted",
  "北",
  "北京",
  "京大学",
  "ー",
  "한국",
  "🎉",
  "café",
  "words",
  "rowid",
  "\ue0000",
  "\ue0021",
];

const anyQuery = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.array(fc.constantFrom(...ALPHABET, ...WORDS, " ", " "), { maxLength: 24 }).map((parts) => parts.join("")),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);

describe("odd queries", () => {
  let indexed: InlineStore;
  let scanned: InlineStore;
  beforeAll(async () => {
    indexed = openInlineStore();
    scanned = openInlineStore();
    for (const { store } of [indexed, scanned])
      for (const [index, line] of LINES.entries()) await tell(store, `n${index}`, [line, `${line} again`]);
    await indexed.catchUpSearch();
  });

  it.each([
    "",
    " ",
    '"',
    '""',
    '"""',
    "*",
    "**",
    "-",
    "--",
    "~",
    '~"',
    "OR",
    "NOT",
    "a OR",
    "NOT a",
    "(",
    ")(",
    "a NEAR b",
    "NEAR(a b, 2)",
    "tokens : a",
    "{tokens} : a",
    "^a",
    "a + b",
    "'; DROP TABLE doc; --",
    "\0",
    "\ud800",
    "\udc00\ud800",
    "\ue0000",
    '"\ue0021"',
    "\u0301\u0301\u0301",
  ])("[SR-1] are answered: %j", async (text) => {
    for (const order of ["rank", "newest", "oldest"] as const) await sameAnswer(text, order);
  });

  it.each([
    ["letters", "x".repeat(100_000)],
    ["words", "a ".repeat(10_000)],
    ["quotes", '"'.repeat(5_001)],
    ["things to leave out", "-a ".repeat(500)],
    ["alternatives", "a OR ".repeat(500)],
    ["CJK characters", "北".repeat(5_000)],
    ["characters of a substring", `~${"ab".repeat(400)}`],
    ["pictographs", "🎉".repeat(300)],
  ])("[SR-1] are answered, however many %s", async (_, text) => {
    for (const order of ["rank", "newest", "oldest"] as const) await sameAnswer(text, order);
  });

  it("[SR-1] are answered, whatever the text", async () => {
    await fc.assert(fc.asyncProperty(anyQuery, fc.constantFrom<SearchOrder>("rank", "newest", "oldest"), sameAnswer), {
      numRuns: 400,
    });
  });

  it("[SR-1] no facet of the index can be asked for", async () => {
    for (const text of ["\ue0000", "\ue0021", "\ue0041", '"\ue0000"', "\ue000*"])
      expect((await indexed.store.search({ text })).hits, text).toEqual([]);
  });

  async function sameAnswer(text: string, order: SearchOrder): Promise<void> {
    const ours = await indexed.store.search({ text, order });
    // An index that had thrown would have been set aside, and the answer would say so.
    expect(ours).toMatchObject({ isComplete: true, behind: 0 });
    expect({ ...ours, behind: LINES.length * 2 }).toEqual(await scanned.store.search({ text, order }));
  }
});
