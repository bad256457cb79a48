import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { cardOf, exportText, newStore } from "../../../test/support/hermes/import.js";
import { AT_TERMINAL, IN_CHAT, Scenario } from "../../../test/support/scenario.js";
import { importJsonl, type JsonlReport } from "./import-jsonl.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-transfer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
let files = 0;

function importText(
  text: string,
  store: SessionStore,
  more: { isDryRun?: boolean; lineBytesMax?: number } = {},
): Promise<JsonlReport> {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, text);
  const signal = new AbortController().signal;
  return importJsonl({ path, store, clock: systemClock, signal, isDryRun: false, ...more });
}

const openScenario = (): Promise<Scenario> => Scenario.open(async () => ({ store: newStore() }));

/** Text of any alphabet and any shape; NUL cannot be stored in a text column. */
const text = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("\u2028\u2029", "\ud800", '"}\n{"', "```"),
  )
  .map((value) => value.replaceAll("\0", "") || "empty");

type Act = (scenario: Scenario, conversation: ConversationId, words: string) => Promise<unknown>;
const ACTS: Readonly<Record<string, Act>> = {
  exchange: (it, conversation, words) =>
    it.exchange(words, `${words}!`, { to: { kind: "conversation", id: conversation } }),
  async tool(it, conversation, words) {
    await it.said(words, { to: { kind: "conversation", id: conversation }, body: { attachments: ["photo.png"] } });
    const turn = await it.claim(conversation);
    await it.useTool(turn, words, `call-${words.length}`);
    await it.settle(turn, { final: { text: words, body: { reasoning: words, finishReason: "stop" } } });
  },
  undo: (it, conversation) => it.store.undo({ conversation, turns: 1, reason: "undo", nowMs: it.tick() }),
  retry: (it, conversation) => it.store.undo({ conversation, turns: 1, reason: "retry", nowMs: it.tick() }),
  compact: (it, conversation, words) => it.rotate(conversation, words),
  branch: (it, conversation, words) =>
    it.store.branch({ actor: AT_TERMINAL, from: conversation, title: words, nowMs: it.tick() }),
  title: (it, conversation, words) => it.store.setTitle({ conversation, title: words }),
  end: (it, conversation) => it.store.end({ conversation, actor: AT_TERMINAL, reason: "cli_close", nowMs: it.tick() }),
  resume: (it, conversation) => it.store.resume({ to: conversation, actor: IN_CHAT, nowMs: it.tick() }),
  archive: (it, conversation) => it.store.setArchived({ conversation, archived: true }),
  fresh: (it, _, words) =>
    it.exchange(words, "new", { key: `agent:main:telegram:dm:${words.length}`, author: { account: "7", name: "Ada" } }),
};

async function live(acts: readonly (readonly [string, number, string])[]): Promise<Scenario> {
  const it = await openScenario();
  await it.exchange("hello", "hi");
  await play(it, acts);
  return it;
}

async function play(it: Scenario, acts: readonly (readonly [string, number, string])[]): Promise<void> {
  for (const [name, which, words] of acts) {
    const all = await it.store.outline({ limit: 100 });
    const conversation = all[which % all.length]?.id;
    if (conversation !== undefined) await ACTS[name]?.(it, conversation, words);
  }
}

const acts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(5), text), { maxLength: 12 });

