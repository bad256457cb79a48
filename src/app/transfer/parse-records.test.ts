import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { exportText, newStore } from "../../../test/support/hermes/import.js";
import { importJsonl } from "./import-jsonl.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-records-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const HEADER = { type: "talaria-export", version: 1 };
const begin = (id: string): object => ({
  type: "conversation",
  id,
  lineage: "root",
  source: "cli",
  createdMs: 1,
  activeMs: 2,
});
const session = (id: string, more: object = {}): object => ({
  type: "session",
  id,
  createdMs: 1,
  openings: [],
  ...more,
});
const message = (seq: number, of: string, more: object = {}): object => ({
  type: "message",
  seq,
  session: of,
  role: "assistant",
  text: `text ${seq}`,
  atMs: seq,
  ...more,
});
const end = (conversation: string, messages: number): object => ({ type: "end", conversation, messages });
const open = { platform: "cli", openedMs: 1, closedMs: null, reason: null };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** What stands in `records` after one sound conversation, imported into an empty store. */
async function imported(records: readonly object[]) {
  const path = join(folder, "file.jsonl");
  const sound = [HEADER, begin("sound"), session("sound-1"), message(1, "sound-1"), end("sound", 1)];
  writeFileSync(path, [...sound, ...records].map((record) => `${JSON.stringify(record)}\n`).join(""));
  const store = newStore();
  const signal = new AbortController().signal;
  const report = await importJsonl({ path, store, clock: systemClock, signal, isDryRun: false });
  return { report, text: (await exportText(store)).text };
}

describe("a file that this program did not write", () => {
  it.each<[string, readonly object[], number]>([
    ["begins with a session of the conversation before", [session("sound-1"), message(1, "sound-1")], 7],
    [
      "goes on in a session of the conversation before",
      [session("odd-1"), message(1, "odd-1"), session("sound-1", { continues: "odd-1" }), message(2, "sound-1")],
      9,
    ],
    ["has calls that are none", [session("odd-1"), message(1, "odd-1", { body: { toolCalls: 5 } })], 8],
    ["has a call that is none", [session("odd-1"), message(1, "odd-1", { body: { toolCalls: [null] } })], 8],
    [
      "is nested deeper than the store takes it",
      [session("odd-1"), message(1, "odd-1"), message(2, "odd-1", { body: { deep: nested(1_000) } })],
      9,
    ],
    [
      "has a session that is open twice",
      [session("odd-1"), message(1, "odd-1"), session("odd-2", { continues: "odd-1", openings: [open, open] })],
      9,
    ],
    ["has an end without a reason", [session("odd-1", { openings: [{ ...open, closedMs: 2 }] })], 7],
    ["is cut", [session("odd-1"), message(1, "odd-1")], 8],
  ])(
    "[IM-5] takes nothing of a conversation that %s, names the line, and takes the others",
    async (title, odd, line) => {
      const messages = odd.filter((record) => "seq" in record).length;
      const rest = title === "is cut" ? [] : [end("odd-conversation", messages)];
      const { report, text } = await imported([begin("odd-conversation"), ...odd, ...rest]);
      expect(report.refused).toMatchObject([{ line, conversation: "odd-conversation" }]);
      expect(report.conversations.added).toBe(1);
      expect(report.messages.added).toBe(1);
      const before = await imported([]);
      expect(text).toBe(before.text);
    },
  );

  it("takes what is nested as deeply as the store can hold", async () => {
    const body = { deep: nested(999) };
    const { report } = await imported([
      begin("deep"),
      session("deep-1"),
      message(1, "deep-1", { body }),
      end("deep", 1),
    ]);
    expect(report).toMatchObject({ refused: [], conversations: { added: 2 } });
  });
});
