/**
 * A gateway with a thousand chats, over the console platform, which has no pace of its own: how long a message takes
 * until it is on stable storage and acknowledged, whether all are answered, and what is held in memory afterwards. The
 * model answers at once, from a process of its own.
 */
import { mkdirSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { benchTurns, HTTP_SECRET, openAnswers } from "./gateway-http.js";
import { type BenchGateway, openPeople, type People, pause, startGateway } from "./gateway-process.js";
import { ms, quantile, type Row } from "./report.js";
import { ANSWER, type CannedServer, modelEnvironment, startCanned } from "./turn-server.js";

const section = "gateway";
const CHATS = 1_000;
const PER_SECOND = 100;
const ACK_P99_MAX_MS = 50;
const AT_ONCE_ACK_MAX_MS = 1_000;
const AT_ONCE_ANSWER_MAX_MS = 20_000;
const MEMORY_MAX_BYTES = 150e6;
/** Until what the load left behind is swept up: by the host when it rests, and by V8, which gives pages back later. */
const SETTLE_MS = 25_000;
const ANSWERED_MAX_MS = 120_000;
const LOOK_MS = 10;

const HTTP_PORT = 18_642;

type Emit = (row: Row) => void;

export async function benchGateway(folder: string, isQuick: boolean, emit: Emit): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const model = await startCanned(folder, [{ text: ANSWER }]);
  const answers = await openAnswers();
  const webhook = { secret: HTTP_SECRET, out_url: answers.url, allow: ["*"] };
  const more = { platforms: { webhook }, host: { port: HTTP_PORT } };
  const gateway = await startGateway(folder, environment(folder, model), more);
  await benchTurns({ port: HTTP_PORT, answers }, emit);
  const people = await openPeople(gateway.socketPath);
  // Every chat's first message makes its conversation; that is a day's work, not this measurement's.
  await atOnce(people, "first");
  await benchSteady(people, isQuick ? 10 : 60, emit);
  await benchAtOnce(people, emit);
  await pause(SETTLE_MS);
  emitMemory(gateway, emit);
  people.close();
  await answers.close();
  await gateway.end();
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
}

function environment(folder: string, model: CannedServer): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: folder,
    TALARIA_BACKUP_SCHEDULE: "off",
    TALARIA_HOST_CRASHES_MAX: "0",
    TALARIA_TITLES_AUTO: "false",
    ...modelEnvironment(model),
  };
}

async function benchSteady(people: People, seconds: number, emit: Emit): Promise<void> {
  const before = people.answered();
  const count = seconds * PER_SECOND;
  const fromMs = performance.now();
  const acks: Promise<number>[] = [];
  for (let at = 0; at < count; at++) {
    const dueMs = fromMs + (at * 1_000) / PER_SECOND;
    if (dueMs > performance.now()) await pause(dueMs - performance.now());
    acks.push(people.say(at % CHATS, `steady-${at}`));
  }
  const times = await Promise.all(acks);
  const lastMs = await untilAnswered(people, before + count);
  const expected = (chat: number): number => 2 + Math.floor((count - 1 - chat) / CHATS);
  const isWhole = Array.from({ length: CHATS }, (_, chat) => people.answers(chat)).every(
    (answers, chat) => answers === expected(chat),
  );
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  emit({
    section,
    work: `${CHATS.toLocaleString("en")} chats, ${PER_SECOND}/s for ${seconds} s, ack p50 / p99`,
    ours: `${ms(p50)} / ${ms(p99)}`,
    target: `p99 ≤ ${ACK_P99_MAX_MS} ms (load ${loadavg()[0]?.toFixed(1)})`,
    holds: p99 <= ACK_P99_MAX_MS,
  });
  emit({
    section,
    work: "the same: one answer each, the last one after",
    ours: `${isWhole ? "all" : "NOT ALL"}, ${ms(lastMs)}`,
    target: "all",
    holds: isWhole,
  });
}

async function benchAtOnce(people: People, emit: Emit): Promise<void> {
  const { ackedMs, answeredMs } = await atOnce(people, "instant");
  emit({
    section,
    work: `${CHATS.toLocaleString("en")} chats at the same instant: acknowledged`,
    ours: ms(ackedMs),
    target: `≤ ${AT_ONCE_ACK_MAX_MS} ms`,
    holds: ackedMs <= AT_ONCE_ACK_MAX_MS,
  });
  emit({
    section,
    work: `${CHATS.toLocaleString("en")} chats at the same instant: answered`,
    ours: ms(answeredMs),
    target: `≤ ${AT_ONCE_ANSWER_MAX_MS / 1_000} s`,
    holds: answeredMs <= AT_ONCE_ANSWER_MAX_MS,
  });
}

async function atOnce(
  people: People,
  name: string,
): Promise<{ readonly ackedMs: number; readonly answeredMs: number }> {
  const before = people.answered();
  const fromMs = performance.now();
  await Promise.all(Array.from({ length: CHATS }, (_, chat) => people.say(chat, `${name}-${chat}`)));
  const ackedMs = performance.now() - fromMs;
  await untilAnswered(people, before + CHATS);
  return { ackedMs, answeredMs: performance.now() - fromMs };
}

/** Answers how long that took from here. */
async function untilAnswered(people: People, count: number): Promise<number> {
  const fromMs = performance.now();
  while (people.answered() < count) {
    if (performance.now() - fromMs > ANSWERED_MAX_MS) break;
    await pause(LOOK_MS);
  }
  return performance.now() - fromMs;
}

function emitMemory(gateway: BenchGateway, emit: Emit): void {
  const bytes = gateway.memoryBytes();
  emit({
    section,
    work: "memory after load",
    ours: `${(bytes / 1e6).toFixed(0)} MB`,
    target: `≤ ${MEMORY_MAX_BYTES / 1e6} MB`,
    holds: bytes <= MEMORY_MAX_BYTES,
  });
}