describe("an export", () => {
  it("[IM-5] imports into an empty home and exports again to the same bytes, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (happened) => {
        const { store } = await live(happened);
        const { text: exported, messages } = await exportText(store);
        const empty = newStore();
        const report = await importText(exported, empty);
        expect(report.refused).toEqual([]);
        expect(report.messages.added).toBe(messages);
        expect((await exportText(empty)).text).toBe(exported);
        for (const home of [store, empty]) {
          expect(await importText(exported, home)).toMatchObject({ messages: { added: 0 }, refused: [] });
          expect((await exportText(home)).text).toBe(exported);
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 40_000 },
    );
  });

  it("[IM-5] adds only what is new to an older copy", async () => {
    const growing = fc.tuple(
      acts,
      fc.array(fc.tuple(fc.constantFrom("exchange", "tool", "compact", "fresh", "undo"), fc.nat(5), text), {
        maxLength: 6,
      }),
    );
    await fc.assert(
      fc.asyncProperty(growing, async ([before, after]) => {
        const it = await live(before);
        const older = newStore();
        await importText((await exportText(it.store)).text, older);
        await play(it, after);
        const newer = await exportText(it.store);
        const report = await importText(newer.text, older);
        expect(report.refused).toEqual([]);
        const copied = await exportText(older);
        const messagesOf = (all: string): string[] =>
          all.split("\n").filter((line) => /^\{"type":"(message|superseded)"/.test(line));
        expect(messagesOf(copied.text)).toEqual(messagesOf(newer.text));
      }),
      { numRuns: 40, interruptAfterTimeLimit: 40_000 },
    );
  });

  it("[IM-5] refuses a conversation that went another way here, and names the message", async () => {
    const it = await live([]);
    const { text: exported } = await exportText(it.store);
    const other = newStore();
    await importText(exported.replace('"text":"hi"', '"text":"bye"'), other);
    const report = await importText(exported, other);
    expect(report.refused).toMatchObject([{ line: 2, why: "message 2 is another one here" }]);
    expect((await exportText(other)).text).toContain("bye");
    const twice = await importText(exported + exported.split("\n").slice(1).join("\n"), newStore());
    expect(twice).toMatchObject({ conversations: { added: 1 }, refused: [{ why: "it appears twice in this file" }] });
  });

  it("[IM-5] leaves deleted what was deleted here", async () => {
    const it = await live([]);
    const { text: exported } = await exportText(it.store);
    const other = newStore();
    await importText(exported, other);
    const id = (await other.outline({ limit: 1 }))[0]?.id as ConversationId;
    await other.remove({ conversation: id, by: "owner", nowMs: 1 });
    expect((await importText(exported, other)).refused).toMatchObject([
      { conversation: id, why: "it was deleted here" },
    ]);
    expect((await exportText(other)).conversations).toBe(0);
  });

  it("[IM-5] refuses a bad line with its number, writes nothing of its conversation, and takes the others", async () => {
    const it = await live([["fresh", 0, "second"]]);
    const { text: exported } = await exportText(it.store);
    const lines = exported.split("\n");
    const bad: readonly (readonly [number, (line: string) => string, RegExp])[] = [
      [3, () => "{oops", /not JSON/],
      [3, () => '{"type":"riddle"}', /type/],
      [3, (line) => line.replace('"seq":1', '"seq":7'), /message 7 follows message 0/],
      [3, (line) => line.replace('"atMs":', '"atTime":'), /atMs|atTime/],
      [4, (line) => line.replace(/"session":"[^"]+"/, '"session":"nobody"'), /a session that has not begun/],
      [3, (line) => line.replace('"text":"', `"text":"${"x".repeat(3000)}`), /longer than 2000 bytes/],
    ];
    for (const [number, spoil, why] of bad) {
      const spoilt = lines.map((line, index) => (index === number ? spoil(line) : line)).join("\n");
      const store = newStore();
      const report = await importText(spoilt, store, { lineBytesMax: 2_000 });
      expect(report.refused).toMatchObject([{ line: number + 1, why: expect.stringMatching(why) }]);
      expect(report.conversations).toMatchObject({ added: 1 });
      expect(await exportText(store)).toMatchObject({ conversations: 1 });
    }
    const cut = await importText(lines.slice(0, -2).join("\n"), newStore());
    expect(cut).toMatchObject({
      conversations: { added: 1 },
      refused: [{ why: "the file ends before the conversation does" }],
    });
  });

  it("[IM-5] refuses a file that is no export, or one of a newer version, as a whole", async () => {
    await expect(importText('{"type":"message"}', newStore())).rejects.toThrow(/is not an export of Talaria/);
    await expect(importText('{"type":"talaria-export","version":2}\n', newStore())).rejects.toThrow(/newer version/);
  });

  it("[IM-5] checks in a dry run and writes nothing", async () => {
    const { text: exported } = await exportText((await live([])).store);
    const store = newStore();
    expect(await importText(exported, store, { isDryRun: true })).toMatchObject({
      conversations: { found: 1 },
      messages: { found: 2, added: 0 },
    });
    expect((await exportText(store)).conversations).toBe(0);
  });

  it("[IM-6] holds no secret after redaction, in text, calls, results, prompts and titles, in every form", async () => {
    const secret = `sk-${"a1B2c3D4".repeat(5)}`;
    const it = await live([]);
    const id = (await it.store.outline({ limit: 1 }))[0]?.id as ConversationId;
    await ACTS["tool"]?.(it, id, `my key is ${secret}`);
    await it.store.setTitle({ conversation: id, title: `about ${secret}` });
    for (const format of ["jsonl", "md", "html"] as const) {
      expect((await exportText(it.store, format)).text).toContain(secret);
      expect((await exportText(it.store, format, { isRedacted: true })).text).not.toContain("a1B2c3D4");
    }
    const { text: redacted } = await exportText(it.store, "jsonl", { isRedacted: true });
    expect((await importText(redacted, newStore())).refused).toEqual([]);
  });
});

