/**
 * SQLite keeps the store contract, in memory and on a file; behind threads it is in `worker-store.test.ts`. Then what
 * only this implementation can show: how often it commits, and what is left in the file after a deletion.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeSessionStore } from "#session/store.contract.js";
import { DAY_MS, ManualClock } from "../../../test/support/manual-clock.js";
import { ADDRESS, HOST, OWNER, only, passOf, Scenario } from "../../../test/support/scenario.js";
import { inMemory, newPath, onFile } from "../../../test/support/sqlite-stores.js";
import type { Connection } from "./connection.js";
import { openInlineStore } from "./inline-store.js";

describeSessionStore("SQLite in memory", inMemory);
describeSessionStore("SQLite on a file", onFile);

async function openCounted(): Promise<{ scene: Scenario; commits: () => number }> {
  const path = newPath();
  const scene = await Scenario.open(async () => ({ store: openInlineStore({ path }).store }));
  return { scene, commits: () => commitsIn(`${path}-wal`) };
}

/** How many transactions a write-ahead log holds: frames that name the size of the database are commits. */
function commitsIn(walPath: string): number {
  const wal = readFileSync(walPath);
  const frameBytes = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}

describe("commits on disk", () => {
  it("[ST-3] a hundred operations that arrive together are one commit", async () => {
    const { scene, commits } = await openCounted();
    const before = commits();
    await Promise.all(Array.from({ length: 100 }, (_, at) => scene.say("hello", { key: `chat-${at}` })));
    expect(commits() - before).toBe(1);
  });

  it("[RI-8] [RI-9] a prune that removes nothing commits nothing, and one that removes ten is one commit", async () => {
    const { scene, commits } = await openCounted();
    for (let at = 0; at < 10; at++) await scene.exchange("hello", "hi", { key: `chat-${at}` });
    const prune = () =>
      scene.store.pruneRoutes({ maxAgeDays: 90, liveKeys: [], limit: 100, nowMs: scene.clock.nowMs() });
    const before = commits();
    expect((await prune()).pruned).toHaveLength(0);
    expect(commits() - before).toBe(0);
    scene.clock.advance(100 * DAY_MS);
    expect((await prune()).pruned).toHaveLength(10);
    expect(commits() - before).toBe(1);
  });

  it("[LS-1] [FQ-6] looking at and closing what has no row commits nothing", async () => {
    const { scene, commits } = await openCounted();
    const before = commits();
    const conversation = "nosuchconversation" as never;
    await scene.store.show({ conversation });
    await scene.store.end({ conversation, actor: { platform: "cli" }, reason: "cli_close", nowMs: scene.tick() });
    await scene.store.closeOpenings({ reason: "shutdown", limit: 10, nowMs: scene.tick() });
    expect(commits() - before).toBe(0);
  });

  it("[CT-5] a step whose calls need nobody's leave takes two: the calls as started, and all their results", async () => {
    const { scene, commits } = await openCounted();
    const turn = await scene.turn("look around");
    const before = commits();
    const usage = { inputTokens: 10, costMicros: 7 };
    const calls = ["a", "b", "c"].map((callId) => ({ ...LOOK, callId, isStarted: true }));
    const step = await scene.store.recordStep({ ...passOf(turn), text: "hm", calls, usage, nowMs: scene.tick() });
    expect(commits() - before).toBe(1);
    await Promise.all(only("recorded", step).calls.map(({ id }) => scene.finishCall(turn, id, "seen")));
    expect(commits() - before).toBe(2);
    await scene.settle(turn, { final: { text: "done" }, usage });
    expect(commits() - before).toBe(3);
  });

  it("[AP-3] an answer and its grant are one commit; a prompt that is kept already is none", async () => {
    const { scene, commits } = await openCounted();
    const turn = await scene.turn("look around");
    const call = await scene.callTool(turn);
    const asked = await scene.store.askApproval({
      ...passOf(turn),
      call,
      question: { grant: "g" },
      nowMs: scene.tick(),
    });
    const before = commits();
    const { approval } = only("asked", asked);
    await scene.store.decideApproval({ approval, answer: "always", by: OWNER, nowMs: scene.tick() });
    expect(commits() - before).toBe(1);
    for (const prompt of ["be kind", "be quick"]) await scene.store.keepPrompt({ ...passOf(turn), prompt });
    expect(commits() - before).toBe(2);
  });
});

