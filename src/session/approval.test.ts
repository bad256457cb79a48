import { describe, expect, it } from "vitest";
import { type ApprovalAnswer, decide, GRANT_NAME_CHARS_MAX, grantNamed } from "./approval.js";

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

describe("the name of a grant", () => {
  it("[AP-3] is what the question names", () => {
    expect(grantNamed({ grant: "terminal:rm", command: "rm box" })).toBe("terminal:rm");
    expect(grantNamed({ grant: "x".repeat(GRANT_NAME_CHARS_MAX) })).toHaveLength(GRANT_NAME_CHARS_MAX);
  });

  it.each([undefined, null, "", 7, true, ["terminal:rm"], {}, "x".repeat(GRANT_NAME_CHARS_MAX + 1), "\ud800", "a\0"])(
    "[AP-3] is none for %j",
    (grant) => expect(grantNamed({ grant })).toBeNull(),
  );
});
