import { expect, it } from "vitest";
import { Echoes, judge, NONCE_WINDOW_MS, type ReadBack } from "./find-sent.js";

const at = (...times: number[]) => times.map((atMs) => ({ receipt: `m${atMs}`, atMs }));
const edited = (editedMs: number) => [{ receipt: "m", atMs: 10, editedMs }];
const LATE_MS = 10 * NONCE_WINDOW_MS;
const SINCE_MS = 1_000;

/** Candidates, whether all was read, when it is asked, since when we live. */
type Row = readonly [string, ReadBack["candidates"], boolean, number, number, string];

const TABLE: readonly Row[] = [
  ["one of this life", at(1_500), true, 2_000, 500, "found"],
  ["one of this life, read in part, late", at(1_500), false, LATE_MS, 500, "found"],
  ["one of an earlier life: the nonce decides", at(1_500), true, 2_000, 1_800, "absent"],
  ["one of an earlier life, nonce forgotten", at(1_500), true, LATE_MS, 1_800, "found"],
  ["a preview with its last text", edited(1_500), true, 2_000, 1_800, "found"],
  ["a preview with its last text, late", edited(1_500), true, LATE_MS, 1_800, "found"],
  ["an older edit, late", edited(900), true, LATE_MS, 500, "unsure"],
  ["none, all read", [], true, LATE_MS, 500, "absent"],
  ["none, read in part, late", [], false, LATE_MS, 500, "unsure"],
  ["none, read in part, in time", [], false, 2_000, 500, "absent"],
  ["one from before, late", at(900), true, LATE_MS, 500, "unsure"],
  ["one from before, in time", at(900), true, 2_000, 500, "absent"],
  ["two, late", at(1_500, 1_600), true, LATE_MS, 500, "unsure"],
  ["two, in time", at(1_500, 1_600), true, 2_000, 500, "absent"],
  ["the clock went back", at(900), true, 500, 0, "unsure"],
];

it.each(TABLE)("[CT-4] %s", (_, candidates, isWhole, nowMs, openedMs, kind) => {
  expect(judge({ candidates, isWhole, nowMs, openedMs, sinceMs: SINCE_MS }).kind).toBe(kind);
});

it("knows which message is whose", () => {
  const echoes = new Echoes();
  echoes.note("a", "1");
  echoes.note("a", "2");
  expect(echoes.of("a")).toBe("1");
  expect(echoes.isAnothers("1", "b")).toBe(true);
  expect(echoes.isAnothers("1", "a")).toBe(false);
  expect(echoes.isAnothers("3", "b")).toBe(false);
});
