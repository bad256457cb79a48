/** Upkeep and import: orphans are marked and kept, an import adds only what is new and keeps what it found. */
import { describe, expect, it } from "vitest";
import type { ConversationId, HostId } from "#base/ids.js";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import { AT_TERMINAL, CHAT, HOST, IN_CHAT, type OpenStore, Scenario } from "../../../test/support/scenario.js";
import type { ImportedMessage, ImportedRoute, ImportedSession } from "../verbs/care.js";

interface Continuation {
  readonly ageDays?: number;
  readonly parentReason?: string;
  readonly isEnded?: boolean;
  readonly messages?: number;
  readonly title?: string;
  readonly modelCalls?: number;
  readonly isRouted?: boolean;
}

export function describeCare(open: OpenStore): void {
  describe("orphan cleanup", () => {
    const cleanup = async (scene: Scenario) =>
      (await scene.store.finishOrphans({ nowMs: scene.clock.nowMs(), limit: 100 })).finished;

    it("[LS-13] ends an abandoned continuation, says how many, once, and deletes nothing", async () => {
      const scene = await Scenario.open(open);
      const conversation = await importContinued(scene, {});
      const before = await scene.transcript(conversation);
      expect(await cleanup(scene)).toBe(1);
      expect(await scene.card(conversation)).toMatchObject({
        endReason: "orphaned_compression",
        endedMs: scene.clock.nowMs(),
      });
      expect(await scene.transcript(conversation)).toEqual(before);
      expect(await cleanup(scene)).toBe(0);
    });

    it("[LS-13] ends one that had called a model before it was abandoned", async () => {
      const scene = await Scenario.open(open);
      await importContinued(scene, { modelCalls: 3 });
      expect(await cleanup(scene)).toBe(1);
    });

    it.each<[string, Continuation]>([
      ["[LS-15] younger than 7 days", { ageDays: 6 }],
      ["[LS-16] already ended", { isEnded: true }],
      ["[LS-17] whose parent ended otherwise", { parentReason: "session_reset" }],
      ["[LS-18] without messages", { messages: 0 }],
      ["[LS-20] that is the tip of a route", { isRouted: true }],
    ])("%s: is left alone", async (_, continuation) => {
      const scene = await Scenario.open(open);
      const conversation = await importContinued(scene, continuation);
      const before = await scene.card(conversation);
      expect(await cleanup(scene)).toBe(0);
      expect(await scene.card(conversation)).toEqual(before);
    });

    it("[LS-14] leaves alone a session without a parent", async () => {
      const scene = await Scenario.open(open);
      const first = imported(scene, "alone", { closed: null });
      const { conversation } = await importFirst(scene, first);
      await scene.store.importMessages({ session: "alone", messages: messages(scene, 2) });
      expect(await cleanup(scene)).toBe(0);
      expect((await scene.card(conversation)).endReason).toBeNull();
    });

    it("[LS-19] ends a titled one too, and the title stays", async () => {
      const scene = await Scenario.open(open);
      const conversation = await importContinued(scene, { title: "plans #2" });
      expect(await cleanup(scene)).toBe(1);
      expect(await scene.card(conversation)).toMatchObject({ endReason: "orphaned_compression", title: "plans #2" });
    });

    it("[LS-13] leaves alone one that a person has taken up again", async () => {
      const scene = await Scenario.open(open);
      const conversation = await importContinued(scene, {});
      await scene.store.resume({ actor: AT_TERMINAL, to: conversation, nowMs: scene.tick() });
      await scene.said("let us go on", { to: { kind: "conversation", id: conversation } });
      expect(await cleanup(scene)).toBe(0);
      const turn = await scene.claim(conversation);
      expect(await cleanup(scene)).toBe(0);
      await scene.settle(turn);
      expect(await cleanup(scene)).toBe(0);
      expect((await scene.card(conversation)).endReason).toBeNull();
    });

    it("[LS-13] finds nothing that our own writes made, however old", async () => {
      const scene = await Scenario.open(open);
      const routed = await scene.exchange("one", "1");
      await scene.compact(routed.conversation);
      const terminal = await scene.exchange("two", "2", { to: { kind: "new" } });
      await scene.compact(terminal.conversation);
      const carriedOn = await importContinued(scene, { isEnded: true });
      await scene.store.resume({ actor: AT_TERMINAL, to: carriedOn, nowMs: scene.tick() });
      await scene.compact(carriedOn);
      const pruned = await scene.exchange("three", "3", { key: `${CHAT}:c` });
      await scene.compact(pruned.conversation);
      scene.clock.advance(400 * DAY_MS);
      const prune = { maxAgeDays: 90, liveKeys: [], limit: 9, nowMs: scene.clock.nowMs() };
      await scene.store.pruneRoutes(prune);
      expect(await cleanup(scene)).toBe(0);
    });
  });

  describe("an import", () => {
    it("[CR-9] keeps ids, times, roles, usage, titles and how it ended", async () => {
      const scene = await Scenario.open(open);
      const conversation = await importContinued(scene, { isEnded: true, title: "old plans #2", modelCalls: 4 });
      const card = await scene.card(conversation);
      expect(card).toMatchObject({ lineage: "import", source: "telegram", title: "old plans #2", messages: 5 });
      expect(card.sessions).toMatchObject([
        { id: "old-1", openings: [{ reason: "compression" }] },
        { id: "old-2", parent: "old-1", lineage: "compaction", usage: { modelCalls: 4 }, isCostUnknown: true },
      ]);
      const [first] = await scene.store.history({ conversation, afterSeq: 0, limit: 1 });
      expect(first).toMatchObject({ role: "user", text: "message 1", isImported: true });
      expect(first?.atMs).toBeLessThan(scene.clock.nowMs() - 29 * DAY_MS);
      expect(await scene.store.resolve({ text: "old-1" })).toMatchObject({ conversation, tip: "old-2" });
      expect(await scene.told()).toEqual([]);
    });

    it("adds only what is new when it is run again", async () => {
      const scene = await Scenario.open(open);
      const first = imported(scene, "old-0", { closed: "cli_close" });
      const { conversation, kind } = await importFirst(scene, first);
      expect(kind).toBe("added");
      const run = (count: number) => scene.store.importMessages({ session: "old-0", messages: messages(scene, count) });
      expect(await run(3)).toEqual({ added: 3, skipped: 0 });
      expect(await importFirst(scene, first)).toMatchObject({ kind: "known", conversation });
      const cursor = { conversation, tip: "old-0", cursor: 3, seq: 3, isOpen: false, isDeleted: false };
      expect(await scene.store.importCursor({ session: "old-0" })).toMatchObject(cursor);
      expect(await run(5)).toEqual({ added: 2, skipped: 3 });
      expect(await run(5)).toEqual({ added: 0, skipped: 5 });
      expect(await scene.transcript(conversation)).toHaveLength(5);
      expect(await scene.store.importCursor({ session: "nobody" })).toBeNull();
    });

    it("does not bring back what a person deleted, and goes on with the rest", async () => {
      const scene = await Scenario.open(open);
      const first = imported(scene, "old-0", { closed: "cli_close" });
      const { conversation } = await importFirst(scene, first);
      await scene.store.importMessages({ session: "old-0", messages: messages(scene, 2) });
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      expect(await importFirst(scene, first)).toMatchObject({ kind: "known" });
      const grown = { session: "old-0", messages: messages(scene, 4) };
      expect(await scene.store.importMessages(grown)).toEqual({ added: 0, skipped: 4 });
      const session = { ...imported(scene, "older", { closed: null }), continues: "old-0" };
      expect(await scene.store.importSession({ conversation, session })).toMatchObject({ kind: "known" });
      expect(await scene.store.importRoute(route(scene, "old-0"))).toEqual({ kind: "no-session" });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 0, sessions: 0 });
    });

    it("hides what was undone in its source, and keeps it", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: "cli_close" }));
      const all = messages(scene, 5).map((message, at) => ({ ...message, isSuperseded: at === 1 || at === 2 }));
      await scene.store.importMessages({ session: "old-0", messages: all });
      expect(await scene.context(conversation)).toEqual(["user: message 1", "assistant: message 4", "user: message 5"]);
      expect((await scene.card(conversation)).superseded).toMatchObject([{ fromSeq: 2, toSeq: 3, reason: "import" }]);
    });

    it("finds what was undone, ended or titled in its source since, and tells no hook", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: null }));
      await scene.store.importMessages({ session: "old-0", messages: messages(scene, 4) });
      const end = { closedMs: scene.clock.nowMs(), reason: "cli_close" };
      const changes = { session: "old-0", undone: [3, 4], end, title: "plans", nowMs: scene.tick() };
      expect(await scene.store.importChanges(changes)).toEqual({ undone: 2, isEnded: true, title: "set" });
      expect(await scene.store.importChanges(changes)).toMatchObject({ undone: 0, isEnded: false });
      expect(await scene.card(conversation)).toMatchObject({ title: "plans", endReason: "cli_close" });
      expect(await scene.context(conversation)).toEqual(["user: message 1", "assistant: message 2"]);
      expect(await scene.told()).toEqual([]);
    });

    it("[FQ-9] leaves what another program never closed alone when we stop, until it is used here", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: null }));
      const stop = () => scene.store.closeOpenings({ reason: "shutdown", limit: 10, nowMs: scene.tick() });
      expect(await stop()).toEqual({ closed: 0 });
      expect(await scene.card(conversation)).toMatchObject({ endReason: null });
      await scene.say("and now here", { to: { kind: "conversation", id: conversation } });
      expect(await stop()).toEqual({ closed: 1 });
      expect(await scene.card(conversation)).toMatchObject({ endReason: "shutdown" });
    });

    it("of an export of ours is numbered by sequence, and hides what was hidden, once", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: "cli_close" }));
      const run = (count: number) =>
        scene.store.importMessages({ session: "old-0", messages: messages(scene, count), numbering: "seq" });
      expect(await run(2)).toEqual({ added: 2, skipped: 0 });
      expect(await run(4)).toEqual({ added: 2, skipped: 2 });
      const ranges = [{ fromSeq: 3, toSeq: 4, reason: "undo", atMs: 5 }] as const;
      expect(await scene.store.importSuperseded({ conversation, ranges })).toEqual({ added: 1 });
      expect(await scene.store.importSuperseded({ conversation, ranges })).toEqual({ added: 0 });
      expect((await scene.card(conversation)).superseded).toMatchObject([{ fromSeq: 3, toSeq: 4, reason: "undo" }]);
    });

    it("drops a title that is taken here, and says so", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi", { title: "plans" });
      const first = { ...imported(scene, "old-0", { closed: "cli_close" }), title: "plans" };
      expect(await importFirst(scene, first)).toMatchObject({ kind: "added", title: "dropped" });
    });

    it("keeps our route where a chat is used here already", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await importFirst(scene, imported(scene, "old-0", { closed: null }));
      expect(await scene.store.importRoute(route(scene, "old-0"))).toEqual({ kind: "kept-ours" });
      expect(await scene.store.importRoute(route(scene, "nobody"))).toEqual({ kind: "no-session" });
      expect(await scene.route()).toMatchObject({ conversation });
    });

    it("brings routes with their flags, policy and times", async () => {
      const scene = await Scenario.open(open);
      await importFirst(scene, imported(scene, "old-0", { closed: null }));
      const flags = { suspendedReason: "stuck", resumeReason: "restart", name: "Family", chatType: "group" };
      const policy = { mode: "idle", idleMinutes: 60 } as const;
      expect(await scene.store.importRoute({ ...route(scene, "old-0"), ...flags, policy })).toEqual({ kind: "added" });
      const { usedMs } = route(scene, "old-0");
      expect(await scene.route()).toMatchObject({ ...flags, policy, usedMs, expiresMs: usedMs + 3_600_000 });
    });

    it("[BH-12] [BH-8] does not finalize again what its source had finalized", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: null }));
      await scene.store.importMessages({ session: "old-0", messages: messages(scene, 2) });
      await scene.store.importRoute({ ...route(scene, "old-0"), isExpired: true });
      expect(await scene.store.sweepExpired({ nowMs: scene.tick(), limit: 9 })).toEqual({ swept: [], postponed: 0 });
      const fresh = await scene.said("good morning");
      expect(fresh.resetFrom).toMatchObject({ conversation });
      expect(await scene.toldKinds()).toEqual(["on_session_start"]);
      expect((await scene.card(conversation)).endReason).not.toBeNull();
    });

    it("[BH-12] finalizes at its end what its source had left open", async () => {
      const scene = await Scenario.open(open);
      await importFirst(scene, imported(scene, "old-0", { closed: null }));
      await scene.store.importMessages({ session: "old-0", messages: messages(scene, 2) });
      await scene.store.importRoute({ ...route(scene, "old-0"), policy: { mode: "idle", idleMinutes: 60 } });
      expect(await scene.store.sweepExpired({ nowMs: scene.tick(), limit: 9 })).toMatchObject({ swept: [CHAT] });
      expect(await scene.told()).toMatchObject([{ kind: "on_session_finalize", payload: { session_id: "old-0" } }]);
    });

    it("links a branch to where it came from, and keeps it without when that is unknown", async () => {
      const scene = await Scenario.open(open);
      const { conversation: parent } = await importFirst(scene, imported(scene, "old-0", { closed: "branched" }));
      const times = { source: "telegram", createdMs: 5, activeMs: 6 };
      const branch = (id: string, from: string) =>
        scene.store.importConversation({
          lineage: "branch",
          parent: { session: from, seq: 2 },
          ...times,
          first: imported(scene, id, { closed: null }),
        });
      const known = await branch("child", "old-0");
      expect(await scene.card(known.conversation)).toMatchObject({
        lineage: "branch",
        parent: { conversation: parent, seq: 2 },
      });
      const orphan = await branch("orphan", "nobody");
      expect(await scene.card(orphan.conversation)).toMatchObject({ lineage: "import", parent: null });
    });

    it("[CT-10] goes on here like any conversation", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await importFirst(scene, imported(scene, "old-0", { closed: "cli_close" }));
      await scene.store.importMessages({ session: "old-0", messages: messages(scene, 2) });
      await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      await scene.exchange("let us go on", "gladly");
      expect(await scene.context(conversation)).toEqual([
        "user: message 1",
        "assistant: message 2",
        "user: let us go on",
        "assistant: gladly",
      ]);
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_end"]);
    });
  });

  it("outlines every conversation but the deleted, parents before children, page by page", async () => {
    const scene = await Scenario.open(open);
    const parent = await scene.exchange("one", "1", { author: { account: "42", name: "Ada" } });
    const gone = await scene.exchange("two", "2", { key: `${CHAT}:b` });
    await scene.store.branch({ actor: IN_CHAT, from: parent.conversation, nowMs: scene.tick() });
    await scene.store.setArchived({ conversation: parent.conversation, archived: true });
    await scene.store.remove({ conversation: gone.conversation, by: "test", nowMs: scene.tick() });
    const first = await scene.store.outline({ limit: 1 });
    const owner = { platform: "telegram", account: "42", ours: "bot", name: "Ada" };
    expect(first).toEqual([{ id: parent.conversation, source: "telegram", owner }]);
    const rest = await scene.store.outline({ limit: 9, after: parent.conversation });
    expect(rest).toHaveLength(1);
    expect(await scene.store.outline({ limit: 9, source: "cli" })).toEqual([]);
    expect(await scene.store.outline({ limit: 9, only: [gone.conversation, parent.conversation] })).toEqual(first);
  });

  it("gives each host an epoch above all earlier ones", async () => {
    const scene = await Scenario.open(open);
    const begin = (id: string) =>
      scene.store.beginHost({ id: id as HostId, pid: 7, version: "1.0.0", nowMs: scene.tick() });
    const first = await begin(HOST);
    if (scene.isDurable) await scene.restart();
    expect((await begin("next")).epoch).toBeGreaterThan(first.epoch);
  });

  it("[GW-23] knows a person by platform, account and id, for ever the same", async () => {
    const scene = await Scenario.open(open);
    const person = (platform: string, account: string, sender = "42") =>
      scene.store.person({ platform, account, sender, nowMs: scene.tick() });
    const ada = await person("telegram", "main");
    if (scene.isDurable) await scene.restart();
    expect(await person("telegram", "main")).toEqual(ada);
    const others = [
      await person("discord", "main"),
      await person("telegram", "b"),
      await person("telegram", "main", "7"),
    ];
    expect(new Set([ada, ...others].map(({ id }) => id)).size).toBe(4);
  });

  it("[GW-23] carries an owner to another home under the account that knows them", async () => {
    const scene = await Scenario.open(open);
    const people = { here: { account: "42" }, there: { account: "42", ours: "oftc" } };
    for (const [id, owner] of Object.entries(people)) {
      const known = { platform: "irc", ...owner };
      const first = { id: `${id}-session`, createdMs: 1, openings: [] };
      const conversation = { id, lineage: "import", source: "irc", createdMs: 1, activeMs: 1 } as const;
      await scene.store.importConversation({ ...conversation, owner: known, first });
    }
    const outline = await scene.store.outline({ limit: 9 });
    expect(outline.map(({ owner }) => owner)).toEqual(
      Object.values(people).map((owner) => ({ platform: "irc", ...owner })),
    );
    const oftc = await scene.store.person({ platform: "irc", account: "oftc", sender: "42", nowMs: scene.tick() });
    expect(await scene.store.list({ limit: 9, owner: oftc.id })).toMatchObject([{ id: "there" }]);
  });

  it("stores an attachment's row once, and notes in the audit what it is told", async () => {
    const scene = await Scenario.open(open);
    const attachment = { sha256: "e".repeat(64), mediaType: "image/png", bytes: 12, nowMs: scene.tick() };
    expect(await scene.store.addAttachment(attachment)).toEqual({ kind: "added" });
    expect(await scene.store.addAttachment(attachment)).toEqual({ kind: "known" });
    const note = { act: "restore", subject: "state.db", detail: { from: "backup" }, nowMs: scene.tick() };
    expect(await scene.store.noteAudit(note)).toEqual({ kind: "ok" });
  });
}

