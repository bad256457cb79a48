/**
 * What a turn costs beyond the model: the real runtime against a model that answers at once, over loopback, beside a
 * raw loop that sends the same bytes. Each of our turns is followed by its raw twin, and what is told is the median of
 * the differences, so that a busy machine slows both.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ConversationId } from "#base/ids.js";
import { openRaw } from "./raw.js";
import { ms, quantile, type Row } from "./report.js";
import { type RawTools, type RawTurn, rawTurn } from "./turn-raw.js";
import { openScene, type StoreKind, type TimedTurn, type TurnScene } from "./turn-scene.js";
import { type CannedServer, fileName, startCanned, turnReplies } from "./turn-server.js";
import { commitsInLog } from "./wal.js";

const section = "turn";
const KINDS: readonly StoreKind[] = ["worker", "inline"];
const STORE_NAMES: Readonly<Record<StoreKind, string>> = { worker: "host", inline: "chat" };
/** Turns of one conversation in the plain rows: enough to be usual, too few to grow. */
const TURNS_EACH = 10;
const LONG_TURNS = 50;

type Emit = (row: Row) => void;

export async function benchTurn(folder: string, isQuick: boolean, emit: Emit): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const rounds = isQuick ? 30 : 120;
  for (const calls of [0, 1, 5]) {
    const server = await startCanned(folder, turnReplies(calls));
    const place = join(folder, `turn-${calls}`);
    for (const kind of KINDS) {
      const pairs = await measurePairs(join(place, kind), { kind, server, calls, rounds });
      emitOverhead(emit, { calls, kind, pairs });
      if (calls === 0) emitFirstText(emit, kind, pairs);
      if (calls !== 1) await emitSyncs(join(place, `${kind}-syncs`), { kind, server, calls }, emit);
    }
    if (calls === 1) await benchLongChat(join(place, "long"), server, isQuick, emit);
    await server.stop();
  }
}

interface Subject {
  readonly kind: StoreKind;
  readonly server: CannedServer;
  readonly calls: number;
}

interface Pair {
  readonly ours: TimedTurn;
  readonly raw: RawTurn;
}

async function measurePairs(root: string, subject: Subject & { readonly rounds: number }): Promise<readonly Pair[]> {
  const scene = await openScene(root, subject.kind, subject.server);
  const twin = openTwin(root, subject.calls);
  const pairs: Pair[] = [];
  const warmUps = 2 * TURNS_EACH;
  let conversation: ConversationId | undefined;
  for (let round = 0; round < subject.rounds + warmUps; round++) {
    if (round % TURNS_EACH === 0) conversation = undefined;
    const pair = await runPair(scene, twin, conversation);
    conversation = pair.ours.conversation;
    // The first turn of a conversation is the long chat's business.
    if (round >= warmUps && round % TURNS_EACH > 0) pairs.push(pair);
  }
  await scene.close();
  return pairs;
}

async function runPair(scene: TurnScene, twin: RawTools, conversation: ConversationId | undefined): Promise<Pair> {
  const ours = await scene.turn(conversation);
  return { ours, raw: await rawTurn(ours.sent, twin) };
}

function openTwin(root: string, calls: number): RawTools {
  mkdirSync(root, { recursive: true });
  const raw = openRaw(join(root, "raw.db"));
  raw.db.run("INSERT INTO conversation(no, id, seq, active_ms) VALUES (1, 'one', 0, 0)");
  const files = Array.from({ length: calls }, (_, at) => join(root, "work", fileName(at)));
  return { raw, conversation: 1, files };
}

function overheadOf({ ours, raw }: Pair): number {
  return ours.totalMs - raw.requestMs;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

const OVERHEAD_MAX_MS: Readonly<Record<number, number>> = { 0: 10, 1: 16, 5: 20 };
const CALLS_TEXT: Readonly<Record<number, string>> = { 0: "no tool", 1: "one call", 5: "five calls at once" };

function emitOverhead(emit: Emit, row: { calls: number; kind: StoreKind; pairs: readonly Pair[] }): void {
  const { calls, kind, pairs } = row;
  const overhead = median(pairs.map(overheadOf));
  const least = Math.min(...pairs.map(({ ours }) => ours.totalMs)) - Math.min(...pairs.map(({ raw }) => raw.requestMs));
  const max = OVERHEAD_MAX_MS[calls] ?? Number.NaN;
  emit({
    section,
    work: `overhead, ${CALLS_TEXT[calls]} (${STORE_NAMES[kind]})`,
    ours: `${ms(overhead)}, least ${ms(least)}`,
    raw: `${ms(median(pairs.map(({ raw }) => raw.totalMs - raw.requestMs)))} + ${ms(median(pairs.map(({ raw }) => raw.requestMs)))}`,
    target: `≤ ${max} ms`,
    holds: overhead <= max,
  });
}

function emitFirstText(emit: Emit, kind: StoreKind, pairs: readonly Pair[]): void {
  const later = median(pairs.map(({ ours, raw }) => ours.firstTextMs - raw.firstTextMs));
  emit({
    section,
    work: `first token after the raw stream's (${STORE_NAMES[kind]})`,
    ours: ms(later),
    raw: ms(median(pairs.map(({ raw }) => raw.firstTextMs))),
    target: "≤ 5 ms",
    holds: later <= 5,
  });
}

async function emitSyncs(root: string, { kind, server, calls }: Subject, emit: Emit): Promise<void> {
  const scene = await openScene(root, kind, server);
  const { conversation } = await scene.turn();
  await scene.turn(conversation);
  const before = commitsInLog(scene.statePath);
  await scene.turn(conversation);
  const syncs = commitsInLog(scene.statePath) - before;
  const max = calls === 0 ? 4 : 9;
  emit({
    section,
    work: `disk syncs, ${CALLS_TEXT[calls]} (${STORE_NAMES[kind]})`,
    ours: String(syncs),
    raw: calls === 0 ? "1" : "2",
    target: `≤ ${max}`,
    holds: syncs <= max,
  });
  await scene.close();
}

/** Chats of fifty turns with a call each: what the last ones cost against the first ones. */
async function benchLongChat(root: string, server: CannedServer, isQuick: boolean, emit: Emit): Promise<void> {
  const chats = isQuick ? 4 : 12;
  for (const kind of KINDS) {
    const place = join(root, kind);
    const scene = await openScene(place, kind, server);
    const twin = openTwin(place, 1);
    const at: Pair[][] = Array.from({ length: LONG_TURNS + 1 }, () => []);
    for (let chat = 0; chat <= chats; chat++) {
      let conversation: ConversationId | undefined;
      for (let turn = 1; turn <= LONG_TURNS; turn++) {
        const pair = await runPair(scene, twin, conversation);
        conversation = pair.ours.conversation;
        // The first chat warms the process up.
        if (chat > 0) at[turn]?.push(pair);
      }
    }
    const cost = (from: number, to: number): number =>
      median(
        at
          .slice(from, to + 1)
          .flat()
          .map(overheadOf),
      );
    const [first, second, last] = [cost(1, 1), cost(2, 4), cost(LONG_TURNS - 2, LONG_TURNS)];
    emit({
      section,
      work: `overhead at turn ${LONG_TURNS} (${STORE_NAMES[kind]})`,
      ours: ms(last),
      target: `≤ 1.3 × turn 1 (${(last / first).toFixed(2)} ×; ${(last / second).toFixed(2)} × turns 2 to 4)`,
      holds: last <= 1.3 * first,
    });
    await scene.close();
  }
}
