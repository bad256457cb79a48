import { afterEach, describe, expect, it } from "vitest";
import { type HermesHome, hermesHome, routeEntry, SUMMARY } from "../../../test/support/hermes/home.js";
import { at, cardOf, historyOf, importFrom, newStore } from "../../../test/support/hermes/import.js";

const homes: HermesHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function home(fill: (home: HermesHome) => void, schema?: number): HermesHome {
  const made = hermesHome(schema === undefined ? {} : { schema });
  homes.push(made);
  fill(made);
  made.close();
  return made;
}

const PARENT = "20260601_100000_aaaaaa";
const CHILD = "20260601_110000_bbbbbb";
const START = 1_750_000_000;

describe("an import from hermes-agent", () => {
  it("[IM-4] keeps ids, times, roles, tool calls and results, reasoning, tokens, cost and titles", async () => {
    const calls = JSON.stringify([
      { id: "c1", type: "function", call_id: "fc_1", function: { name: "ls", arguments: '{"path":"."}' } },
    ]);
    const { dir } = home((it) => {
      it.session({
        id: PARENT,
        source: "telegram",
        user_id: "77",
        model: "some/model",
        model_config: '{"temperature":0.3}',
        system_prompt: "You are kind.",
        started_at: START + 0.25,
        ended_at: START + 60.5,
        end_reason: "cli_close",
        title: "my project",
        cwd: "/work",
        input_tokens: 10,
        api_call_count: 3,
        actual_cost_usd: 0.0125,
        billing_provider: "openrouter",
        rewind_count: 2,
        handoff_state: "completed",
      });
      it.meta(`goal:${PARENT}`, '{"text":"ship it"}');
      it.message({ session_id: PARENT, content: "list", timestamp: START + 5, platform_message_id: "m9" });
      // Earlier by the clock, later by its number: the number decides.
      it.message({
        session_id: PARENT,
        role: "assistant",
        content: "",
        tool_calls: calls,
        reasoning: "think",
        reasoning_details: '[{"type":"x"}]',
        timestamp: START + 1,
        token_count: 7,
        finish_reason: "tool_calls",
      });
      it.message({ session_id: PARENT, role: "tool", content: "a.txt", tool_call_id: "c1", tool_name: "ls" });
      it.message({ session_id: PARENT, role: "session_meta", content: "{}" });
      it.message({ session_id: PARENT, content: "overheard", observed: 1 });
    });
    const store = newStore();
    await importFrom(dir, store);
    const card = await cardOf(store, "my project");
    expect(card).toMatchObject({ id: PARENT, source: "telegram", model: "some/model", endReason: "cli_close" });
    expect(card.sessions[0]).toMatchObject({
      createdMs: START * 1000 + 250,
      cwd: "/work",
      prompt: "You are kind.",
      settings: { temperature: 0.3 },
      costMicros: 12_500,
      isCostUnknown: false,
      usage: { inputTokens: 10, modelCalls: 3 },
      origin: {
        goal: { text: "ship it" },
        rewindCount: 2,
        billing: { provider: "openrouter" },
        handoff: { state: "completed" },
      },
      openings: [{ platform: "telegram", closedMs: START * 1000 + 60_500, reason: "cli_close" }],
    });
    const history = await historyOf(store, PARENT);
    expect(history.map(({ role, text, atMs }) => [role, text, atMs / 1000 - START])).toEqual([
      ["user", "list", 5],
      ["assistant", "", 1],
      ["tool", "a.txt", 0],
      ["note", "{}", 0],
      ["user", "overheard", 0],
    ]);
    expect(history[0]?.body).toMatchObject({ sourceNo: 1, platformMessageId: "m9" });
    expect(history[1]?.body).toMatchObject({
      toolCalls: [{ id: "c1", name: "ls", arguments: '{"path":"."}' }],
      toolCallExtras: [{ call_id: "fc_1" }],
      reasoning: "think",
      reasoningDetails: [{ type: "x" }],
      tokenCount: 7,
      finishReason: "tool_calls",
    });
    expect(history[2]?.body).toMatchObject({ toolCallId: "c1", toolName: "ls" });
    expect(history[3]?.body).toMatchObject({ sourceRole: "session_meta" });
    expect(history[4]?.body).toMatchObject({ observed: true });
  });

  it("[CR-9] [CR-10] [CR-11] makes one conversation of a compacted chain, and marks the copies", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT, title: "my project", ended_at: START + 100, end_reason: "compression" });
      it.session({ id: CHILD, title: "my project #2", parent_session_id: PARENT, started_at: START + 100 });
      for (const content of ["first", "second", "third"]) it.message({ session_id: PARENT, content });
      for (const content of ["first", SUMMARY, "third", "new", "first"]) it.message({ session_id: CHILD, content });
    });
    const store = newStore();
    await importFrom(dir, store);
    for (const name of [PARENT, CHILD, "my project", "my project #2", PARENT.slice(0, 12)])
      expect(await store.resolve({ text: name })).toMatchObject({ kind: "found", conversation: PARENT, tip: CHILD });
    const card = await cardOf(store, PARENT);
    expect(card.sessions.map(({ id, lineage, fromSeq }) => [id, lineage, fromSeq])).toEqual([
      [PARENT, "import", 1],
      [CHILD, "compaction", 4],
    ]);
    const carried = (await historyOf(store, PARENT)).map(({ text, isCarried }) => [text.slice(0, 6), isCarried]);
    expect(carried).toEqual([
      ["first", false],
      ["second", false],
      ["third", false],
      ["first", true],
      ["[CONTE", true],
      ["third", true],
      ["new", false],
      // Said again by somebody, after the copies ended.
      ["first", false],
    ]);
  });

  it("[CR-10] takes an in-place compaction apart: originals first, the live part as the tip", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT, title: "long one" });
      for (const content of ["a", "b", "c"]) it.message({ session_id: PARENT, content, active: 0, compacted: 1 });
      for (const content of [SUMMARY, "c", SUMMARY, "c", "d"]) it.message({ session_id: PARENT, content });
    });
    const store = newStore();
    await importFrom(dir, store);
    const card = await cardOf(store, "long one");
    expect(card.tip).toBe(`${PARENT}~2`);
    expect(card.sessions[0]?.openings[0]).toMatchObject({ reason: "compression" });
    const live = await store.tipHistory({ conversation: card.id });
    expect(live?.messages.map(({ text }) => text.slice(0, 4))).toEqual(["[CON", "c", "[CON", "c", "d"]);
    const recent = await store.recent({ conversation: card.id, limit: 10 });
    expect(recent.map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
    expect((await importFrom(dir, store)).messages).toMatchObject({ added: 0, known: 8 });
  });

  it("[IM-4] stores lineage: branches, delegated runs, and delegated runs without a parent", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT, ended_at: START + 50, end_reason: "branched" });
      it.session({ id: "branch-marked", parent_session_id: PARENT, model_config: `{"_branched_from":"${PARENT}"}` });
      it.session({ id: "branch-by-end", parent_session_id: PARENT, started_at: START + 60 });
      it.session({ id: "delegate", parent_session_id: PARENT, model_config: `{"_delegate_from":"${PARENT}"}` });
      it.session({ id: "delegate-lost", model_config: '{"_delegate_from":"__orphaned__"}' });
      for (const session_id of [PARENT, "branch-marked", "branch-by-end", "delegate", "delegate-lost"])
        it.message({ session_id, content: "hi" });
    });
    const store = newStore();
    await importFrom(dir, store);
    expect(await cardOf(store, "branch-marked")).toMatchObject({ lineage: "branch", parent: { conversation: PARENT } });
    expect(await cardOf(store, "branch-by-end")).toMatchObject({ lineage: "branch", parent: { conversation: PARENT } });
    expect(await cardOf(store, "delegate")).toMatchObject({ lineage: "delegation", parent: { conversation: PARENT } });
    const listed = (await store.list({ limit: 10 })).map(({ id }) => id);
    expect(listed.sort()).toEqual(["branch-by-end", "branch-marked", PARENT].sort());
    expect((await cardOf(store, "delegate-lost")).isArchived).toBe(true);
  });

  it("[IM-3] cuts circles, missing and own parents, keeps every session and reports each", async () => {
    const { dir } = home((it) => {
      it.session({ id: "ring-a", parent_session_id: "ring-b", ended_at: START, end_reason: "compression" });
      it.session({ id: "ring-b", parent_session_id: "ring-a", ended_at: START, end_reason: "compression" });
      it.session({ id: "self-parent", parent_session_id: "self-parent" });
      it.session({ id: "no-parent", parent_session_id: "long-gone" });
      it.session({ id: PARENT, ended_at: START, end_reason: "compression" });
      it.session({ id: "first-child", parent_session_id: PARENT, started_at: START + 1 });
      it.session({ id: "second-child", parent_session_id: PARENT, started_at: START + 2 });
      it.message({ session_id: "gone", content: "nobody's" });
      it.message({ session_id: "x", content: "short id" });
    });
    const store = newStore();
    const report = await importFrom(dir, store);
    expect(report.sessions).toEqual({ found: 7, added: 7, known: 0, left: 0 });
    expect(report.messages).toEqual({ found: 2, added: 2, known: 0, left: 0 });
    const kinds = Object.fromEntries(
      report.odd.map(({ kind, examples }) => [kind, examples.map(({ subject }) => subject)]),
    );
    expect(kinds).toMatchObject({
      "parent-cycle": ["ring-a"],
      "self-parent": ["self-parent"],
      "missing-parent": ["no-parent"],
      "second-continuation": ["second-child"],
      "stray-messages": ["gone", "x"],
      "renamed-session": ["x"],
    });
    expect((await cardOf(store, PARENT)).tip).toBe("first-child");
    expect(await cardOf(store, "second-child")).toMatchObject({ lineage: "branch" });
  });

  it("[IM-3] keeps a continuation whose parent was closed too early, and says so", async () => {
    const fill = (it: HermesHome): void => {
      it.session({ id: PARENT, ended_at: START + 50, end_reason: "agent_close" });
      it.session({ id: "known-by-route", parent_session_id: PARENT, started_at: START + 60 });
      it.session({
        id: "hidden-as-delegate",
        parent_session_id: PARENT,
        model_config: `{"_delegate_from":"${PARENT}"}`,
      });
      it.session({ id: "plain-child", parent_session_id: PARENT });
      it.message({ session_id: "hidden-as-delegate", content: SUMMARY });
      it.routes({ "agent:main:telegram:dm:1": routeEntry("agent:main:telegram:dm:1", "known-by-route") });
    };
    const report = await importFrom(home(fill).dir, newStore());
    const kinds = new Map(report.odd.map(({ kind, examples }) => [kind, examples.map(({ subject }) => subject)]));
    expect(kinds.get("ended-but-continued")).toEqual(["known-by-route", "hidden-as-delegate"]);
    expect(kinds.get("unexplained-parent")).toEqual(["plain-child"]);
    // Before schema 16 such a child is what hermes-agent itself tags as delegated.
    const older = newStore();
    await importFrom(home(fill, 15).dir, older);
    expect(await cardOf(older, "plain-child")).toMatchObject({ lineage: "delegation" });
  });

  it("[IM-3] keeps what it cannot understand, as it was", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT });
      it.message({
        session_id: PARENT,
        content: '\0json:[{"type":"text","text":"see"},{"type":"image_url","image_url":{}}]',
      });
      it.message({ session_id: PARENT, content: "\0json:{broken" });
      it.message({ session_id: PARENT, role: "assistant", tool_calls: "[{]" });
      it.message({ session_id: PARENT, role: "critic", content: "hm" });
      it.message({ session_id: PARENT, role: "tool", content: "?", tool_call_id: "nobody" });
      it.message({ session_id: PARENT, content: "when", timestamp: "soon" });
    });
    const store = newStore();
    const report = await importFrom(dir, store);
    const history = await historyOf(store, PARENT);
    expect(history[0]).toMatchObject({ text: "see", body: { content: [{ type: "text" }, { type: "image_url" }] } });
    expect(history[1]?.text).toBe("\u2400json:{broken");
    expect(history[2]?.body).toMatchObject({ rawToolCalls: "[{]" });
    expect(history[3]).toMatchObject({ role: "note", body: { sourceRole: "critic" } });
    expect(report.odd.map(({ kind }) => kind).sort()).toEqual(
      [
        "bad-time",
        "nul-characters",
        "result-without-call",
        "unknown-role",
        "unreadable-content",
        "unreadable-tool-calls",
      ].sort(),
    );
  });

  it("[IM-2] adds on a second run only what is new: messages, sessions, what was undone, an end, a title", async () => {
    const it = hermesHome();
    homes.push(it);
    it.session({ id: PARENT });
    for (const content of ["one", "two", "three"]) it.message({ session_id: PARENT, content });
    it.message({ session_id: PARENT, content: "undone at once", active: 0 });
    it.keep();
    const store = newStore();
    expect((await importFrom(it.dir, store)).messages).toMatchObject({ added: 4 });
    it.sql("UPDATE messages SET active = 0 WHERE content IN ('two', 'three')");
    it.sql(`UPDATE sessions SET title = 'named later', ended_at = ${START + 9}, end_reason = 'cli_close'`);
    it.message({ session_id: PARENT, content: "four" });
    it.session({ id: "second-session" });
    it.keep();
    const report = await importFrom(it.dir, store);
    expect(report.sessions).toMatchObject({ found: 2, added: 1, known: 1 });
    expect(report.messages).toMatchObject({ found: 5, added: 1, known: 4 });
    const shown = (await historyOf(store, PARENT)).filter(({ isSuperseded }) => !isSuperseded);
    expect(shown.map(({ text }) => text)).toEqual(["one", "four"]);
    expect(await cardOf(store, "named later")).toMatchObject({ id: PARENT, endReason: "cli_close" });
    expect((await importFrom(it.dir, store)).messages).toMatchObject({ added: 0, known: 5 });
    it.close();
  });

  it("[IM-2] tells a repeated message from a copy also when it comes with a later run", async () => {
    const it = hermesHome();
    homes.push(it);
    it.session({ id: PARENT, ended_at: START, end_reason: "compression" });
    it.session({ id: CHILD, parent_session_id: PARENT, started_at: START });
    it.message({ session_id: PARENT, content: "yes" });
    for (const content of [SUMMARY, "yes", "and now?"]) it.message({ session_id: CHILD, content });
    it.keep();
    const store = newStore();
    await importFrom(it.dir, store);
    it.message({ session_id: CHILD, content: "yes" });
    it.keep();
    await importFrom(it.dir, store);
    const carried = (await historyOf(store, CHILD)).map(({ isCarried }) => isCarried);
    expect(carried).toEqual([false, true, true, false, false]);
    it.close();
  });

  it("[IM-2] leaves alone what was renamed, continued or deleted here", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT, title: "theirs", ended_at: START, end_reason: "cli_close" });
      it.session({ id: "deleted-here" });
      it.message({ session_id: PARENT, content: "hi" });
      it.message({ session_id: "deleted-here", content: "secret" });
    });
    const store = newStore();
    await importFrom(dir, store);
    await store.setTitle({ conversation: PARENT as never, title: "ours" });
    await store.remove({ conversation: "deleted-here" as never, by: "owner", nowMs: 1 });
    const report = await importFrom(dir, store);
    expect((await cardOf(store, PARENT)).title).toBe("ours");
    expect(report.messages).toEqual({ found: 2, added: 0, known: 1, left: 1 });
    expect(report.odd).toMatchObject([{ kind: "deleted-here", examples: [{ subject: "deleted-here" }] }]);
  });

  it("[IM-4] reads an early schema without the later columns", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT });
      it.message({ session_id: PARENT, content: "old" });
    }, 6);
    const store = newStore();
    expect(await importFrom(dir, store)).toMatchObject({ schema: 6, messages: { added: 1 } });
    expect((await cardOf(store, PARENT)).sessions[0]).toMatchObject({ costMicros: null, isCostUnknown: true });
  });

  it("[IM-3] reads what it knows of a newer schema and says that it is newer", async () => {
    const { dir } = home((it) => {
      it.sql("ALTER TABLE messages ADD COLUMN mood TEXT");
      it.session({ id: PARENT });
      it.message({ session_id: PARENT, content: "new", mood: "fine" });
    }, 23);
    expect(await importFrom(dir, newStore())).toMatchObject({
      schema: 23,
      isNewerSchema: true,
      messages: { added: 1 },
    });
  });

  it("[IM-4] imports a chain of 1,000 compactions as one conversation", async () => {
    const name = (index: number): string => `chain-${String(index).padStart(4, "0")}`;
    const { dir } = home((it) => {
      // Children before parents, so that the order of rows is no help.
      for (let index = 999; index >= 0; index--) {
        const parent = index === 0 ? null : name(index - 1);
        it.session({
          id: name(index),
          parent_session_id: parent,
          started_at: START + index,
          ended_at: START + index + 1,
          end_reason: "compression",
        });
        it.message({ session_id: name(index), content: `message ${index}` });
      }
    });
    const store = newStore();
    expect(await importFrom(dir, store)).toMatchObject({
      sessions: { added: 1000 },
      messages: { added: 1000 },
      odd: [],
    });
    const card = await cardOf(store, name(500));
    expect(card).toMatchObject({ id: name(0), tip: name(999), seq: 1000 });
    expect((await historyOf(store, name(0))).map(({ text }) => text)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `message ${index}`),
    );
  });

  it("[IM-3] counts in a dry run as the real one does, and writes nothing", async () => {
    const { dir } = home((it) => {
      it.session({ id: PARENT, ended_at: START, end_reason: "compression" });
      it.session({ id: CHILD, parent_session_id: PARENT, started_at: START });
      it.message({ session_id: PARENT, content: "a" });
      it.message({ session_id: CHILD, content: "b" });
      it.routes({ "agent:main:telegram:dm:1": routeEntry("agent:main:telegram:dm:1", CHILD) });
    });
    const store = newStore();
    const dry = await importFrom(dir, store, { isDryRun: true });
    expect(await store.stats({})).toMatchObject({ conversations: 0, messages: 0, routes: 0 });
    const real = await importFrom(dir, store);
    expect({ ...dry, isDryRun: false }).toEqual(real);
    expect(await importFrom(dir, store, { isDryRun: true })).toMatchObject({
      sessions: { added: 0, known: 2 },
      messages: { added: 0, known: 2 },
      routes: { added: 0, known: 1 },
    });
  });
});

