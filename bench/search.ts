/**
 * Searching a million messages, beside what FTS5 itself needs for the same words on the same machine: a plain
 * word index (unicode61) over the same text, asked for the same twenty rows.
 */
import { rmSync } from "node:fs";
import { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { wordAt } from "./corpus.js";
import { ms, type Row, timeAsync, timeSync } from "./report.js";

export interface Searched {
  /** A store of a thousand messages, to compare with. */
  readonly small: string;
  readonly state: string;
  readonly search: string;
  readonly messages: number;
}

const section = "search";

export async function benchSearch(
  { small, state, search, messages }: Searched,
  emit: (row: Row) => void,
): Promise<void> {
  const writer = openInlineStore({ path: state, searchPath: search });
  const start = performance.now();
  const indexed = await writer.catchUpSearch();
  const perSecond = (indexed / (performance.now() - start)) * 1000;
  emit({
    section,
    work: `index ${messages.toLocaleString("en")} messages`,
    ours: `${perSecond.toFixed(0)}/s`,
    target: "",
    holds: undefined,
  });
  writer.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { store } = openInlineStore({ path: state, searchPath: search, isReadOnly: true });
  const raw = openRawIndex(state, `${search}.raw`);
  const ours = (text: string, order: "rank" | "newest" = "rank"): Promise<number> =>
    timeAsync(20, () => store.search({ text, order }));
  const [common, second, rare] = [wordAt(2), wordAt(40), wordAt(17_011)];
  const newest = await ours(common, "newest");
  const few = openInlineStore({ path: small, searchPath: `${search}.small` });
  await few.catchUpSearch();
  const inSmall = await timeAsync(20, () => few.store.search({ text: common, order: "newest" }));
  emit({
    section,
    work: "common word, newest first",
    ours: ms(newest),
    raw: ms(raw(common, "newest")),
    target: `≤ 5 ms; ${(newest / inSmall).toFixed(2)} × of the time in a thousand messages`,
    holds: newest <= 5,
  });
  const ranked = await ours(common);
  emit({
    section,
    work: "common word, ranked",
    ours: ms(ranked),
    raw: ms(raw(common, "rank")),
    target: "≤ 20 ms",
    holds: ranked <= 20,
  });
  for (const [work, text] of [
    ["rare word", rare],
    ["phrase", `"${common} ${second}"`],
    ["two words", `${second} ${wordAt(900)}`],
  ] as const) {
    const [mine, bare] = [await ours(text), raw(text, "rank")];
    emit({
      section,
      work,
      ours: ms(mine),
      raw: ms(bare),
      target: `≤ 1.5 × raw (${(mine / bare).toFixed(2)} ×)`,
      holds: mine <= 1.5 * bare,
    });
  }
  for (const [work, text] of [
    ["CJK, four characters", "会話記憶"],
    ["CJK, two characters", "東京"],
  ] as const) {
    const mine = await ours(text);
    emit({ section, work, ours: ms(mine), target: "≤ 5 ms", holds: mine <= 5 });
  }
  rmSync(`${search}.raw`, { force: true });
}

function openRawIndex(state: string, path: string): (text: string, order: "rank" | "newest") => number {
  const db = new Connection({ path });
  db.exec(`PRAGMA synchronous = OFF; ATTACH '${state}' AS state;
    CREATE VIRTUAL TABLE raw USING fts5(text, content='', tokenize='unicode61');
    INSERT INTO raw(rowid, text) SELECT id, text FROM state.message; DETACH state`);
  const by = { rank: "rank", newest: "rowid DESC" };
  return (text, order) =>
    timeSync(10, () =>
      db.list(`SELECT rowid FROM raw WHERE raw MATCH '${text.replaceAll("'", "''")}' ORDER BY ${by[order]} LIMIT 20`),
    );
}