const AGE_DAYS = 30;

function imported(scene: Scenario, id: string, how: { closed: string | null; ageDays?: number }): ImportedSession {
  const createdMs = scene.clock.nowMs() - (how.ageDays ?? AGE_DAYS) * DAY_MS;
  const closedMs = how.closed === null ? null : createdMs + 1_000;
  return {
    id,
    createdMs,
    openings: [{ platform: "telegram", openedMs: createdMs, closedMs, reason: how.closed }],
  };
}

function importFirst(scene: Scenario, first: ImportedSession) {
  const times = { createdMs: first.createdMs, activeMs: first.createdMs };
  return scene.store.importConversation({ lineage: "import", source: "telegram", ...times, first });
}

function messages(scene: Scenario, count: number): ImportedMessage[] {
  return Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    text: `message ${at + 1}`,
    sourceNo: at + 1,
    atMs: scene.clock.nowMs() - AGE_DAYS * DAY_MS + at,
  }));
}

function route(scene: Scenario, session: string): ImportedRoute {
  const createdMs = scene.clock.nowMs() - AGE_DAYS * DAY_MS;
  return { key: CHAT, session, platform: "telegram", chatType: "dm", createdMs, usedMs: createdMs + 5 };
}

/** An imported conversation whose first session was compacted into a second one. */
async function importContinued(scene: Scenario, how: Continuation): Promise<ConversationId> {
  const first = imported(scene, "old-1", { closed: how.parentReason ?? "compression" });
  const { conversation } = await importFirst(scene, first);
  await scene.store.importMessages({ session: "old-1", messages: messages(scene, 2) });
  const second = imported(scene, "old-2", {
    closed: how.isEnded ? "cli_close" : null,
    ...(how.ageDays !== undefined && { ageDays: how.ageDays }),
  });
  await scene.store.importSession({
    conversation,
    session: {
      ...second,
      continues: "old-1",
      ...(how.title !== undefined && { title: how.title }),
      ...(how.modelCalls !== undefined && { usage: { modelCalls: how.modelCalls } }),
    },
  });
  await scene.store.importMessages({ session: "old-2", messages: messages(scene, how.messages ?? 3) });
  if (how.isRouted) await scene.store.importRoute(route(scene, "old-2"));
  return conversation;
}