describe("orphans after an import", () => {
  const DAY = 86_400;
  const NOW = START + 30 * DAY;
  const endOf = async (
    child: Readonly<Record<string, string | number | null>>,
    options: { parentEnd?: string; messages?: number; isRouted?: boolean } = {},
  ) => {
    const { parentEnd = "compression", messages = 1, isRouted = false } = options;
    const { dir } = home((it) => {
      it.session({ id: PARENT, started_at: START, ended_at: START + 1, end_reason: parentEnd });
      it.session({ id: CHILD, parent_session_id: PARENT, started_at: START + 2, api_call_count: 4, ...child });
      for (let index = 0; index < messages; index++) it.message({ session_id: CHILD, content: "hi" });
      if (isRouted) it.routes({ "agent:main:telegram:dm:1": routeEntry("agent:main:telegram:dm:1", CHILD) });
    });
    const store = newStore();
    const report = await importFrom(dir, store, { clock: at(NOW * 1000) });
    const found = await store.resolve({ text: CHILD });
    const card = found.kind === "found" ? await store.show({ conversation: found.conversation }) : null;
    return { finished: report.orphansFinished, reason: card?.endReason ?? null, title: card?.title ?? null };
  };

  it("[LS-13] marks an abandoned continuation as ended and counts it", async () => {
    expect(await endOf({})).toEqual({ finished: 1, reason: "orphaned_compression", title: null });
  });
  it("[LS-14] leaves a session without a parent alone", async () => {
    expect(await endOf({ parent_session_id: null })).toMatchObject({ finished: 0, reason: null });
  });
  it("[LS-15] leaves a continuation younger than 7 days alone", async () => {
    expect(await endOf({ started_at: NOW - 6 * DAY })).toMatchObject({ finished: 0, reason: null });
  });
  it("[LS-16] leaves one that has ended alone", async () => {
    expect(await endOf({ ended_at: START + 9, end_reason: "cli_close" })).toMatchObject({
      finished: 0,
      reason: "cli_close",
    });
  });
  it("[LS-17] leaves one whose parent ended otherwise alone", async () => {
    expect(await endOf({}, { parentEnd: "branched" })).toMatchObject({ finished: 0, reason: null });
  });
  it("[LS-18] leaves one without messages alone", async () => {
    expect(await endOf({}, { messages: 0 })).toMatchObject({ finished: 0, reason: null });
  });
  it("[LS-19] is not held off by a title", async () => {
    expect(await endOf({ title: "named" })).toEqual({ finished: 1, reason: "orphaned_compression", title: "named" });
  });
  it("[LS-20] never touches what a route leads to", async () => {
    expect(await endOf({}, { isRouted: true })).toMatchObject({ finished: 0, reason: null });
  });
});
