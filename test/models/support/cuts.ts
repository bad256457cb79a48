/**
 * A recorded answer, cut at every byte and cut into chunks of every size: the suite that every provider passes.
 * Every byte is tried without a line (the bytes are handed to the provider's package by a `fetch` that ends or breaks
 * there; by default every sixth and those around the end), some bytes are tried over HTTP; `TALARIA_CUTS=all` tries all
 * of them over HTTP too.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompleteStep, Dialect, Model, StepOutcome } from "../../../src/model/model.js";
import { encode } from "../../support/model-server/encode.js";
import type { CutKind, Fault, Reply } from "../../support/model-server/reply.js";
import { lastUserText, type SeenRequest } from "../../support/model-server/seen.js";
import { type ModelServer, startModelServer } from "../../support/model-server/server.js";
import { sample } from "../../support/sample.js";
import { ask, DIALECTS, modelAt, type NetworkedProvider, whole } from "./step.js";

/** Everything an answer can have, in few bytes: characters of several bytes, and calls in one and in two fragments. */
const ANSWER: Reply = {
  reasoning: "hm",
  text: "Prüfe 🌧 b.",
  calls: [
    { id: "call_a", name: "look", arguments: { place: "Köln" } },
    { id: "call_b", name: "look", arguments: {} },
  ],
  usage: { inputTokens: 100, outputTokens: 20 },
  pieceChars: 9,
};

const ALL = process.env["TALARIA_CUTS"] === "all";
const LINE_STRIDE = ALL ? 1 : 23;
const CUTS_TIMEOUT_MS = ALL ? 600_000 : 120_000;
const SEEDS = 40;
/** By default every so many bytes are tried, other ones by each test. */
const SHARE = 6;

/** The last line of an answer, without which it is none. */
const END_MARKS: Record<Dialect, string> = {
  "openai-chat": '"finish_reason":"tool_calls"',
  "openai-responses": 'data: {"type":"response.completed"',
  anthropic: 'data: {"type":"message_stop"',
  google: '"finishReason":"STOP"',
};

export function describeCuts(provider: NetworkedProvider): void {
  describe(`an answer of ${provider}`, { timeout: CUTS_TIMEOUT_MS }, () => {
    let server: ModelServer;
    let recording: Recording;
    beforeAll(async () => {
      server = await startModelServer({ script });
      recording = await record(server, provider);
    });
    afterAll(() => server.close());

    it("[MD-1] [MD-2] [MD-3] that ends at any byte is never whole, has no calls and keeps a beginning of its text", async () => {
      const { bytes, endByte, full } = recording;
      const model = await modelAt(server, provider, { fetch: cutFetch(bytes, "eof") });
      const outcomes = await cutAt(bytesOf(recording, 0), (atByte) => ask(model, String(atByte)));
      expect(wrongs(outcomes, recording)).toEqual([]);
      expect(outcomes.get(endByte - 1)).toMatchObject({ kind: "failed", partial: full.text });
      expect(outcomes.get(bytes.length)).toMatchObject({
        kind: "complete",
        usage: { inputTokens: 100, outputTokens: 20 },
      });
    });

    it("[MD-1] [MD-2] [MD-3] nor is one whose line breaks at any byte", async () => {
      const { bytes, endByte, full } = recording;
      const model = await modelAt(server, provider, { fetch: cutFetch(bytes, "reset") });
      const outcomes = await cutAt(bytesOf(recording, 1), (atByte) => ask(model, String(atByte)));
      expect(wrongs(outcomes, recording)).toEqual([]);
      // Nothing that came before the break is lost by it, not even the end.
      expect(outcomes.get(endByte - 1)).toMatchObject({ kind: "failed", partial: full.text });
      expect(outcomes.get(bytes.length)?.kind).toBe("complete");
    });

    it.each<CutKind>(["eof", "reset", "close"])("[MD-2] is cut the same over HTTP, by %s", async (how) => {
      const { bytes, model } = recording;
      const places = Array.from({ length: Math.ceil(bytes.length / LINE_STRIDE) }, (_, at) => at * LINE_STRIDE);
      const outcomes = await cutAt(places, (atByte) => faulty(model, { kind: "cut", atByte, how }));
      expect(wrongs(outcomes, recording)).toEqual([]);
    });

    it("[MD-1] is the same however its bytes are cut into chunks", async () => {
      const { full, model } = recording;
      const faults: Fault[] = [
        ...[1, 2, 3, 7].map((bytes) => ({ kind: "chunked", bytes }) as const),
        ...Array.from({ length: SEEDS }, (_, seed) => ({ kind: "chunked", seed }) as const),
      ];
      const outcomes = await atEach(faults.length, (at) => faulty(model, faults[at] as Fault));
      const others = outcomes.flatMap((outcome, at) => (isSame(outcome, full) ? [] : [{ fault: faults[at], outcome }]));
      expect(others).toEqual([]);
    });
  });
}

