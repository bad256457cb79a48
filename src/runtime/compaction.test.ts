import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import type { ModelRequest } from "#model/model.js";
import { Death, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { RuntimeScene, type SceneOptions } from "../../test/support/runtime-scene.js";
import { type Script, scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

const WINDOW = 8_000;
const LONG = "lorem ipsum dolor sit amet ".repeat(60);

const isSummaryRequest = ({ system }: ModelRequest): boolean =>
  system[0]?.text.includes("memory of a conversation") === true;
const inPrompt = (request: ModelRequest, words: string): boolean => JSON.stringify(request.messages).includes(words);

/** Answers at length, and summarises in a few words that hold what it was told to remember. */
const script: Script = (request) => {
  if (!isSummaryRequest(request)) return { text: `Answer: ${LONG}` };
  return {
    text: inPrompt(request, "the secret word is heron") ? "## Exact names\nthe secret word is heron" : "## Done\nmuch",
  };
};

function open(
  more: Partial<SceneOptions> & { script?: Script; windowTokens?: number } = {},
): ReturnType<typeof scriptedModel> {
  const model = scriptedModel(more.script ?? script, { windowTokens: more.windowTokens ?? WINDOW });
  scene = new RuntimeScene({ models: [model], ...more });
  return model;
}

async function talkUntilCompacted(times: number): Promise<{ conversation: ConversationId; sessions: Set<string> }> {
  const first = await scene.turn(`Remember: the secret word is heron. ${LONG}`);
  const sessions = new Set<string>([first.session]);
  for (let turn = 0; sessions.size <= times && turn < times * 12; turn++) {
    const report = await scene.turn(`Question ${turn}: ${LONG}`, first.conversation);
    expect(report.outcome).toBe("completed");
    sessions.add(report.session);
  }
  return { conversation: first.conversation, sessions };
}

describe("a conversation that outgrows its window", () => {
  it("[CR-9] [CT-6] stays one conversation over 20 compactions, and every id ever shown resumes it", async () => {
    const model = open();
    const { conversation, sessions } = await talkUntilCompacted(20);
    expect(sessions.size).toBe(21);
    const card = await scene.store.show({ conversation });
    const tip = card?.tip;
    for (const id of [conversation, ...sessions]) {
      expect(await scene.store.resolve({ text: id })).toMatchObject({ kind: "found", conversation, tip });
    }
    expect(await scene.store.list({ limit: 10 })).toHaveLength(1);
    // Each range was summarised once: every child has one parent, every parent one child.
    const parents = card?.sessions.map(({ parent }) => parent).filter((parent) => parent !== null);
    expect(new Set(parents).size).toBe(parents?.length);
    // What mattered at the beginning is still in the request.
    await scene.turn("And the word?", conversation);
    expect(inPrompt(model.requests.at(-1) as ModelRequest, "heron")).toBe(true);
  });

  it("[CR-5] asks the model with what is left of it, in the very turn that compacted", async () => {
    const model = open();
    await talkUntilCompacted(1);
    const at = model.requests.findIndex(isSummaryRequest);
    const next = model.requests[at + 1];
    // Sent as it was weighed, it would be longer than the request before it by one exchange.
    expect(JSON.stringify(next?.messages).length).toBeLessThan(JSON.stringify(model.requests[at - 1]?.messages).length);
    expect(JSON.stringify(next?.messages)).toMatch(/Question \d+: lorem/);
  });

  it("[BH-16] is compacted at the auxiliary model's window when that is the smaller one", async () => {
    const main = scriptedModel(script, { windowTokens: 400_000, name: "large" });
    const small = scriptedModel(script, { windowTokens: WINDOW, name: "small" });
    scene = new RuntimeScene({ models: [main], auxiliary: [small] });
    await talkUntilCompacted(1);
    const compacting = scene.glimpses.find((glimpse) => glimpse.type === "compacting");
    expect(compacting).toMatchObject({
      tokens: expect.toSatisfy((tokens: number) => tokens >= WINDOW && tokens < 2 * WINDOW),
    });
    expect(small.requests.every(isSummaryRequest)).toBe(true);
  });

  it("[CR-2] does not compact again right after a restart", async () => {
    open();
    const { conversation } = await talkUntilCompacted(1);
    const { tip } = (await scene.store.show({ conversation })) ?? {};
    const model = scriptedModel(script, { windowTokens: WINDOW });
    scene.restart({ models: [model] });
    const report = await scene.turn("short", conversation);
    expect(report.session).toBe(tip);
    expect(model.requests.filter(isSummaryRequest)).toEqual([]);
  });

  it("[CR-3] changes no id in a turn that needs no compaction", async () => {
    open({ windowTokens: 200_000 });
    const first = await scene.turn("hi");
    expect((await scene.turn("hi again", first.conversation)).session).toBe(first.session);
  });

  it("[CR-4] [LS-3] answers the tip's id to tools and to the report, in the turn that compacted", async () => {
    const seen: string[] = [];
    const model = scriptedModel(
      (request) =>
        isSummaryRequest(request)
          ? { text: "## Done\nmuch" }
          : request.messages.at(-1)?.role === "tool"
            ? { text: LONG }
            : { text: LONG, calls: [{ name: "look" }] },
      { windowTokens: WINDOW },
    );
    scene = new RuntimeScene({ models: [model] });
    const act = ({ session, env }: { session: string; env: Readonly<Record<string, string>> }) => {
      expect(env["TALARIA_SESSION_ID"]).toBe(session);
      seen.push(session);
      return { kind: "ok" as const, text: LONG };
    };
    scene.restart({ tools: [scene.tool("look", "read-only", { act })] });
    const first = await scene.turn(LONG);
    let report = first;
    for (let turn = 0; report.session === first.session && turn < 20; turn++)
      report = await scene.turn(LONG, first.conversation);
    const { tip } = (await scene.store.show({ conversation: first.conversation })) ?? {};
    expect(report.session).toBe(tip);
    expect(report.session).not.toBe(first.session);
    const compacted = scene.glimpses.find((glimpse) => glimpse.type === "compacted");
    expect(compacted).toMatchObject({ session: tip });
    expect(seen.at(-1)).toBe(tip);
  });

  it("[CR-8] [CR-1] is whole or untouched when the process dies at any write of the compacting turn", async () => {
    let at = 0;
    for (let isDone = false; !isDone; at++) {
      for (const when of ["before", "after"] as const) {
        open();
        const { conversation } = await talkUntilCompacted(0);
        // The next turn compacts: find it by trying, on this very history.
        const count: WriteCount = { writes: 0, verbs: [] };
        let died = false;
        let compactions = 0;
        for (let turn = 0; !died && turn < 12 && compactions === 0; turn++) {
          const before = count.writes;
          scene.restart({
            wrap: (store) => dyingStore(store, at === 0 ? undefined : { at: before + at, when }, count),
          });
          const attempt = scene.turn(`Question ${turn}: ${LONG}`, conversation);
          died = await attempt.then(
            () => false,
            (error: unknown) => error instanceof Death || Promise.reject(error),
          );
          compactions = scene.glimpses.filter(({ type }) => type === "compacted").length;
        }
        scene.restart({ wrap: (store) => store });
        await scene.run(conversation);
        const card = await scene.store.show({ conversation });
        const open_ = card?.sessions.filter(({ supersededMs }) => supersededMs === null);
        expect(open_?.map(({ id }) => id)).toEqual([card?.tip]);
        expect(await scene.turn("and on", conversation)).toMatchObject({ outcome: "completed" });
        scene.remove();
        isDone = !died && at > 0;
      }
      if (at > 14) break;
    }
    expect(at).toBeGreaterThan(3);
  });

  it("[CR-5] leaves everything as it is when no summary can be made and there is still room", async () => {
    const failing: Script = (request) => (isSummaryRequest(request) ? { failure: "overloaded" } : { text: "short" });
    open({
      script: failing,
      windowTokens: 100_000,
      settings: {
        compression: { isEnabled: true, threshold: 0.05, targetRatio: 0.1, protectFirst: 3, protectLast: 20 },
      },
    });
    const first = await scene.turn("x".repeat(300_000));
    const report = await scene.turn("y", first.conversation);
    expect(report).toMatchObject({ outcome: "completed", session: first.session });
  });

  it("makes room when the provider refuses the request as too large, and says so when it cannot [LS-10]", async () => {
    let refused = 0;
    const once: Script = (request) => {
      if (isSummaryRequest(request)) return { text: "## Done\nmuch" };
      const isLong = JSON.stringify(request.messages).length > 30_000;
      if (isLong) refused++;
      return isLong ? { failure: "overflow", message: "prompt is too long" } : { text: LONG };
    };
    open({ script: once, windowTokens: 1_000_000 });
    const { conversation } = await scene.turn("begin");
    let report = await scene.turn(LONG, conversation);
    for (let turn = 0; refused === 0 && turn < 40; turn++) report = await scene.turn(LONG, conversation);
    expect(report).toMatchObject({ outcome: "completed" });
    expect(scene.glimpses.some(({ type }) => type === "compacted")).toBe(true);
    scene.remove();
    open({ script: () => ({ failure: "overflow", message: "prompt is too long" }) });
    const hopeless = await scene.turn("hi");
    expect(hopeless.notice).toMatch(/context window.*prompt is too long.*\/compact.*\/reset/);
  });

  it("is compacted as often as a long turn needs it", async () => {
    let steps = 0;
    const busy: Script = (request) => {
      if (isSummaryRequest(request)) return { text: "## Done\nmuch" };
      return ++steps <= 60 ? { calls: [{ name: "look" }] } : { text: "At last." };
    };
    open({ script: busy, settings: { stepsMax: 90 } });
    scene.restart({
      tools: [scene.tool("look", "read-only", { act: () => ({ kind: "ok", text: `${steps} ${LONG.repeat(4)}` }) })],
    });
    expect(await scene.turn("work for long")).toMatchObject({ outcome: "completed", text: "At last." });
    expect(scene.glimpses.filter(({ type }) => type === "compacted").length).toBeGreaterThan(3);
  });

  it("summarises a conversation that was closed, on a person's wish", async () => {
    open({ windowTokens: 200_000 });
    const { conversation } = await scene.turn(LONG);
    for (let turn = 0; turn < 8; turn++) await scene.turn(`Question ${turn} ${LONG}`, conversation);
    const nowMs = scene.clock.nowMs();
    await scene.store.end({ conversation, actor: { platform: "cli" }, reason: "cli_close", nowMs });
    expect(await scene.runtime.compact(conversation, { face: scene.face() })).toMatchObject({ kind: "compacted" });
  });

  it("summarises on a person's wish, below the threshold too", async () => {
    open({ windowTokens: 200_000 });
    const { conversation } = await scene.turn(`the secret word is heron ${LONG}`);
    for (let turn = 0; turn < 8; turn++) await scene.turn(`Question ${turn} ${LONG}`, conversation);
    const report = await scene.runtime.compact(conversation, { face: scene.face() });
    expect(report).toMatchObject({ kind: "compacted", isLocal: false });
    if (report.kind === "compacted") expect(report.tokensAfter).toBeLessThan(report.tokensBefore);
    expect(await scene.runtime.compact(conversation, { face: scene.face() })).not.toMatchObject({ kind: "failed" });
  });
});
