import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "#model/model.js";
import { violations } from "#model/wire-rules.js";
import type { Message, NewMessage } from "#session/message.js";
import { ABANDONED_TEXT } from "#session/tool-call.js";
import { anyHistory, ORIGIN, orderlyHistory, toHistory } from "../../../test/support/histories.js";
import { project } from "../project.js";
import { SUMMARY_PREFIX } from "../projection/piece.js";
import { compose } from "./compose.js";
import { localSummary } from "./fallback.js";
import { planCompaction } from "./plan.js";
import { recall } from "./recall.js";
import { findSummary, generationOf, isSummary } from "./summary-message.js";
import { asHistory, projectedTokens, weightOf } from "./weigh.js";

const RUNS = Number(process.env["TALARIA_PROJECT_RUNS"] ?? 200);
const WORDS = "word ".repeat(80);
const DIALECTS: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic", "google"];
const TARGET = { dialect: "anthropic", origin: "" } as const;

const exchanges = (count: number, from = 0): NewMessage[] =>
  Array.from({ length: count }, (_, at): NewMessage[] => [
    { role: "user", text: `ask ${from + at} ${WORDS}`, atMs: 10 * at },
    { role: "assistant", text: `answer ${from + at} ${WORDS}`, body: { finishReason: "stop" }, atMs: 10 * at + 5 },
  ]).flat();

function compact(history: readonly Message[], tailTokens: number, text?: string, remembered: readonly string[] = []) {
  const plan = planCompaction(history, { tailTokens });
  if (plan.kind === "nothing") return undefined;
  return compose(history, plan, text === undefined ? undefined : { text, isLocal: false }, remembered);
}

function childOf(history: readonly Message[], tailTokens: number, text?: string, remembered: readonly string[] = []) {
  const composition = compact(history, tailTokens, text, remembered);
  if (composition?.kind !== "composed") throw new Error(`not composed: ${composition?.kind}`);
  return composition;
}

