/** What a person does while their conversation is being summarised. */
import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import type { ModelRequest } from "#model/model.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { type ScriptedModel, scriptedModel } from "../../test/support/scripted-model.js";

const WINDOW = 8_000;
const LONG = "lorem ipsum dolor sit amet ".repeat(60);
const SUMMARY = "## Done\nmuch was said about herons";

let scene: RuntimeScene;
afterEach(() => scene.remove());

const isSummaryRequest = ({ system }: ModelRequest): boolean =>
  system[0]?.text.includes("memory of a conversation") === true;

/** Talks until the conversation is summarised for the first time, during which `meanwhile` happens. */
async function talk(meanwhile: (conversation: ConversationId) => Promise<unknown>) {
  let conversation: ConversationId | undefined;
  let summaries = 0;
  const model: ScriptedModel = scriptedModel(
    async (request) => {
      if (!isSummaryRequest(request)) return { text: `Answer: ${LONG}` };
      if (++summaries === 1 && conversation !== undefined) await meanwhile(conversation);
      return { text: SUMMARY };
    },
    { windowTokens: WINDOW },
  );
  scene = new RuntimeScene({ models: [model] });
  const first = await scene.turn(`Question: ${LONG}`);
  conversation = first.conversation;
  const reports = [first];
  for (let turn = 0; summaries === 0 && turn < 12; turn++) {
    await scene.say(`Question ${turn}: ${LONG}`, conversation);
    reports.push(...(await scene.run(conversation)));
  }
  expect(summaries).toBeGreaterThan(0);
  return { conversation, model, first, reports };
}

describe("while a summary is made", () => {
  it("[CR-7] [CT-1] what is said is answered in the child, once, from the summary", async () => {
    const { conversation, model, first, reports } = await talk((at) => scene.say("and the herons?", at));
    const child = (await scene.store.show({ conversation }))?.tip;
    expect(child).not.toBe(first.session);
    expect(reports.at(-1)).toMatchObject({ outcome: "completed", session: child });
    const asking = model.requests.filter(
      (request) => !isSummaryRequest(request) && JSON.stringify(request.messages.at(-1)).includes("and the herons?"),
    );
    expect(asking).toHaveLength(1);
    expect(JSON.stringify(asking[0]?.messages)).toContain("much was said about herons");
    expect(JSON.stringify(asking[0]?.messages)).not.toContain("Question 0");
    const said = (await scene.history(conversation)).filter(({ text }) => text === "and the herons?");
    expect(said).toHaveLength(1);
  });

  it("[CR-6] /new wins: the summary is dropped, and the new conversation stays new", async () => {
    const fresh: ConversationId[] = [];
    const { conversation, first } = await talk(async (from) => {
      const actor = { platform: "cli" };
      const reset = await scene.store.reset({ actor, from, start: { source: "cli" }, nowMs: scene.clock.nowMs() });
      if (reset.kind === "reset") fresh.push(reset.conversation);
    });
    expect(fresh).toHaveLength(1);
    expect(await scene.store.show({ conversation })).toMatchObject({ tip: first.session, endReason: "session_reset" });
    expect(await scene.history(fresh[0] as ConversationId)).toEqual([]);
  });
});
