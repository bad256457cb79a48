import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeFrame,
  errorFrame,
  eventFrame,
  FRAME_DEPTH_MAX,
  FRAME_ID_CHARS_MAX,
  METHOD_CHARS_MAX,
  parseAnswer,
  parseFrame,
  requestFrame,
  resultFrame,
} from "./frame.js";

const request = (frame: Record<string, unknown>): string => JSON.stringify({ jsonrpc: "2.0", ...frame });

describe("a frame from a client", () => {
  it.each([
    ["nothing", ""],
    ["half an object", '{"jsonrpc":"2.0","id":"r1"'],
    ["words", "hello"],
    ["two objects", "{}{}"],
    ["a byte that is no text", "\uFFFD\u0000"],
  ])("[PR-1] %s is answered -32700 with the id null", (_what, text) => {
    expect(parseFrame(text)).toMatchObject({ kind: "refused", id: null, error: { code: -32_700 } });
  });

  it.each([
    ["a batch", "[]"],
    ["null", "null"],
    ["a number", "7"],
    ["a string", '"prompt.submit"'],
    ["no id", request({ method: "pet.cells" })],
    ["the id null", request({ id: null, method: "pet.cells" })],
    ["an object for an id", request({ id: {}, method: "pet.cells" })],
    ["a boolean for an id", request({ id: true, method: "pet.cells" })],
    ["an id that no client makes", request({ id: "x".repeat(FRAME_ID_CHARS_MAX + 1), method: "pet.cells" })],
    ["a number that came in rounded", '{"id":9007199254740993,"method":"pet.cells"}'],
    ["a number beyond all numbers", '{"id":1e999,"method":"pet.cells"}'],
  ])("[PR-1] %s is answered -32600 with the id null", (_what, text) => {
    expect(parseFrame(text)).toMatchObject({ kind: "refused", id: null, error: { code: -32_600 } });
  });

  it.each([
    ["no method", { id: "r1" }],
    ["an empty method", { id: "r1", method: "" }],
    ["a method that is no text", { id: "r1", method: 7 }],
    ["a method longer than any", { id: "r1", method: "m".repeat(METHOD_CHARS_MAX + 1) }],
  ])("[PR-1] %s is answered -32600 with the id it came with", (_what, frame) => {
    expect(parseFrame(request(frame))).toMatchObject({ kind: "refused", id: "r1", error: { code: -32_600 } });
  });

  it.each([[null], [[]], ["text"], [7], [true]])("[PR-1] params %j are answered -32602", (params) => {
    const text = request({ id: "r1", method: "pet.cells", params });
    expect(parseFrame(text)).toMatchObject({ kind: "refused", id: "r1", error: { code: -32_602 } });
  });

  it.each([["r1"], [""], [7], [0], [-1], [1.5], ["\u2028"]])("[PR-2] the id %j is echoed exactly", (id) => {
    const read = parseFrame(request({ id, method: "pet.cells" }));
    expect(read).toEqual({ kind: "request", id, method: "pet.cells", params: {} });
    expect(JSON.parse(resultFrame(id, {})).id).toBe(id);
  });

  it("[PR-3] nested as deep as allowed is read, one deeper is refused unparsed", () => {
    const nested = (depth: number): string =>
      request({ id: "r1", method: "x", params: { a: 0 } }).replace("0}", `${"[".repeat(depth)}${"]".repeat(depth)}}`);
    expect(parseFrame(nested(FRAME_DEPTH_MAX - 2))).toMatchObject({ kind: "request" });
    expect(parseFrame(nested(FRAME_DEPTH_MAX - 1))).toMatchObject({ kind: "refused", error: { code: -32_600 } });
    expect(parseFrame("[".repeat(1_000_000))).toMatchObject({ kind: "refused", error: { code: -32_600 } });
  });

  it("[PR-3] brackets inside a string nest nothing", () => {
    const text = `${"[{".repeat(500)}\\"\\\\`;
    expect(parseFrame(request({ id: "r1", method: "x", params: { text } }))).toMatchObject({ params: { text } });
  });

  it("[PR-1] never throws, whatever comes", () => {
    const odd = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.json().map((text) => text.slice(0, -1)),
    );
    fc.assert(
      fc.property(odd, (text) => ["request", "refused"].includes(parseFrame(text).kind)),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(odd, (text) => typeof parseAnswer(text).kind === "string"),
      { numRuns: 2_000 },
    );
  });
});

describe("a frame on its way out", () => {
  it("[PR-4] is one line, whatever the text", () => {
    const text = "a\nb\rc\u2028d\u2029e\u0085";
    const frame = eventFrame({ type: "message.delta", session_id: "s", payload: { text } });
    expect(frame).not.toMatch(/[\n\r\u2028\u2029]/);
    expect(JSON.parse(frame).params.payload.text).toBe(text);
  });

  it("[PR-4] an event that was read can be sent on as it came", () => {
    const event = eventFrame({ type: "message.start", session_id: "s", seq: 7 });
    const read = parseAnswer(event);
    if (read.kind !== "event") throw new Error(read.kind);
    expect(eventFrame(read)).toBe(event);
    expect(JSON.parse(event).params).toEqual({ type: "message.start", session_id: "s", seq: 7 });
  });

  it("[PR-4] comes back as it went", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (params) => {
        const sent = JSON.parse(JSON.stringify(params));
        expect(JSON.parse(encodeFrame(params))).toEqual(sent);
      }),
    );
  });
});

describe("a frame from a host", () => {
  it("[PR-2] is an answer, an error or an event", () => {
    expect(parseAnswer(resultFrame("r1", { a: 1 }))).toEqual({ kind: "result", id: "r1", result: { a: 1 } });
    const error = { code: 4009, message: "session busy" };
    expect(parseAnswer(errorFrame(null, error))).toEqual({ kind: "error", id: null, error });
    const event = { type: "message.delta", session_id: "s", seq: 7, payload: { text: "x" } };
    expect(parseAnswer(eventFrame(event))).toEqual({ kind: "event", ...event });
  });

  it.each([
    ["a result that is no object", '{"id":"r1","result":null}'],
    ["an event without a type", '{"method":"event","params":{}}'],
    ["another method", requestFrame({ id: "r1", method: "x", params: {} })],
    ["a list", "[]"],
  ])("%s is ignored", (_what, text) => {
    expect(parseAnswer(text)).toEqual({ kind: "ignored" });
  });

  it("what is no JSON is told apart from what is not for us", () => {
    expect(parseAnswer("warning: something")).toEqual({ kind: "unparsable" });
  });
});