const LOOK = { name: "look", effect: "read-only", argsHash: "a".repeat(64) } as const;

describe("work that is handed on", () => {
  it("was said by the parent's owner, who is not the home's", async () => {
    const { store, db } = openInlineStore();
    const scene = await Scenario.open(async () => ({ store }));
    const parent = await scene.said("find it", { author: { account: "guest" } });
    const to = { kind: "new", delegatedBy: parent.conversation } as const;
    await scene.said("look around", { to });
    await scene.said("and there", { to, author: { account: "other" } });
    const authors = db.list("SELECT a.sender FROM input i JOIN person_account a ON a.person = i.author ORDER BY i.no");
    expect(authors).toEqual(["guest", "guest", "other"]);
  });
});

describe("a revoked grant", () => {
  it("[AP-4] leaves an audit row that says what was revoked, where and when", async () => {
    const { store, db } = openInlineStore();
    const scene = await Scenario.open(async () => ({ store }));
    const turn = await scene.turn("look around");
    for (const answer of ["session", "always"] as const) {
      const call = await scene.callTool(turn, "read-only", answer);
      const question = { grant: "terminal:rm" };
      const { approval } = only("asked", await store.askApproval({ ...passOf(turn), call, question, nowMs: 1 }));
      await store.decideApproval({ approval, answer, by: OWNER, nowMs: 2 });
    }
    const { conversation } = turn;
    await store.revokeGrant({ name: "terminal:rm", conversation, nowMs: 3 });
    await store.revokeGrant({ name: "terminal:rm", nowMs: 4 });
    await store.revokeGrant({ name: "terminal:rm", nowMs: 5 });
    const rows = db.all<{ detail: string }>("SELECT at_ms, act, subject, detail FROM audit ORDER BY no");
    expect(rows.map(({ detail, ...row }) => ({ ...row, ...JSON.parse(detail) }))).toEqual([
      { at_ms: 3, act: "revoke-grant", subject: "terminal:rm", conversation },
      { at_ms: 4, act: "revoke-grant", subject: "terminal:rm", conversation: null },
    ]);
  });
});

describe("a deadline", () => {
  it("[ST-12] that passed while an operation waited refuses it, and nothing of it is stored", async () => {
    const clock = new ManualClock();
    const { store } = openInlineStore({ clock, deadlineMs: 1_000 });
    const begin = (title: string) => store.begin({ start: { source: "cli" }, title, nowMs: clock.nowMs() });
    const late = begin("late");
    clock.advance(1_001);
    const inTime = begin("in time");
    await expect(late).rejects.toMatchObject({ code: "deadline", retry: "after-delay" });
    await inTime;
    expect((await store.list({ limit: 9 })).map(({ title }) => title)).toEqual(["in time"]);
  });
});

describe("after a deletion", () => {
  it("[ST-14] no word of the conversation is left in any table", async () => {
    const { store, db } = openInlineStore();
    const scene = await Scenario.open(async () => ({ store }));
    const word = "xyzzy";
    await fillWith(scene, word);
    expect(tablesWith(db, word)).not.toEqual([]);
    const [row] = await store.list({ limit: 1 });
    if (row === undefined) throw new Error("the list is empty");
    await store.remove({ conversation: row.id, by: "owner", nowMs: scene.tick() });
    for (;;) if ((await store.eraseChunk({ limit: 3, nowMs: scene.tick() })).isDone) break;
    // What was owed is still sent and done; then it is forgotten, too.
    expect(tablesWith(db, word)).toEqual(["delivery.address", "delivery.text", "job.payload"]);
    await workOff(scene);
    expect(tablesWith(db, word)).toEqual([]);
  });
});

