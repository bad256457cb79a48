import { describe, expect, it } from "vitest";
import { type ApprovalAnswer, decide } from "./approval.js";

const ANSWERS: readonly ApprovalAnswer[] = ["once", "session", "always", "deny"];

describe("an approval", () => {
  it.each(ANSWERS)("that is pending is decided by %s", (answer) => {
    expect(decide({ phase: "pending" }, answer)).toEqual({ kind: "decided", answer });
  });

  it.each(ANSWERS.flatMap((first) => ANSWERS.map((second) => [first, second] as const)))(
    "[ST-18] decided %s stays so when somebody answers %s",
    (first, second) => {
      expect(decide({ phase: "decided", answer: first }, second)).toEqual({ kind: "already-decided", answer: first });
    },
  );
});
