import { describe, expect, it } from "vitest";
import type { Question } from "#agent/glimpse.js";
import type { ApprovalId } from "#base/ids.js";
import type { FeedEvent } from "./feed-event.js";
import { createQuestions } from "./questions.js";

const approval = "a1" as ApprovalId;
const question: Question = { kind: "permission", tool: "terminal", summary: "$ rm", why: "it deletes", grant: "g" };
const never = new AbortController().signal;

function questions() {
  const told: FeedEvent["type"][] = [];
  return { told, ...createQuestions((event) => void told.push(event.type)) };
}

describe("a question that a turn asks again after a restart", () => {
  it("[CT-10] takes the answer that came between the picture and the turn, and waits for no other", async () => {
    const { remember, answered, ask, told } = questions();
    remember(approval, question);
    expect(answered(approval, { answer: "once" })).toBe(false);
    expect(await ask(approval, question, never)).toEqual({ answer: "once" });
    expect(told).toEqual(["question", "answered"]);
  });

  it("is told once, and resolved by the answer that comes then", async () => {
    const { remember, answered, ask, told } = questions();
    remember(approval, question);
    const asked = ask(approval, question, never);
    expect(answered(approval, { answer: "deny", reply: "no" })).toBe(true);
    expect(await asked).toEqual({ answer: "deny", reply: "no" });
    expect(told).toEqual(["question", "answered"]);
  });

  it("forgets the oldest answer that nobody asked for, not the newest", async () => {
    const { answered, ask } = questions();
    for (let no = 0; no <= 100; no++) answered(`a${no}` as ApprovalId, { answer: "once" });
    expect(await ask("a100" as ApprovalId, question, never)).toEqual({ answer: "once" });
    expect(await ask("a0" as ApprovalId, question, AbortSignal.abort())).toBeUndefined();
  });
});