describe("a prompt", () => {
  it("[ST-14] goes with the last session that was started with it", async () => {
    const { store, db } = openInlineStore();
    const times = { createdMs: 1, activeMs: 1 };
    const add = (id: string) =>
      store.importConversation({
        lineage: "import",
        source: "cli",
        ...times,
        first: { id, createdMs: 1, prompt: "be xyzzy", openings: [] },
      });
    const [one, two] = [await add("first-one"), await add("second-one")];
    await store.remove({ conversation: one.conversation, by: "owner", nowMs: 2 });
    expect(tablesWith(db, "xyzzy")).toEqual(["prompt.text"]);
    await store.remove({ conversation: two.conversation, by: "owner", nowMs: 3 });
    expect(tablesWith(db, "xyzzy")).toEqual([]);
  });
});

/** A conversation that says a word wherever words can be. */
async function fillWith(scene: Scenario, word: string): Promise<void> {
  const address = { ...ADDRESS, userName: word, chatName: word };
  const start = { source: "telegram", cwd: `/${word}`, settings: { note: word } };
  const to = { kind: "new" } as const;
  const body = { reasoning: word };
  await scene.store.admit({ ...scene.inbound(word, { to, title: word, body }), address, start });
  const [row] = await scene.store.list({ limit: 1 });
  if (row === undefined) throw new Error("the list is empty");
  const turn = await scene.claim(row.id);
  const call = await scene.callTool(turn, "at-most-once", word);
  const asked = await scene.store.askApproval({
    ...passOf(turn),
    call,
    question: { grant: word },
    nowMs: scene.tick(),
  });
  const { approval } = only("asked", asked);
  await scene.store.decideApproval({ approval, answer: "session", reply: word, by: OWNER, nowMs: scene.tick() });
  await scene.store.keepPrompt({ ...passOf(turn), prompt: word });
  await scene.startCall(turn, call);
  await scene.finishCall(turn, call, word);
  const replies = [{ platform: "telegram", address, parts: [word, word] }];
  await scene.settle(turn, { outcome: "failed", reason: word, final: { text: word }, replies });
  const target = { to: { kind: "conversation", id: row.id } } as const;
  await scene.say(`${word} again`, target);
  const second = await scene.claim(row.id);
  await scene.store.saveDraft({ ...passOf(second), text: word });
  await scene.settle(second, { outcome: "interrupted-by-user", reason: word });
  await scene.say(`${word} waits`, target);
  await scene.store.enqueueJob({ kind: "title", key: row.id, conversation: row.id, payload: { word }, dueMs: 0 });
}

async function workOff({ store, clock }: Scenario): Promise<void> {
  const due = { host: HOST, limit: 9 };
  for (const event of [
    { type: "sent", receipt: "r" },
    { type: "gave-up", error: "blocked" },
  ] as const)
    for (const { id } of await store.claimDeliveries({ ...due, nowMs: clock.nowMs() }))
      await store.settleDelivery({ id, event, nowMs: clock.nowMs() });
  for (const { id } of await store.claimJobs({ ...due, kinds: ["title"], nowMs: clock.nowMs() }))
    await store.settleJob({ id, result: { kind: "done" }, nowMs: clock.nowMs() });
}

/** Every `table.column` in which some row holds the word. */
function tablesWith(db: Connection, word: string): string[] {
  const tables = db.list("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return tables.flatMap((table) =>
    db
      .list(`SELECT name FROM pragma_table_info('${table}')`)
      .filter((column) => Number(db.scalar(`SELECT count(*) FROM ${table} WHERE ${column} LIKE '%${word}%'`)) > 0)
      .map((column) => `${table}.${column}`),
  );
}
