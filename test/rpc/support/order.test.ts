import { describe, expect, it } from "vitest";
import type { SeenEvent } from "./client.js";
import { orderFaults } from "./order.js";

const usage = { model: "m", input: 1, output: 1, total: 2, calls: 1 };
let seq = 0;
const event = (type: string, payload?: Record<string, unknown>): SeenEvent => ({
  type,
  session_id: "s",
  seq: ++seq,
  ...(payload && { payload }),
});
const start = (): SeenEvent => event("message.start");
const delta = (text: string): SeenEvent => event("message.delta", { text });
const complete = (text: string, status = "complete"): SeenEvent => event("message.complete", { text, status, usage });
const panel = (running = false): SeenEvent => event("session.info", { model: "m", running, usage });
const toolStart = (id: string): SeenEvent => event("tool.start", { tool_id: id, name: "read_file", context: "" });
const toolEnd = (id: string, outcome = "ok"): SeenEvent =>
  event("tool.complete", { tool_id: id, name: "read_file", outcome });
const approval = (): SeenEvent => event("approval.request", { command: "rm" });
const answered = (): SeenEvent => event("question.answered", { approval_id: "a", answer: "once" });
const whole = (): SeenEvent[] => [
  start(),
  delta("I look. "),
  toolStart("1"),
  toolStart("2"),
  toolEnd("2"),
  toolEnd("1"),
  delta("Done."),
  complete("Done."),
  panel(),
];

describe("the checker of orders", () => {
  it("finds nothing in a sound stream", () => {
    const recovered = [
      ...[start(), delta("x"), start(), event("message.user", { text: "hi", is_recovered: true })],
      ...[complete(""), panel()],
    ];
    const denied = [start(), approval(), answered(), toolEnd("3", "denied"), complete(""), panel()];
    const stream = [
      ...recovered,
      ...denied,
      panel(true),
      ...whole(),
      start(),
      approval(),
      answered(),
      approval(),
      complete("", "interrupted"),
      panel(),
    ];
    expect(orderFaults(stream, { isSettled: true })).toEqual([]);
  });

  it.each<[string, () => SeenEvent[], RegExp]>([
    ["a delta before the start", () => [delta("x"), start(), complete(""), panel()], /outside a turn/],
    ["a second start", () => [start(), start(), complete(""), panel()], /inside a turn/],
    ["a second end", () => [start(), complete(""), panel(), complete("")], /second end/],
    ["no end", () => [start(), delta("x")], /no end/],
    ["no session.info", () => [start(), complete("")], /no session.info/],
    ["the next turn before session.info", () => [start(), complete(""), start(), complete(""), panel()], /turn before/],
    ["session.info that still runs", () => [start(), complete(""), panel(true)], /not at rest/],
    ["a tool that never ends", () => [start(), toolStart("1"), complete(""), panel()], /open tools/],
    ["a tool that was never started", () => [start(), toolEnd("1"), complete(""), panel()], /not started/],
    [
      "a tool that ends twice",
      () => [start(), toolStart("1"), toolEnd("1"), toolEnd("1"), complete(""), panel()],
      /ends twice/,
    ],
    ["two questions at once", () => [start(), approval(), approval(), complete(""), panel()], /asked while/],
    ["another text than was streamed", () => [start(), delta("yes"), complete("no"), panel()], /not the end of/],
    [
      "a delta without a number",
      () => [start(), { ...delta("x"), seq: undefined as never }, complete("x"), panel()],
      /without a number/,
    ],
    ["numbers that fall", () => [start(), complete(""), panel()].reverse(), /seq/],
  ])("finds %s", (_what, stream, words) => {
    expect(orderFaults(stream(), { isSettled: true }).join("\n")).toMatch(words);
  });
});
