import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { STEP_LIMITS, type StepLimits } from "../../src/model/limits.js";
import type { Model, StepOutcome } from "../../src/model/model.js";
import { ManualClock } from "../support/manual-clock.js";
import { encode } from "../support/model-server/encode.js";
import type { Fault, Reply } from "../support/model-server/reply.js";
import { type Exchange, type ModelServer, startModelServer } from "../support/model-server/server.js";
import { ask, failed, modelAt, type NetworkedProvider, PROVIDERS } from "./support/step.js";

const REPLY: Reply = { text: "once upon a time there was a line", pieceChars: 4 };

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterEach(() => server.forget());
afterAll(() => server.close());

/** A step under way, with what a test waits for. */
interface Running {
  readonly clock: ManualClock;
  readonly outcome: Promise<StepOutcome>;
  readonly shown: () => string;
  /** The server has the request. */
  readonly asked: Promise<Exchange>;
  /** Some text has been shown. */
  readonly begun: Promise<void>;
  readonly stop: AbortController;
}

async function run(provider: NetworkedProvider, reply: Reply, limits: Partial<StepLimits> = {}): Promise<Running> {
  const clock = new ManualClock();
  const stop = new AbortController();
  const model = await modelAt(server, provider, { clock, limits });
  let text = "";
  let hear: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const asked = new Promise<Exchange>((resolve) => {
    server.answerWith(() => {
      resolve(server.exchanges.at(-1) as Exchange);
      return reply;
    });
  });
  const onText = (delta: string): void => {
    text += delta;
    hear();
  };
  return {
    clock,
    stop,
    asked,
    begun,
    shown: () => text,
    outcome: ask(model, "hello", { signal: stop.signal, onText }),
  };
}

/** Far enough into the stream that text has come, and not its end. */
async function middleOf(provider: NetworkedProvider): Promise<number> {
  server.answerWith(REPLY);
  await ask(await modelAt(server, provider));
  const seen = server.exchanges.at(-1)?.seen;
  if (seen === undefined) throw new Error("nothing was asked");
  const bytes = Buffer.concat(encode(REPLY, seen));
  // The last piece of text; what ends the answer comes after it.
  return bytes.lastIndexOf("line");
}

async function stalled(provider: NetworkedProvider): Promise<Running> {
  const at = await middleOf(provider);
  server.forget();
  return run(provider, { ...REPLY, fault: { kind: "stall", at } });
}

describe.each(PROVIDERS)("a line to %s", (provider) => {
  it("[MD-6] is given up when no headers come, and not a moment before", async () => {
    const { clock, asked, outcome } = await run(provider, { fault: { kind: "stall", at: "headers" } });
    const exchange = await asked;
    clock.advance(STEP_LIMITS.headersMs - 1);
    expect(await isOpen(outcome)).toBe(true);
    clock.advance(1);
    expect(failed(await outcome)).toMatchObject({ failure: { cause: "stalled" }, partial: "" });
    expect(await exchange.ended).toBe("closed-early");
  });

  it("[MD-6] is given up when it falls silent in the middle, and keeps the text", async () => {
    const running = await stalled(provider);
    await running.begun;
    const exchange = await running.asked;
    running.clock.advance(STEP_LIMITS.stallMs);
    running.clock.advance(STEP_LIMITS.stallMs);
    const outcome = failed(await running.outcome);
    expect(outcome.failure.cause).toBe("stalled");
    expect(outcome.partial).toBe(running.shown());
    expect(REPLY.text?.startsWith(outcome.partial)).toBe(true);
    expect(await exchange.ended).toBe("closed-early");
  });

  it("[MD-6] is given up in the end, however often a byte comes", async () => {
    const { headersMs, stallMs } = STEP_LIMITS;
    const limits = { headersMs: headersMs * 1_000, stallMs: stallMs * 1_000, totalMs: 150 };
    const running = await run(provider, { ...REPLY, fault: { kind: "trickle", bytes: 16, everyMs: 5 } }, limits);
    await running.begun;
    const exchange = await running.asked;
    running.clock.advance(limits.totalMs);
    expect(failed(await running.outcome).failure.cause).toBe("stalled");
    expect(await exchange.ended).toBe("closed-early");
  });

  it("is not given up while it is merely slow", async () => {
    const limits = { headersMs: 30_000, stallMs: 30_000, totalMs: 30_000 };
    server.answerWith({ ...REPLY, chunkDelayMs: 2 });
    expect(await ask(await modelAt(server, provider, { limits }))).toMatchObject({
      kind: "complete",
      text: REPLY.text,
    });
  });

  it("[MD-7] is closed by an abort before any answer", async () => {
    const { stop, asked, outcome } = await run(provider, { fault: { kind: "stall", at: "headers" } });
    const exchange = await asked;
    stop.abort();
    expect(await outcome).toEqual({ kind: "aborted", partial: "" });
    expect(await exchange.ended).toBe("closed-early");
  });

  it("[MD-7] is closed by an abort in the middle, which keeps the text", async () => {
    const running = await stalled(provider);
    await running.begun;
    const exchange = await running.asked;
    running.stop.abort(new Error("a reason of its own"));
    const outcome = await running.outcome;
    expect(outcome).toEqual({ kind: "aborted", partial: running.shown() });
    expect(running.shown()).not.toBe("");
    expect(await exchange.ended).toBe("closed-early");
  });

  it("[MD-7] is never opened for a step that was aborted before", async () => {
    const stop = new AbortController();
    stop.abort();
    server.answerWith(REPLY);
    expect(await ask(await modelAt(server, provider), "hello", { signal: stop.signal })).toEqual({
      kind: "aborted",
      partial: "",
    });
    expect(server.count).toBe(0);
  });

  it("works again after each way to fail, as if nothing had been", async () => {
    const model = await modelAt(server, provider);
    const faults: Fault[] = [
      { kind: "hang-up" },
      { kind: "cut", atByte: 60, how: "reset" },
      { kind: "cut", atByte: 60, how: "eof" },
      { kind: "status", status: 503 },
      { kind: "body", contentType: "text/html", text: "<html></html>" },
      { kind: "error", afterFrames: 2 },
    ];
    for (const fault of faults) {
      server.answerWith({ ...REPLY, fault });
      expect((await ask(model)).kind).toBe("failed");
      server.answerWith(REPLY);
      expect(await ask(model)).toMatchObject({ kind: "complete", text: REPLY.text });
    }
    expect(server.count).toBe(faults.length * 2);
  });

  it("carries many steps of one model at once, each with its own answer", async () => {
    server.answerWith((seen) => ({ text: `you said ${seen.items[0]?.text}`, pieceChars: 3 }));
    const model: Model = await modelAt(server, provider);
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(model, `number ${at}`)));
    expect(outcomes.map((outcome) => (outcome.kind === "complete" ? outcome.text : outcome))).toEqual(
      Array.from({ length: 30 }, (_, at) => `you said number ${at}`),
    );
  });
});

/** Whether it is still under way after everything that was ready has run. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  const settled = await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(open)))]);
  return settled === open;
}
