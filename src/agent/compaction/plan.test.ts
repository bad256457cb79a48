import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, NewMessage } from "#session/message.js";
import { anyHistory, orderlyHistory, toHistory } from "../../../test/support/histories.js";
import { type CompactionPlan, planCompaction } from "./plan.js";
import { weigh, weightOf } from "./weigh.js";

const RUNS = Number(process.env["TALARIA_PROJECT_RUNS"] ?? 200);
/** 100 tokens and a little. */
const WORDS = "word ".repeat(80);

const user = (text: string): NewMessage => ({ role: "user", text: `${text} ${WORDS}` });
const said = (text: string): NewMessage => ({ role: "assistant", text: `${text} ${WORDS}` });
const step = (id: string, output = WORDS): NewMessage[] => [
  { role: "assistant", text: "", body: { toolCalls: [{ id, name: "terminal", arguments: '{"command":"ls"}' }] } },
  { role: "tool", text: output, body: { toolCallId: id, toolName: "terminal", outcome: "ok" } },
];
const summary: NewMessage = { role: "system", text: `so far ${WORDS}`, body: { kind: "summary", generation: 1 } };
const exchanges = (count: number): NewMessage[] =>
  Array.from({ length: count }, (_, at) => [user(`ask ${at}`), said(`answer ${at}`)]).flat();

const names = (messages: readonly Message[]): string[] =>
  messages.map(({ role, text }) => (text === "" ? role : text.split(" ").slice(0, 2).join(" ")));

function parts(plan: CompactionPlan): Record<"head" | "middle" | "tail", string[]> {
  if (plan.kind === "nothing") throw new Error("nothing is planned");
  return { head: names(plan.head), middle: names(plan.middle), tail: names(plan.tail) };
}

