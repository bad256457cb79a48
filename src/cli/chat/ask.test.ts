import { describe, expect, it } from "vitest";
import { checkAnswers, clarifyAnswer, flagAsk, permissionAnswer } from "./ask.js";
import type { PendingQuestion } from "./glimpse.js";

describe("an answer to a permission", () => {
  it.each([
    ["o", { answer: "once" }],
    [" Once ", { answer: "once" }],
    ["s", { answer: "session" }],
    ["always", { answer: "always" }],
    ["d", { answer: "deny" }],
    ["deny: no", undefined],
    ["d use git instead", { answer: "deny", reply: "use git instead" }],
    ["", undefined],
    ["y", undefined],
    ["yes", undefined],
    ["os", undefined],
    ["o please", undefined],
    ["1", undefined],
  ])("%j is %j", (text, answer) => expect(permissionAnswer(text)).toEqual(answer));
});

describe("an answer in words", () => {
  const question = { kind: "clarify", tool: "clarify", text: "Which?", choices: ["red", "blue"] } as const;

  it.each([
    ["2", "blue"],
    [" 1 ", "red"],
    ["3", "3"],
    ["0", "0"],
    ["green", "green"],
  ])("%j says %j", (text, reply) => expect(clarifyAnswer(text, question)).toEqual({ answer: "once", reply }));

  it("is none when it is empty", () => expect(clarifyAnswer("  ", question)).toBeUndefined());
});

describe("the flags of a command", () => {
  const permission: PendingQuestion = {
    approval: "a1",
    question: { kind: "permission", tool: "terminal", summary: "$ rm -r x", why: "it deletes", grant: "g" },
  };
  const words: PendingQuestion = {
    approval: "a2",
    question: { kind: "clarify", tool: "clarify", text: "Which?", choices: [] },
  };
  const { signal } = new AbortController();

  it("answer what was pending, once, and nothing that is asked later", async () => {
    const ask = flagAsk({ approve: "once" }, [permission], undefined);
    const answers = [
      await ask(permission.approval, permission.question, signal),
      await ask(permission.approval, permission.question, signal),
      await ask("later", permission.question, signal),
    ];
    expect(answers).toEqual([{ answer: "once" }, undefined, undefined]);
  });

  it("hand on to the terminal what they do not answer", async () => {
    const ask = flagAsk({ approve: "once" }, [permission], async () => ({ answer: "deny" }));
    expect(await ask("later", permission.question, signal)).toEqual({ answer: "deny" });
  });

  it.each([
    [{ reply: "yes" }, permission, /--approve or --deny/],
    [{ approve: "once" as const }, words, /--reply TEXT/],
  ])("are refused when they answer nothing that waits", (options, pending, hint) => {
    expect(() => checkAnswers(options, [pending])).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    );
    expect(() => checkAnswers({ deny: true }, [pending])).not.toThrow();
    expect(() => checkAnswers(options, [])).not.toThrow();
  });
});
