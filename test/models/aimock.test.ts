import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.js";
import { createModel } from "../../src/model/create-model.js";
import type { Model } from "../../src/model/model.js";
import { answered, ask, causeOf, failed, PROVIDERS, remembered, requestOf, specOf, whole } from "./support/step.js";

/** A model server nobody here wrote: what it and we agree on is more likely the protocol than a shared mistake. */
const mock = new LLMock({ port: 0, chunkSize: 5 });

beforeAll(async () => {
  await mock.start();
});
beforeEach(() => {
  mock.reset();
});
afterAll(() => mock.stop());

const SIGNAL = new AbortController().signal;
const LOOKING = { toolCalls: [{ name: "look", arguments: '{"place":"Köln 🌧"}' }] };

describe.each([...PROVIDERS, "ollama"] as const)("%s as aimock plays it", (provider) => {
  let model: Model;
  beforeEach(async () => {
    model = await createModel(specOf(provider, mock.url), { clock: systemClock });
  });

  it("gives text", async () => {
    mock.onMessage("hello", { content: "Grüße aus Köln 🌧." });
    const shown: string[] = [];
    const step = whole(await ask(model, "hello", { onText: (delta) => shown.push(delta) }));
    expect(step).toMatchObject({ text: "Grüße aus Köln 🌧.", finish: "stop", calls: [] });
    expect(shown.join("")).toBe(step.text);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it("[MD-4] runs a loop of tools", async () => {
    mock.on({ userMessage: "weather", hasToolResult: false }, LOOKING);
    mock.on({ userMessage: "weather", hasToolResult: true }, { content: "It rains." });
    const first = whole(await ask(model, "the weather?"));
    expect(first).toMatchObject({ finish: "calls", calls: [{ name: "look" }] });
    expect(first.calls[0]?.input).toEqual({ kind: "parsed", value: { place: "Köln 🌧" } });
    const request = requestOf("the weather?", remembered(first), answered(first, "rain"));
    expect(whole(await model.step(request, { signal: SIGNAL }))).toMatchObject({ text: "It rains.", finish: "stop" });
  });

  it("takes text and several calls in one answer", async () => {
    const toolCalls = ["a", "b", "c"].map((place) => ({ name: "look", arguments: JSON.stringify({ place }) }));
    mock.onMessage("both", { content: "I look.", toolCalls });
    const step = whole(await ask(model, "both"));
    expect(step.text).toBe("I look.");
    expect(step.calls.map(({ input }) => input)).toEqual(
      ["a", "b", "c"].map((place) => ({ kind: "parsed", value: { place } })),
    );
    expect(new Set(step.calls.map(({ id }) => id)).size).toBe(3);
  });

  it("[MD-17] sends back what its own reasoning needs", async () => {
    mock.on({ userMessage: "think", hasToolResult: false }, { ...LOOKING, reasoning: "look first" });
    mock.on({ userMessage: "think", hasToolResult: true }, { content: "Done." });
    const first = whole(await ask(model, "think"));
    const request = requestOf("think", remembered(first), answered(first, "rain"));
    expect(whole(await model.step(request, { signal: SIGNAL })).text).toBe("Done.");
  });

  it("goes on over several turns", async () => {
    mock.onTurn(0, "one", { content: "first" });
    mock.onTurn(1, "two", { content: "second" });
    const first = whole(await ask(model, "one"));
    const second = await model.step(requestOf("one", remembered(first), "two"), { signal: SIGNAL });
    expect(whole(second).text).toBe("second");
  });

  it.each([
    [400, "rejected"],
    [401, "unauthorised"],
    [402, "unpaid"],
    [429, "rate-limited"],
    [500, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
  ] as const)("[MD-11] refuses with %i as %s", async (status, cause) => {
    mock.onMessage("hello", { error: { message: "not today" }, status });
    const { failure } = failed(await ask(model, "hello"));
    expect(failure).toMatchObject({ cause, status });
    expect(failure.message).toContain("not today");
    expect(mock.getRequests()).toHaveLength(1);
  });

  it("[MD-13] says when to come back", async () => {
    mock.onMessage("hello", { error: { message: "slow down" }, status: 429, retryAfter: 7 });
    expect(failed(await ask(model, "hello")).failure).toMatchObject({ cause: "rate-limited", retryAfterMs: 7_000 });
  });

  it("[MD-2] fails with a type when nothing matches", async () => {
    expect((await ask(model, "nobody expects this")).kind).toBe("failed");
  });

  it.each([
    ["drops the request", { dropRate: 1 }, "overloaded"],
    ["answers with broken JSON", { malformedRate: 1 }, "malformed"],
    ["hangs up", { disconnectRate: 1 }, "cut"],
    ["limits the rate", { rateLimitRate: 1 }, "rate-limited"],
  ] as const)("[MD-2] fails with a type when it %s", async (_, chaos, cause) => {
    mock.onMessage("hello", { content: "never" });
    mock.setChaos(chaos);
    expect(causeOf(await ask(model, "hello"))).toBe(cause);
    mock.clearChaos();
    expect(whole(await ask(model, "hello")).text).toBe("never");
  });

  it.each([1, 3])("[MD-1] [MD-3] is cut when its stream breaks after %i chunks", async (truncateAfterChunks) => {
    mock.onMessage("hello", { content: "I look at it.", ...LOOKING }, { truncateAfterChunks });
    const outcome = failed(await ask(model, "hello"));
    expect(outcome.failure.cause).toBe("cut");
    expect("I look at it.".startsWith(outcome.partial)).toBe(true);
  });
});
