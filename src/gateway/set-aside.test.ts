import { afterEach, describe, expect, it } from "vitest";
import { ADA, BOB, ChatScene } from "../../test/support/chat-scene.js";
import { type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";

const scenes: ChatScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

describe("a chat whose turn ended the program three times", () => {
  it("[CT-9] [CT-1] is set aside and says so, to what is said next too; others are answered, and /resume goes back", async () => {
    let isDeadly = true;
    const asked: string[] = [];
    const model = scriptedModel(async ({ messages }): Promise<ScriptedReply> => {
      const last = messages.at(-1);
      const said = last?.role === "user" ? last.text : "";
      asked.push(said);
      return isDeadly && said === "deadly" ? { hangsAfter: "" } : { text: `answer to ${said}` };
    });
    const at = await ChatScene.open([], { models: [model] });
    scenes.push(at);
    await at.say("deadly");
    for (let deaths = 0; deaths < 3; deaths++) {
      await at.until(() => asked.length === deaths + 1);
      await at.restart();
    }
    await at.shows([/set aside.*\/resume.*\/new/]);
    isDeadly = false;
    await at.say("next");
    await at.say("hello", { by: BOB });
    await at.shows(["answer to hello"], BOB.id);
    await at.shows([/set aside/, /set aside[\s\S]*\/new/]);
    expect(asked).toEqual(["deadly", "deadly", "deadly", "hello"]);
    expect(await at.ask("/resume")).toMatch(/set aside no longer/);
    expect(await at.ask("once more")).toMatch(/^answer to [\s\S]*once more$/);
    expect(at.paper.shown(ADA.id)).toHaveLength(4);
  });
});