describe("a child's content", () => {
  it("is the kept beginning, the summary and the kept end, with their times and bodies", () => {
    const history = toHistory(exchanges(20));
    const { messages, tokensBefore, tokensAfter } = childOf(history, 400, "we talked");
    expect(messages.slice(0, 3)).toMatchObject(
      history.slice(0, 3).map(({ role, text, atMs }) => ({ role, text, atMs })),
    );
    expect(messages[3]).toMatchObject({ role: "system", text: "we talked", body: { kind: "summary", generation: 1 } });
    expect(messages.at(-1)).toEqual({
      role: "assistant",
      text: history.at(-1)?.text,
      body: { finishReason: "stop" },
      atMs: history.at(-1)?.atMs,
    });
    expect(tokensAfter).toBeLessThan(tokensBefore / 2);
  });

  it("has a summary that is nobody's words, so that no undo hides it, and that a model reads as reference", () => {
    const { messages } = childOf(toHistory(exchanges(20)), 400, "we talked");
    expect(messages.filter(isSummary)).toHaveLength(1);
    expect(JSON.stringify(project(asHistory(messages), TARGET))).toContain(SUMMARY_PREFIX);
  });

  it("replaces an earlier summary by the next generation", () => {
    const first = childOf(toHistory(exchanges(20)), 400, "first").messages;
    const second = childOf(toHistory([...first, ...exchanges(20, 20)]), 400, "second").messages;
    expect(second.filter(isSummary).map(({ text }) => text)).toEqual(["second"]);
    expect(generationOf(findSummary(second))).toBe(2);
  });

  it("[CR-5] is no gain when the summary is longer than what it stands for", () => {
    expect(compact(toHistory(exchanges(20)), 400, WORDS.repeat(100))).toMatchObject({ kind: "no-gain" });
  });

  it("keeps a thinned middle when no summary is given", () => {
    const output = "line\n".repeat(2_000);
    const step = (id: string): NewMessage[] => [
      { role: "assistant", text: "", body: { toolCalls: [{ id, name: "terminal", arguments: "{}" }] } },
      { role: "tool", text: `${id} ${output}`, body: { toolCallId: id, toolName: "terminal" } },
    ];
    const history = toHistory([...exchanges(2), ...Array.from({ length: 12 }, (_, at) => step(`c${at}`)).flat()]);
    const { messages, tokensBefore, tokensAfter } = childOf(history, 1_000);
    expect(messages).toHaveLength(history.length);
    expect(messages.some(isSummary)).toBe(false);
    expect(tokensAfter).toBeLessThan(tokensBefore / 2);
  });

  it("thins what is kept of the beginning", () => {
    const beginning: NewMessage[] = [
      { role: "user", text: "read it" },
      { role: "assistant", text: "", body: { toolCalls: [{ id: "a", name: "read_file", arguments: "{}" }] } },
      { role: "tool", text: "line\n".repeat(10_000), body: { toolCallId: "a", toolName: "read_file" } },
    ];
    const { messages } = childOf(toHistory([...beginning, ...exchanges(20)]), 400, "we talked");
    expect(messages[2]?.text).toMatch(/^\[output left out to save room/);
  });

  it("cuts huge results of the last step, so that a turn is never too large for good", () => {
    const history = toHistory([
      { role: "user", text: "read it" },
      { role: "assistant", text: "", body: { toolCalls: [{ id: "a", name: "read_file", arguments: "{}" }] } },
      { role: "tool", text: "line\n".repeat(100_000), body: { toolCallId: "a", toolName: "read_file" } },
    ]);
    const { messages, tokensAfter } = childOf(history, 1_000);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(tokensAfter).toBeLessThanOrEqual(3_100);
  });

  it("carries what tools remember, for the model to read and for the tool to recall", () => {
    const todo = (id: string, text: string): NewMessage[] => [
      { role: "assistant", text: "", body: { toolCalls: [{ id, name: "todo", arguments: "{}" }] } },
      { role: "tool", text, body: { toolCallId: id, toolName: "todo", items: [text] } },
    ];
    const history = toHistory([...exchanges(3), ...todo("a", "buy milk"), ...todo("b", "buy eggs"), ...exchanges(20)]);
    const first = childOf(history, 400, "first", ["todo"]).messages;
    expect(findSummary(first)?.text).toBe("first\n\n[todo, as it stood]\nbuy eggs");
    expect(recall(first, "todo")).toMatchObject({ items: ["buy eggs"] });
    const second = childOf(toHistory([...first, ...exchanges(20)]), 400, "second", ["todo"]).messages;
    expect(recall(second, "todo")).toMatchObject({ items: ["buy eggs"] });
    const third = childOf(toHistory([...second, ...todo("c", "nothing"), ...exchanges(20)]), 400, "third", [
      "todo",
    ]).messages;
    expect(recall(third, "todo")).toMatchObject({ items: ["nothing"] });
  });

  it("[CR-5] is smaller than before, or no gain is reported, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), fc.boolean(), (history, tailTokens, isSummarised) => {
        const composition = compact(history, tailTokens, isSummarised ? "what happened" : undefined);
        if (composition?.kind !== "composed") return;
        const after = projectedTokens(asHistory(composition.messages));
        expect(after).toBe(composition.tokensAfter);
        expect(after).toBeLessThan(projectedTokens(history));
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-20] [MD-9] keeps every dialect's rules, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), fc.boolean(), (history, tailTokens, isSummarised) => {
        const composition = compact(history, tailTokens, isSummarised ? "what happened" : undefined);
        if (composition?.kind !== "composed") return;
        const child = asHistory(composition.messages);
        for (const dialect of DIALECTS) {
          const messages = project(child, { dialect, origin: ORIGIN });
          expect(violations({ system: [], messages, tools: [], toolChoice: "auto" }, dialect)).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("[FQ-3] answers no call with a stub that had a result before", () => {
    fc.assert(
      fc.property(orderlyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const composition = compact(history, tailTokens, "what happened");
        if (composition?.kind !== "composed") return;
        expect(JSON.stringify(project(asHistory(composition.messages), TARGET))).not.toContain(ABANDONED_TEXT.unknown);
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-25] holds the last thing a person said word for word, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const composition = compact(history, tailTokens, "what happened");
        const last = history.findLast((message) => message.role === "user" && weightOf(message) > 0);
        if (composition?.kind !== "composed" || last === undefined) return;
        expect(composition.messages.filter(({ role }) => role === "user").map(({ text }) => text)).toContain(last.text);
      }),
      { numRuns: RUNS },
    );
  });

  it("has one summary at most, however often it is made", () => {
    fc.assert(
      fc.property(fc.array(orderlyHistory, { minLength: 2, maxLength: 6 }), (chunks) => {
        let history: readonly Message[] = [];
        for (const chunk of chunks) {
          history = toHistory([...history, ...chunk]);
          const plan = planCompaction(history, { tailTokens: 200 });
          if (plan.kind === "nothing") continue;
          const composition = compose(history, plan, { text: localSummary(plan.middle).slice(0, 400), isLocal: true });
          if (composition.kind === "composed") history = toHistory(composition.messages);
          expect(history.filter(isSummary).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 60 },
    );
  });
});