describe("readable exports", () => {
  const hostile = [
    "```\nnever closed",
    "# not a heading of ours",
    "<!-- swallow the rest",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "````` ````\n~~~",
    "\u001b[31mred\u202eevil",
  ];

  it("keeps every message in its own place in Markdown, whatever its text is", async () => {
    const it = await openScenario();
    for (const words of hostile) await it.exchange(words, words);
    const { text: page } = await exportText(it.store, "md");
    const visible = outsideOfFences(page);
    expect(visible.filter((line) => line.startsWith("## "))).toHaveLength(hostile.length * 2);
    expect(visible.some((line) => /^ {0,3}<[!?/a-z]/i.test(line))).toBe(false);
    expect(page).not.toContain("\u001b");
  });

  it("folds tool calls and results into fences that they cannot break out of", async () => {
    const it = await live([["tool", 0, "```\n## Fake"]]);
    const { text: page } = await exportText(it.store, "md");
    expect(outsideOfFences(page).filter((line) => line.includes("Fake") && !line.startsWith("\\"))).toEqual([]);
  });

  it("escapes everything in HTML and loads nothing", async () => {
    const it = await openScenario();
    for (const words of hostile) await it.exchange(words, words);
    await ACTS["tool"]?.(it, (await it.store.outline({ limit: 1 }))[0]?.id as ConversationId, hostile.join("\n"));
    const { text: page } = await exportText(it.store, "html");
    const tags = new Set([...page.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag?.toLowerCase()));
    for (const tag of ["script", "img", "link", "iframe"]) expect(tags).not.toContain(tag);
    for (const [tag] of page.matchAll(/<[a-z][^>]*>/gi)) expect(tag).not.toMatch(/\son\w+\s*=/);
    expect(page.match(/<article/g)).toHaveLength(page.match(/<\/article>/g)?.length ?? 0);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).toContain("<details");
  });

  it("leaves out what was undone unless asked", async () => {
    const it = await live([]);
    const { id } = await cardOf(it.store, (await it.store.outline({ limit: 1 }))[0]?.id ?? "");
    await ACTS["exchange"]?.(it, id, "regretted");
    await ACTS["undo"]?.(it, id, "");
    expect((await exportText(it.store, "md")).text).not.toContain("regretted");
    expect((await exportText(it.store, "html", { withSuperseded: true })).text).toMatch(
      /class="user undone"[\s\S]*regretted/,
    );
  });
});

/** As a Markdown reader sees it: lines that are in no code block. */
function outsideOfFences(page: string): string[] {
  let open: string | undefined;
  return page.split("\n").filter((line) => {
    const [, fence, info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined && fence !== undefined && !(fence.startsWith("`") && info.includes("`"))) {
      open = fence;
      return false;
    }
    if (open === undefined) return true;
    if (fence !== undefined && fence[0] === open[0] && fence.length >= open.length && info.trim() === "")
      open = undefined;
    return false;
  });
}