describe("a plan", () => {
  it("keeps the first three messages and the end, and summarises what is between", () => {
    const { head, middle, tail } = parts(planCompaction(toHistory(exchanges(20)), { tailTokens: 800 }));
    expect(head).toEqual(["ask 0", "answer 0", "ask 1"]);
    expect(middle[0]).toBe("answer 1");
    expect(tail.at(-1)).toBe("answer 19");
    expect(tail).toHaveLength(11);
  });

  it("protects no beginning once a summary stands for it", () => {
    const { head, middle } = parts(planCompaction(toHistory([summary, ...exchanges(20)]), { tailTokens: 800 }));
    expect(head).toEqual([]);
    expect(middle.slice(0, 2)).toEqual(["so far", "ask 0"]);
  });

  it("keeps at least eight messages at the end when the budget is small, unless they are huge", () => {
    const small = parts(planCompaction(toHistory(exchanges(20)), { tailTokens: 300 }));
    expect(small.tail).toHaveLength(8);
    const huge = parts(planCompaction(toHistory(exchanges(20)), { tailTokens: 100 }));
    expect(huge.tail.length).toBeLessThan(8);
  });

  it("[MD-25] keeps the last request when the turn it began is too long, and summarises older steps of that turn", () => {
    const steps = Array.from({ length: 40 }, (_, at) => step(`c${at}`)).flat();
    const plan = planCompaction(toHistory([...exchanges(4), user("the request"), ...steps]), { tailTokens: 800 });
    const { middle, tail } = parts(plan);
    expect(tail[0]).toBe("the request");
    expect(tail.slice(1).length).toBeGreaterThan(4);
    expect(middle).not.toContain("the request");
    expect(middle.filter((name) => name === "assistant").length).toBeGreaterThan(20);
  });

  it("[CR-5] plans nothing for a short history", () => {
    expect(planCompaction(toHistory(exchanges(3)), { tailTokens: 1_000 })).toEqual({ kind: "nothing" });
    expect(planCompaction([], { tailTokens: 1_000 })).toEqual({ kind: "nothing" });
  });

  it("[CR-5] plans nothing when a summary is all there would be to summarise", () => {
    expect(planCompaction(toHistory([summary, ...exchanges(2)]), { tailTokens: 2_000 })).toEqual({ kind: "nothing" });
  });

  it("[CR-5] plans nothing when only the summary would not fit", () => {
    expect(planCompaction(toHistory([summary, ...exchanges(3)]), { tailTokens: 440 })).toEqual({ kind: "nothing" });
  });

  it("[MD-26] protects all results of a call at the beginning", () => {
    const calls = ["a", "b"].map((id) => ({ id, name: "terminal", arguments: "{}" }));
    const results = calls.map(
      ({ id, name }): NewMessage => ({ role: "tool", text: `result ${id}`, body: { toolCallId: id, toolName: name } }),
    );
    const beginning: NewMessage[] = [
      user("go"),
      { role: "assistant", text: "", body: { toolCalls: calls } },
      ...results,
    ];
    const { head } = parts(planCompaction(toHistory([...beginning, ...exchanges(20)]), { tailTokens: 800 }));
    expect(head).toEqual(["go word", "assistant", "result a", "result b"]);
  });

  it("protects no beginning that is larger than the end may be", () => {
    const history = toHistory([{ role: "user", text: `paste ${WORDS.repeat(20)}` }, ...exchanges(20)]);
    expect(parts(planCompaction(history, { tailTokens: 800 })).head).toEqual([]);
  });

  it("keeps the last answer with the end where it fits", () => {
    const steps = Array.from({ length: 10 }, (_, at) => step(`c${at}`)).flat();
    const history = toHistory([...exchanges(3), user("again"), said("the answer"), user("go on"), ...steps]);
    expect(parts(planCompaction(history, { tailTokens: 100_000 })).tail[0]).toBe("the answer");
    expect(parts(planCompaction(history, { tailTokens: 500 })).tail).not.toContain("the answer");
  });

  it("[MD-26] keeps a call whose result came after the last answer with that answer", () => {
    const [asking, late] = step("late") as [NewMessage, NewMessage];
    const steps = Array.from({ length: 10 }, (_, at) => step(`c${at}`)).flat();
    const history = toHistory([...exchanges(3), asking, said("the answer"), late, ...steps]);
    expect(parts(planCompaction(history, { tailTokens: 100_000 })).tail.slice(0, 3)).toEqual([
      "ask 2",
      "assistant",
      "the answer",
    ]);
  });

  it("leaves a note with what it is about", () => {
    const cut = Array.from({ length: 20 }, (_, at): NewMessage[] => [
      user(`ask ${at}`),
      said("cut"),
      { role: "note", text: "interrupted" },
    ]);
    for (let tailTokens = 100; tailTokens < 2_000; tailTokens += 100) {
      const { middle, tail } = parts(planCompaction(toHistory(cut.flat()), { tailTokens }));
      expect([middle[0], tail[0]]).not.toContain("interrupted");
    }
  });

  it("trims a short history whose results are huge", () => {
    const history = toHistory([user("read it"), ...step("a", "line\n".repeat(50_000))]);
    expect(planCompaction(history, { tailTokens: 1_000 })).toMatchObject({ kind: "trim", middle: [] });
  });

  it("summarises the older half of a history that would fit, when it is asked to", () => {
    const plan = planCompaction(toHistory(exchanges(10)), { tailTokens: 100_000 });
    expect(parts(plan).tail).toHaveLength(8);
  });

  it("loses no message and keeps their order, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const plan = planCompaction(history, { tailTokens });
        if (plan.kind === "nothing") return;
        const all = [...plan.head, ...plan.middle, ...plan.tail];
        expect(new Set(all).size).toBe(history.length);
        for (const part of [plan.head, plan.middle, plan.tail])
          expect(part.map(({ seq }) => seq)).toEqual(part.map(({ seq }) => seq).toSorted((a, b) => a - b));
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-26] never parts a call from its results, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const plan = planCompaction(history, { tailTokens });
        if (plan.kind === "nothing") return;
        for (const part of [plan.head, plan.middle, plan.tail])
          for (const message of part) {
            const at = message.role === "tool" ? callOf(history, message) : undefined;
            if (at !== undefined) expect(part).toContain(at);
          }
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-25] has the last thing a person said in its head or tail, whatever the history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const plan = planCompaction(history, { tailTokens });
        const last = history.findLast((message) => message.role === "user" && weightOf(message) > 0);
        if (plan.kind === "nothing" || last === undefined) return;
        expect([...plan.head, ...plan.tail]).toContain(last);
      }),
      { numRuns: RUNS },
    );
  });

  it("is the same for the same history", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        expect(planCompaction(structuredClone(history), { tailTokens })).toEqual(
          planCompaction(history, { tailTokens }),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps an end within three times its budget, the last group and the last request aside", () => {
    fc.assert(
      fc.property(orderlyHistory, fc.integer({ min: 1, max: 400 }), (history, tailTokens) => {
        const plan = planCompaction(history, { tailTokens });
        if (plan.kind !== "summarise") return;
        const asked = history.findLast((message) => message.role === "user" && weightOf(message) > 0);
        const tail = plan.tail.filter((message) => message !== asked);
        const lastGroup = tail.findLastIndex((message) => message.role !== "tool" && weightOf(message) > 0);
        expect(weigh(tail.slice(0, Math.max(0, lastGroup)))).toBeLessThanOrEqual(3 * tailTokens);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The newest message before it that asked for that call. */
function callOf(history: readonly Message[], { seq, body }: Message): Message | undefined {
  return history.findLast((message) => {
    const calls: unknown = message.seq < seq && message.role === "assistant" ? message.body?.toolCalls : undefined;
    return Array.isArray(calls) && calls.some((call: { id?: unknown } | null) => call?.id === body?.toolCallId);
  });
}
