import { afterEach, describe, expect, it } from "vitest";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

const LONG = "This is the beginning of a long answer, and it goes on";

async function open(script: Parameters<typeof scriptedModel>[0]): Promise<GatewayScene> {
  const scene = new GatewayScene({ models: [scriptedModel(script)], account: { streams: true } });
  scenes.push(scene);
  return scene.up();
}

describe("an answer as it grows", () => {
  it("[GW-15] is one message in the end: the reply takes the preview's place", async () => {
    const at = await open([{ hangsAfter: LONG }, { text: "The short answer." }]);
    await at.paper.hear("hello");
    await at.shows([LONG]);
    expect(at.paper.typed).toBeGreaterThan(0);
    await at.restart();
    // The turn went on in the next process; its reply finds the preview of the one before.
    await at.shows(["The short answer."]);
    expect(at.paper.shown()).toEqual(["The short answer."]);
  });

  it("[GW-15] that is interrupted says so where it stood", async () => {
    const at = await open(async () => ({ hangsAfter: LONG }));
    await at.paper.hear("hello");
    await at.shows([LONG]);
    const [route] = await at.scene.store.routes({ limit: 1 });
    await at.live.interrupt(route?.conversation as never);
    await at.shows([`${LONG}\n\n(interrupted)`]);
  });

  it("[GW-15] is sent anew when somebody removed the preview", async () => {
    const at = await open([{ hangsAfter: LONG }, { text: "The short answer." }]);
    await at.paper.hear("hello");
    await at.shows([LONG]);
    at.paper.sheet.splice(0);
    await at.restart();
    await at.shows(["The short answer."]);
  });
});
