import { describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { ManualClock } from "../../test/support/manual-clock.js";
import { createModel } from "./create-model.js";
import { demoAnswer } from "./demo/demo-script.js";
import { DEMO_LABEL } from "./demo/demo-texts.js";
import { createDemoModel, DEMO_STREAM_MS_MAX } from "./demo.js";
import type { CompleteStep, ModelMessage, ModelRequest, ToolSpec } from "./model.js";

const tool = (name: string, properties: object, required: readonly string[]): ToolSpec => ({
  name,
  description: "",
  schema: { type: "object", properties, required },
});
const TOOLS = [
  tool("terminal", { command: {} }, ["command"]),
  tool("read_file", { path: {}, offset: {} }, ["path"]),
  tool("todo", { items: {} }, []),
  tool("search_files", { pattern: {}, target: { enum: ["content", "files"] } }, ["pattern"]),
];
/** What the program writes for calls that were cut off; a test of the whole program compares the two. */
const ABANDONED_TEXT = {
  interrupted: "[interrupted before it finished; it can be run again]",
  unknown: "[interrupted while it ran; its outcome is unknown. Check its effect before running it again]",
};
const request = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: [{ text: "You are Talaria.", isStable: true }],
  messages: [{ role: "user", text }],
  tools: TOOLS,
  toolChoice: "auto",
  ...more,
});

