import { describe, expect, it } from "vitest";
import type { FailureCause } from "#model/model.js";
import { outcomeText } from "./outcome-text.js";

const failed = (cause: FailureCause, message = "the provider's words") =>
  outcomeText({ kind: "failed", failure: { cause, message }, model: "test/model", steps: 1 });

describe("what a person reads at a turn's end", () => {
  it("[LS-12] says nothing beside an answer", () => {
    expect(outcomeText({ kind: "answered", text: " as it is \n", steps: 1 })).toBeUndefined();
  });

  it("[LS-8] says that work ended without a word, and that it is kept", () => {
    expect(outcomeText({ kind: "answered", text: " \n", steps: 3 })).toMatch(/without a word.*kept/);
    expect(outcomeText({ kind: "answered", text: "", steps: 1 })).toMatch(/without an answer.*kept/);
  });

  it("[LS-8] never shows a sentinel for an empty answer", () => {
    expect(outcomeText({ kind: "answered", text: "", steps: 1 })).not.toContain("(empty)");
  });

  it("says that an answer breaks off at the output limit", () => {
    expect(outcomeText({ kind: "answered", text: "It was a dark and", steps: 1, isCut: true })).toMatch(/output limit/);
  });

  it("[LS-9] stays silent about an interrupted turn", () => {
    expect(outcomeText({ kind: "interrupted" })).toBeUndefined();
  });

  it.each(["overflow", "too-large"] as const)("[LS-10] names the context window and what helps (%s)", (cause) => {
    const text = failed(cause);
    expect(text).toContain("context window");
    expect(text).toContain("/compact");
    expect(text).toContain("/reset");
    expect(text).toContain("the provider's words");
  });

  const others: readonly FailureCause[] = [
    "cut",
    "stalled",
    "unreachable",
    "rate-limited",
    "overloaded",
    "empty",
    "malformed",
    "unauthorised",
    "unpaid",
    "unknown-model",
    "rejected",
    "filtered",
  ];
  it.each(others)("[LS-11] shows the error's own words and /reset (%s)", (cause) => {
    const text = failed(cause);
    expect(text).toContain("the provider's words");
    expect(text).toContain("test/model");
    expect(text).toContain("/reset");
    expect(text).toContain("kept");
  });

  it("[LS-11] says when to come back, and ends no sentence twice", () => {
    const failure = { cause: "rate-limited", message: "Too many tokens.", retryAfterMs: 3_600_000 } as const;
    const text = outcomeText({ kind: "failed", failure, model: "test/model", steps: 1 });
    expect(text).toContain("in 60 minutes");
    expect(text).not.toContain("..");
  });

  it("[LS-11] has words for an error without any, and cuts endless ones", () => {
    expect(failed("rejected", "")).toContain("unknown error");
    expect(failed("rejected", "x".repeat(10_000))?.length).toBeLessThan(700);
  });
});