interface Recording {
  readonly model: Model;
  readonly bytes: Buffer;
  /** Where the answer's own end is on the line. */
  readonly endByte: number;
  readonly full: CompleteStep;
}

/** What the person says decides what goes wrong: requests may run side by side. */
function script(seen: SeenRequest): Reply {
  const words = lastUserText(seen.items);
  return words === "hello" ? ANSWER : { ...ANSWER, fault: JSON.parse(words) as Fault };
}

/** Another request's answer has other ids in it, of the same length. */
async function record(server: ModelServer, provider: NetworkedProvider): Promise<Recording> {
  const model = await modelAt(server, provider);
  const full = whole(await ask(model, "hello"));
  const bytes = Buffer.concat(encode(ANSWER, server.exchanges[0]?.seen as SeenRequest));
  const mark = bytes.lastIndexOf(END_MARKS[DIALECTS[provider]]);
  if (mark < 0) throw new Error("the answer has no end");
  return { model, bytes, full, endByte: bytes.indexOf("\n", mark) };
}

/** Answers with the first bytes, as many as the person says, and then ends, or breaks as Node's client does. */
function cutFetch(bytes: Buffer, how: "eof" | "reset"): typeof fetch {
  return async (_input, init) => {
    const atByte = Number(/"text":\s*"(\d+)"|"content":\s*"(\d+)"/.exec(String(init?.body))?.slice(1).join(""));
    let isSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!isSent && atByte > 0) controller.enqueue(bytes.subarray(0, atByte));
        else if (how === "eof") controller.close();
        else controller.error(new TypeError("terminated", { cause: closedSocket() }));
        isSent = true;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function closedSocket(): Error {
  return Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
}

function faulty(model: Model, fault: Fault): Promise<StepOutcome> {
  return ask(model, JSON.stringify(fault));
}

const SHOWN_MAX = 5;

function wrongs(outcomes: ReadonlyMap<number, StepOutcome>, recording: Recording): string[] {
  return [...outcomes].flatMap(([atByte, outcome]) => judge(outcome, atByte, recording)).slice(0, SHOWN_MAX);
}

/** The whole of it included; `from` as of a sample. */
function bytesOf({ bytes, endByte }: Recording, from: number): readonly number[] {
  const all = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  const end = [endByte - 1, endByte, endByte + 1, bytes.length];
  return [...new Set([...sample(all, from, SHARE), ...end])].filter((at) => at <= bytes.length);
}

async function cutAt(
  places: readonly number[],
  run: (atByte: number) => Promise<StepOutcome>,
): Promise<ReadonlyMap<number, StepOutcome>> {
  const outcomes = await atEach(places.length, (at) => run(places[at] ?? 0));
  return new Map(places.map((atByte, at) => [atByte, outcomes[at] as StepOutcome]));
}

function judge(outcome: StepOutcome, atByte: number, { endByte, full }: Recording): string[] {
  const told = `cut at ${atByte}, end at ${endByte}: ${JSON.stringify(outcome)}`;
  if (outcome.kind === "complete") return atByte >= endByte && isSame(outcome, full) ? [] : [`whole, ${told}`];
  if (outcome.kind === "aborted") return [`aborted, ${told}`];
  if (outcome.failure.cause !== "cut") return [`not cut, ${told}`];
  if ("calls" in outcome) return [`calls, ${told}`];
  return full.text.startsWith(outcome.partial) ? [] : [`not a beginning, ${told}`];
}

function isSame(outcome: StepOutcome, full: CompleteStep): boolean {
  return outcome.kind === "complete" && JSON.stringify(plain(outcome)) === JSON.stringify(plain(full));
}

/**
 * Without what differs from request to request (ids that a package or the server makes up) and without the bill,
 * which comes after the end on some wires.
 */
function plain({ calls, usage: _, opaque, ...step }: CompleteStep): object {
  const parts = JSON.stringify(opaque).replace(/rs_[0-9a-f]{8}/g, "rs");
  const known = calls.map(({ id, ...call }) => (id.startsWith("call_") ? { id, ...call } : call));
  return { ...step, parts, calls: known };
}

const ABREAST = 16;

/** The results of 0 … count-1, some of them at once. */
async function atEach<T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = new Array<T>(count);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) results[at] = await run(at);
  };
  await Promise.all(Array.from({ length: ABREAST }, lane));
  return results;
}
