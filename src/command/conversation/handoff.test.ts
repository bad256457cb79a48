import { afterEach, describe, expect, it } from "vitest";
import type { HostId } from "#base/ids.js";
import { CommandScene } from "../../../test/support/command-scene.js";

let scene: CommandScene;
afterEach(() => scene.remove());

const KEY = "agent:main:telegram:dm:42";

describe("/handoff", () => {
  it("[GW-40] leads the chat to this conversation and tells the chat, in its words", async () => {
    scene = new CommandScene([{ text: "hi" }]);
    const conversation = await scene.exchange("plan the trip");
    await scene.store.setTitle({ conversation, title: "The trip" });
    expect(await scene.answer("/handoff", conversation)).toMatch(/^It goes on in telegram:42/);
    expect(await scene.store.route({ key: KEY })).toMatchObject({ conversation, platform: "telegram", chatType: "dm" });
    const due = await scene.store.claimDeliveries({ host: "h" as HostId, limit: 9, nowMs: scene.clock.nowMs() });
    expect(due).toMatchObject([
      { platform: "telegram", address: { chatId: "42" }, text: "“The trip” continues here. Say something to go on." },
    ]);
  });

  it("[GW-40] keeps what the chat had before, and says how to get there", async () => {
    scene = new CommandScene([{ text: "hi" }]);
    const earlier = await scene.exchange("something else");
    const nowMs = scene.clock.nowMs();
    await scene.store.resume({ actor: { platform: "telegram", routeKey: KEY }, to: earlier, nowMs });
    const conversation = await scene.exchange("plan the trip");
    expect(await scene.answer("/handoff telegram:42", conversation)).toContain(`/resume ${earlier}`);
    expect((await scene.store.route({ key: KEY }))?.conversation).toBe(conversation);
  });

  it("[GW-40] goes to a chat of the owner alone, and owes nothing otherwise", async () => {
    scene = new CommandScene([{ text: "hi" }]);
    const conversation = await scene.exchange("plan the trip");
    expect(await scene.answer("/handoff telegram:7", conversation)).toBe("telegram:7 is not known as a chat of yours.");
    expect(await scene.store.routes({ limit: 9 })).toEqual([]);
    expect((await scene.store.stats({})).open.deliveries).toBe(0);
  });

  it("has nothing to hand over before the first message", async () => {
    scene = new CommandScene([]);
    expect(await scene.answer("/handoff")).toMatch(/^Nothing was said yet/);
  });
});
