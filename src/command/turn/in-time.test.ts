/**
 * [CT-7] in a form that knows no machine: the clock is the test's, so that what is counted is what a command waits for,
 * and not how fast anything computes.
 */
import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { CommandScene } from "../../../test/support/command-scene.js";
import { type ScriptedModel, scriptedModel } from "../../../test/support/scripted-model.js";
import type { SlashContext } from "../command.js";

const PROMISED_MS = 2_000;
const STEP_MS = 100;
const WAITING = 20;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

let scene: CommandScene;
afterEach(() => {
  expect(scene.bugs).toEqual([]);
  scene.remove();
});

interface Agent {
  open(): CommandScene;
  /** By which one sees that it is at it; absent: by its first words. */
  readonly sign?: "call-started" | "question" | "asked";
  readonly more?: Partial<SlashContext>;
}

const AGENTS: Readonly<Record<string, Agent>> = {
  "a model that stops in the middle": {
    open: () => new CommandScene([{ hangsAfter: "half" }]),
  },
  "a model that hears nothing, not even that it is to end": {
    open: () => new CommandScene([], { models: [scriptedModel(() => never())] }),
    sign: "asked",
  },
  "a tool that hears nothing": {
    open() {
      const made = new CommandScene([{ calls: [{ name: "stubborn" }] }]);
      made.hand.push(made.tool("stubborn", "at-most-once", { act: () => never() }));
      return made;
    },
    sign: "call-started",
  },
  "a question that nobody answers": {
    open() {
      const made = new CommandScene([{ calls: [{ name: "ask" }] }]);
      made.hand.push(made.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } }));
      return made;
    },
    sign: "question",
  },
  "processes that do not end": {
    open: () => new CommandScene([{ hangsAfter: "half" }]),
    more: { processes: { list: () => [], endAll: () => never(), end: () => never() } },
  },
};

describe.each(Object.entries(AGENTS))("with %s", (_, { open, sign, more }) => {
  it.each([
    ["/status", /^state +(works|waits)/m],
    ["/stop", /interrupted/],
    ["/new", /^New session/],
  ])("[CT-7] %s answers within two seconds", async (line, answer) => {
    scene = open();
    const conversation = await scene.begin("go");
    if (sign === "asked") await expect.poll(() => (scene.options.models[0] as ScriptedModel).requests).toHaveLength(1);
    else await scene.event(conversation, sign ?? "text");
    for (let n = 0; n < WAITING; n++) await scene.begin(`later ${n}`, conversation);
    expect(await answered(line, conversation, more)).toMatch(answer);
  });
});

/** What is answered before the promised time is over. Nothing but the clock is waited for: the store is in this thread. */
async function answered(line: string, conversation: ConversationId, more?: Partial<SlashContext>): Promise<string> {
  let said: string | undefined;
  const answer = scene.answer(line, conversation, more).then((text) => {
    said = text;
  });
  for (let passedMs = 0; ; passedMs += STEP_MS) {
    for (let i = 0; i < 100 && said === undefined; i++) await new Promise((next) => setImmediate(next));
    if (said !== undefined) return answer.then(() => said ?? "");
    if (passedMs >= PROMISED_MS) throw new Error(`${line} has no answer after ${passedMs} ms`);
    scene.clock.advance(STEP_MS);
  }
}
