import { describe, expect, it } from "vitest";
import { createPaint } from "../paint.js";
import type { Glimpse, TurnReport } from "./glimpse.js";
import { createScreen } from "./screen.js";

function screenOf({
  isTextLive,
  isStatusLive = false,
  columns = 60,
}: {
  isTextLive: boolean;
  isStatusLive?: boolean;
  columns?: number;
}) {
  const written = { text: "", aside: "", all: "" };
  const screen = createScreen(
    {
      isTextLive,
      isStatusLive,
      columns,
      paint: createPaint(false),
      writeText: (text) => {
        written.text += text;
        written.all += text;
      },
      writeAside: (text) => {
        written.aside += text;
        written.all += text;
      },
    },
    "flags",
  );
  return { screen, written };
}

const report: TurnReport = {
  conversation: "7h3kq2vd9w4xmpab",
  session: "s",
  turn: "t",
  outcome: "completed",
  text: "the answer",
  model: "m/x",
  steps: 1,
  spent: { inputTokens: 1, outputTokens: 1, costMicros: 0, unpricedCalls: 0 },
  isRecovered: false,
  questions: [],
};

const step: Glimpse = { type: "step", number: 1, model: "m/x", usage: { inputTokens: 1, outputTokens: 1 } };

function finished(more: Partial<Extract<Glimpse, { type: "call-finished" }>>): Glimpse {
  const call = "c";
  return { type: "call-finished", call, name: "terminal", summary: "$ ls", outcome: "ok", text: "a\nb\n", ...more };
}

describe("what a person sees", () => {
  it("[LS-12] is the settled answer alone on a stdout that is no terminal", () => {
    const { screen, written } = screenOf({ isTextLive: false });
    for (const delta of ["not ", "settled"]) screen.glimpse({ type: "text", delta });
    screen.glimpse(step);
    screen.glimpse(finished({}));
    expect(written.text).toBe("");
    screen.ended([{ ...report, text: " odd \u001b[1m text\n" }]);
    expect(written.text).toBe(" odd \u001b[1m text\n");
  });

  it("is text as it comes in a terminal, and not a second time when it is settled", () => {
    const { screen, written } = screenOf({ isTextLive: true });
    for (const delta of ["the ", "ans", "wer"]) screen.glimpse({ type: "text", delta });
    screen.glimpse(step);
    screen.ended([report]);
    expect(written.text).toBe("the answer\n");
  });

  it("is the settled answer when the streamed one was another", () => {
    const { screen, written } = screenOf({ isTextLive: true });
    screen.glimpse({ type: "text", delta: "the ans" });
    screen.glimpse({ type: "retracted" });
    screen.ended([report]);
    expect(written.all).toBe("the ans\n(the text above broke off and is void; asking again)\nthe answer\n");
  });

  it("is not confused by what an interrupted turn left", () => {
    const { screen, written } = screenOf({ isTextLive: true });
    screen.glimpse({ type: "text", delta: "half a" });
    screen.ended([{ ...report, outcome: "interrupted-by-user", text: "" }]);
    screen.running();
    screen.glimpse({ type: "text", delta: "the answer" });
    screen.glimpse(step);
    screen.ended([report]);
    expect(written.text).toBe("half a\nthe answer\n");
  });

  it("[LS-9] is an interruption without a notice", () => {
    const { screen, written } = screenOf({ isTextLive: false });
    screen.ended([{ ...report, outcome: "interrupted-by-user", text: "" }]);
    expect([written.text, written.aside]).toEqual(["", "(interrupted; what was done is kept)\n"]);
  });

  it("is only the last turn's answer on stdout when several ran", () => {
    const { screen, written } = screenOf({ isTextLive: false });
    screen.ended([{ ...report, text: "earlier", isRecovered: true }, report]);
    expect([written.text, written.aside]).toEqual([
      "the answer\n",
      "(went on where the last turn had stopped)\nearlier\n",
    ]);
  });

  it("is one line a call that fits, without secrets and control characters", () => {
    const { screen, written } = screenOf({ isTextLive: false });
    const secret = "sk-live-0123456789abcdefghij";
    screen.glimpse(finished({}));
    screen.glimpse(finished({ summary: `$ curl -H ${secret} ${"x".repeat(200)}`, text: "ok" }));
    screen.glimpse(finished({ outcome: "error", text: `bad \u001b[2Jkey ${secret}\nmore` }));
    screen.glimpse(finished({ outcome: "unknown", text: "" }));
    const lines = written.aside.trimEnd().split("\n");
    expect(lines).toEqual([
      "✓ $ ls  ok, 2 lines",
      expect.stringMatching(/^✓ \$ curl -H \[redacted\] x+… {2}ok, 1 line$/),
      "✗ $ ls  error: bad key [redacted]",
      "✗ $ ls  interrupted; its outcome is unknown",
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("never stands in the middle of a sentence, and a status line leaves nothing behind", () => {
    const { screen, written } = screenOf({ isTextLive: true, isStatusLive: true });
    screen.running();
    screen.glimpse({ type: "text", delta: "I look" });
    screen.glimpse(step);
    screen.glimpse({ type: "call-started", call: "c", name: "terminal", summary: "$ ls" });
    screen.glimpse({ type: "call-progress", call: "c", name: "terminal", line: "half" });
    screen.glimpse(finished({}));
    screen.rest();
    const seen = written.all
      .split("\n")
      .map((line) => line.split("\r\u001b[K").at(-1))
      .join("\n");
    expect(seen).toBe("I look\n✓ $ ls  ok, 2 lines\n");
  });

  it("is how to answer what waits", () => {
    const { screen, written } = screenOf({ isTextLive: false });
    const question = {
      kind: "permission",
      tool: "terminal",
      summary: "$ rm -r x",
      why: "it deletes",
      grant: "g",
    } as const;
    screen.ended([{ ...report, outcome: "waiting", text: "", questions: [{ approval: "a", question }] }]);
    expect([written.text, written.aside]).toEqual([
      "",
      [
        "May this be done? (terminal)",
        "  $ rm -r x",
        "  because it deletes",
        "It waits for your answer:",
        "  talaria chat -r 7h3kq2vd9w4xmpab --approve once   (or session, always)",
        "  talaria chat -r 7h3kq2vd9w4xmpab --deny\n",
      ].join("\n"),
    ]);
  });
});

it("cuts a long title in the first line rather than breaking it", () => {
  const { screen, written } = screenOf({ isTextLive: true, columns: 80 });
  const title = "a title that is as long as it may be and then some more of it";
  screen.opened({ conversation: "7h3kq2vd9w4xmpab", session: "s", model: "openai/gpt-5", isDemo: false, title });
  screen.opened({ conversation: "7h3kq2vd9w4xmpab", session: "s", model: "demo/demo", isDemo: true, title });
  const lines = written.aside.trimEnd().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/^conversation 7h3kq2vd9w4xmpab {2}openai\/gpt-5 {2}“a title .*…”$/),
    expect.stringMatching(/\(scripted demo, not an AI\)$/),
    `“${title}”`,
  ]);
  for (const line of lines) expect(line.length, line).toBeLessThan(80);
});
