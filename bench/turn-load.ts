/**
 * A long history as a request: loaded and projected once, then followed by what a turn adds. The raw limit is the same
 * rows by a bare statement. What every request costs beyond that (checking it, counting it, writing it for a package)
 * is told beside it.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildRequest } from "#agent/request.js";
import { estimateTokens } from "#agent/tokens.js";
import { systemClock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import { createModel } from "#model/create-model.js";
import type { Model, ModelRequest } from "#model/model.js";
import { toCallOptions } from "#model/prompt/sdk-prompt.js";
import { violations } from "#model/wire-rules.js";
import { createHistoryCache, type HistoryCache } from "#runtime/history-cache.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { createToolset } from "#tool/toolset.js";
import { openTurn } from "./append.js";
import { type Corpus, createCorpus } from "./corpus.js";
import { ms, quantile, type Row, timeSync } from "./report.js";

const section = "load";
const CACHED_MAX_MS = 0.2;
const ROUNDS = 15;

type Emit = (row: Row) => void;

export async function benchRequests(folder: string, emit: Emit): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { store, db } = openInlineStore({ path: join(folder, "requests.db") });
  db.exec("PRAGMA synchronous = OFF");
  const spec = { provider: "openai", name: "gpt-4.1-mini", apiKey: "bench" } as const;
  const model = await createModel(spec, { clock: systemClock });
  for (const count of [100, 1_000, 10_000]) {
    const conversation = await makeHistory(store, count);
    const no = db.get<{ no: number }>("SELECT no FROM conversation WHERE id = ?", conversation)?.no ?? 0;
    const raw = timeSync(ROUNDS, () =>
      db.all("SELECT seq, role, text, body FROM message WHERE conversation = ? ORDER BY seq", no),
    );
    const times = await measure(store, conversation, model);
    emit({
      section,
      work: `${count.toLocaleString("en")} messages as a request, first turn`,
      ours: ms(times.cold),
      raw: ms(raw),
      target: `${(times.cold / raw).toFixed(1)} × raw rows`,
      holds: undefined,
    });
    emit({
      section,
      work: "the same on the next turn (two new)",
      ours: ms(times.next),
      target: `≤ ${CACHED_MAX_MS} ms; checked, counted and written for a package ${ms(times.rest)} more`,
      holds: times.next <= CACHED_MAX_MS,
    });
  }
}

interface LoadTimes {
  readonly cold: number;
  readonly next: number;
  readonly rest: number;
}

async function measure(store: SessionStore, conversation: ConversationId, model: Model): Promise<LoadTimes> {
  const cold: number[] = [];
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    load(await createHistoryCache(store).read(conversation), model);
    cold.push(performance.now() - start);
  }
  const histories = createHistoryCache(store);
  rest(await request(histories, conversation, model), model);
  const next: number[] = [];
  const beyond: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await grow(store, conversation, round);
    const start = performance.now();
    const built = await request(histories, conversation, model);
    const loaded = performance.now();
    rest(built, model);
    next.push(loaded - start);
    beyond.push(performance.now() - loaded);
  }
  return { cold: Math.min(...cold), next: quantile(next, 0.5), rest: quantile(beyond, 0.5) };
}

async function request(histories: HistoryCache, conversation: ConversationId, model: Model): Promise<ModelRequest> {
  return load(await histories.read(conversation), model);
}

const PARTS = { system: [{ text: "You are measured.", isStable: true }], toolset: createToolset([]) };

function load({ messages }: Awaited<ReturnType<HistoryCache["read"]>>, model: Model): ModelRequest {
  return buildRequest(PARTS, model, messages, { isLast: false, isPlain: false });
}

/** What follows the projection before a byte is sent. */
function rest(built: ModelRequest, model: Model): void {
  estimateTokens(built);
  violations(built, model.dialect);
  toCallOptions(built, model);
}

async function makeHistory(store: SessionStore, count: number): Promise<ConversationId> {
  const corpus = createCorpus(count);
  const id = `request${count}`;
  await store.importConversation({
    id: `c${id}`,
    lineage: "root",
    source: "cli",
    createdMs: 0,
    activeMs: 0,
    first: { id, createdMs: 0, openings: [] },
  });
  await store.importMessages({
    session: id,
    messages: Array.from({ length: count }, (_, at) => ({ ...message(corpus, at), atMs: at, sourceNo: at })),
  });
  return `c${id}` as ConversationId;
}

/** A person, a call, its result, an answer, and again. */
function message(corpus: Corpus, at: number) {
  const callId = `call${Math.floor(at / 4)}`;
  switch (at % 4) {
    case 0:
      return { role: "user" as const, text: corpus.user() };
    case 1: {
      const toolCalls = [{ id: callId, name: "read_file", arguments: '{"path":"notes.txt"}' }];
      return { role: "assistant" as const, text: "", body: { toolCalls } };
    }
    case 2:
      return { role: "tool" as const, text: corpus.user(), body: { toolCallId: callId, toolName: "read_file" } };
    default:
      return { role: "assistant" as const, text: corpus.assistant() };
  }
}

/** A turn without tools adds what the person said and what was answered. */
async function grow(store: SessionStore, conversation: ConversationId, round: number): Promise<void> {
  const turn = await openTurn(store, `${conversation}-${round}`, conversation);
  const final = { text: "So it is." };
  await store.settle({ turn: turn.turn, epoch: turn.epoch, outcome: "completed", final, nowMs: Date.now() });
}