describe("the demo model", () => {
  it("[MD-10] says what it is and how to get a real one, within a second, in small pieces", async () => {
    const pieces: string[] = [];
    let waitedMs = 0;
    const sleep = async (delayMs: number): Promise<void> => {
      waitedMs += delayMs;
    };
    const outcome = await createDemoModel({ ...systemClock, sleep }).step(request("hello"), {
      signal: new AbortController().signal,
      onText: (delta) => pieces.push(delta),
    });
    expect(Math.round(waitedMs)).toBeLessThanOrEqual(DEMO_STREAM_MS_MAX);
    expect(DEMO_STREAM_MS_MAX).toBeLessThanOrEqual(1_000);
    expect(outcome).toMatchObject({ kind: "complete", finish: "stop", calls: [] });
    expect((outcome as CompleteStep).text).toMatch(/not an AI.*talaria setup/s);
    expect(pieces.join("")).toBe((outcome as CompleteStep).text);
    expect(pieces.length).toBeGreaterThan(20);
  });

  it.each([
    ["read notes.txt", "read_file", { path: "notes.txt" }],
    ["which tools are there?", "search_files", { pattern: "*", target: "files" }],
    ["run date -u", "terminal", { command: "date -u" }],
    ["please run `ls -l`", "terminal", { command: "ls -l" }],
    ["read /etc/passwd", "read_file", { path: "/etc/passwd" }],
    ["please show me ~/.profile.", "read_file", { path: "~/.profile" }],
    ["open ../LICENSE", "read_file", { path: "../LICENSE" }],
    ["delete everything", "terminal", { command: "rm -r ./talaria-demo-that-does-not-exist" }],
  ])("[MD-10] answers %j with a call of %s", (said, name, input) => {
    const { text, calls } = demoAnswer(request(said));
    expect(calls).toMatchObject([{ name, input }]);
    expect(text).toContain(DEMO_LABEL);
  });

  it("[MD-10] keeps a to-do list when asked for one", () => {
    expect(demoAnswer(request("make a todo list")).calls).toMatchObject([
      {
        name: "todo",
        input: { items: [{ id: "1", status: "in_progress" }, { status: "pending" }, { status: "pending" }] },
      },
    ]);
  });

  it("[MD-10] answers the same request with the same bytes, ids included", () => {
    expect(demoAnswer(request("run date"))).toEqual(demoAnswer(request("run date")));
    const later: readonly ModelMessage[] = [
      { role: "user", text: "run date" },
      { role: "assistant", text: "x", calls: [] },
      { role: "user", text: "run date" },
    ];
    expect(demoAnswer(request("", { messages: later })).calls[0]?.id).not.toBe(
      demoAnswer(request("run date")).calls[0]?.id,
    );
  });

  it("[MD-10] ends after a result, and shows the beginning of it", () => {
    const messages: readonly ModelMessage[] = [
      { role: "user", text: "read notes.txt" },
      { role: "assistant", text: "", calls: [{ id: "a", name: "read_file", arguments: "{}" }] },
      { role: "tool", results: [{ id: "a", name: "read_file", text: "milk\neggs", isError: false }] },
    ];
    const { text, calls } = demoAnswer(request("", { messages }));
    expect(calls).toEqual([]);
    expect(text).toContain("> milk\n> eggs");
    expect(text).toContain(DEMO_LABEL);
  });

  const reportAfter = (text: string, isError: boolean): string => {
    const messages: readonly ModelMessage[] = [
      { role: "user", text: "run date" },
      { role: "assistant", text: "", calls: [{ id: "a", name: "terminal", arguments: "{}" }] },
      { role: "tool", results: [{ id: "a", name: "terminal", text, isError }] },
    ];
    return demoAnswer(request("", { messages })).text;
  };

  it("[MD-10] shows a result with its indentation, and that it goes on", () => {
    expect(reportAfter("\n   1  milk\n      eggs\n", false)).toContain(">    1  milk\n>       eggs\n\n");
    expect(reportAfter(Array.from({ length: 9 }, (_, n) => `  ${n}`).join("\n"), false)).toContain(">   5\n> …\n");
  });

  it.each([
    ["The person denied this. Do not try the same by another way; go on", /you did not allow it, so nothing was run/],
    [
      "This needs a person's leave, and nobody could be asked. It was not done.",
      /nobody could be asked, so nothing was run/,
    ],
    [
      "Refused: it erases the disk. No setting opens this",
      /never runs, whatever you allow\. Nothing was run:\n> Refused: it erases the disk\.\n\n/,
    ],
    [ABANDONED_TEXT.interrupted, /interrupted before it finished/],
    [ABANDONED_TEXT.unknown, /nobody knows whether it had its effect/],
    [
      "terminal did not end within its time limit of 5 s. Its outcome is unknown.",
      /nobody knows whether it had its effect/,
    ],
    ["date: no such option", /did not succeed\. What came back:\n> date: no such option/],
  ])("[MD-10] is true to a call that ended with %j", (text, expected) => {
    expect(reportAfter(text, true)).toMatch(expected);
    expect(reportAfter(text, true)).not.toMatch(/the tool ran|real result|Do not try/);
  });

  describe("asked to continue", () => {
    const talk = (...messages: readonly ModelMessage[]) => demoAnswer(request("", { messages }));
    const hello = demoAnswer(request("hello")).text;
    const person = (text: string): ModelMessage => ({ role: "user", text });
    const call: ModelMessage = {
      role: "assistant",
      text: "x",
      calls: [{ id: "a", name: "terminal", arguments: "{}" }],
    };
    const result = (text: string): ModelMessage => ({
      role: "tool",
      results: [{ id: "a", name: "terminal", text, isError: true }],
    });

    it.each(["continue", "/continue", "[continue]", "Continue."])(
      "[MD-10] by %j gives the rest of a cut answer",
      (said) => {
        const cut = hello.slice(0, 100);
        const { text } = talk(
          person("hello"),
          { role: "assistant", text: `${cut}\n\n[interrupted here]`, calls: [] },
          person(said),
        );
        expect(text).toBe(`${DEMO_LABEL} … ${hello.slice(100).trimStart()}`);
      },
    );

    it("[MD-10] asks again for what was interrupted and can be run again, with an id of its own", () => {
      const first = talk(person("run date")).calls[0];
      const { calls } = talk(person("run date"), call, result(ABANDONED_TEXT.interrupted), person("continue"));
      expect(calls).toMatchObject([{ name: "terminal", input: { command: "date" } }]);
      expect(calls[0]?.id).not.toBe(first?.id);
    });

    it("[MD-10] repeats nothing whose outcome is unknown", () => {
      const { text, calls } = talk(person("run date"), call, result(ABANDONED_TEXT.unknown), person("continue"));
      expect(calls).toEqual([]);
      expect(text).toContain("nobody knows whether it had its effect");
    });

    it("[MD-10] answers what was never answered", () => {
      expect(talk(person("run date\n\ncontinue")).calls).toMatchObject([{ input: { command: "date" } }]);
    });

    it("[MD-10] says so when there is nothing to go on with", () => {
      const { text } = talk(person("hello"), { role: "assistant", text: hello, calls: [] }, person("continue"));
      expect(text).toContain("nothing of mine to go on with");
      expect(text).not.toContain("I am a script");
      expect(talk(person("continue")).text).toContain("nothing of mine");
    });
  });

  it("[MD-10] asks for no tool that is not offered, not allowed, or wants more than it can say", () => {
    expect(demoAnswer(request("read notes.txt", { tools: [] })).calls).toEqual([]);
    expect(demoAnswer(request("read notes.txt", { toolChoice: "none" })).calls).toEqual([]);
    const demanding = [tool("read_file", { path: {}, reason: {} }, ["path", "reason"])];
    expect(demoAnswer(request("read notes.txt", { tools: demanding })).calls).toEqual([]);
  });

  it("[MD-10] gives a title and a summary when it is asked for them", () => {
    const asked = (system: string, text: string): string =>
      demoAnswer(request(text, { system: [{ text: system, isStable: true }], tools: [], toolChoice: "none" })).text;
    expect(
      asked("You name conversations. Answer with a title.", "Person:\nwhat is in notes.txt?\n\nAnswer:\nmilk"),
    ).toBe("Demo: what is in notes.txt?");
    expect(asked("Answer with a title.", `Person:\nhello\n\nAnswer:\n${DEMO_LABEL} I am a script\n\nTitle:`)).toBe(
      "Demo: hello",
    );
    const summary = asked(
      "The part you are shown will be replaced by your summary",
      `<conversation>\nuser: milk\n${"x\n".repeat(5_000)}</conversation>`,
    );
    expect(summary).toContain("user: milk");
    expect(summary).toContain(DEMO_LABEL);
    expect(summary.length).toBeLessThan(2_000);
  });

  it("[MD-7] stops when it is interrupted, and keeps what it had said", async () => {
    const abort = new AbortController();
    const clock = new ManualClock();
    const outcome = createDemoModel(clock).step(request("hello"), { signal: abort.signal });
    for (let piece = 0; piece < 3; piece++) {
      clock.advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
    abort.abort();
    expect(await outcome).toEqual({ kind: "aborted", partial: "[demo model, not " });
  });

  it("is labelled wherever a model is named, and is known to cost nothing", async () => {
    const model = await createModel({ provider: "demo", name: "demo" }, { clock: systemClock });
    expect(model).toMatchObject({ isDemo: true, label: "demo/demo", price: { input: 0, output: 0 } });
  });
});
