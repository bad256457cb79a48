/** What a conversation's turns start with, changed by a person while it lives. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { type OpenStore, only, Scenario } from "../../../test/support/scenario.js";
import { SETTINGS_CHARS_MAX } from "../verbs/lifecycle.js";

export function describeSettings(open: OpenStore): void {
  const tipOf = async (scene: Scenario, conversation: ConversationId) =>
    (await scene.card(conversation)).sessions.at(-1) ?? { settings: {} };

  describe("settings", () => {
    it("change what is named, keep what is not, and take out what is null", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const set = { kind: "set", settings: { effort: "high", yolo: true } };
      expect(await scene.store.setSettings({ conversation, changes: { yolo: true } })).toEqual(set);
      expect(await tipOf(scene, conversation)).toMatchObject({ settings: set.settings, model: "model-a" });
      const changes = { effort: null, model: "b/c" };
      const changed = { kind: "set", settings: { yolo: true, model: "b/c" } };
      expect(await scene.store.setSettings({ conversation, changes, model: "b/c" })).toEqual(changed);
      expect(await tipOf(scene, conversation)).toMatchObject({ model: "b/c" });
      expect((await tipOf(scene, conversation)).settings).toEqual(changed.settings);
      expect((await scene.card(conversation)).model).toBe("b/c");
    });

    it("are what the next turn starts with, and outlive the program", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.setSettings({ conversation, changes: { yolo: true } });
      if (scene.isDurable) await scene.restart();
      await scene.say("again", { to: { kind: "conversation", id: conversation } });
      expect((await scene.claim(conversation)).settings).toMatchObject({ yolo: true });
    });

    it("[CR-12] go along with a branch, and change nothing in the parent", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.setSettings({ conversation, changes: { yolo: true } });
      const wish = { actor: { platform: "cli" }, from: conversation, nowMs: scene.tick() };
      const child = only("branched", await scene.store.branch(wish)).conversation;
      await scene.store.setSettings({ conversation: child, changes: { yolo: null } });
      expect(await tipOf(scene, child)).toMatchObject({ settings: { effort: "high" } });
      expect(await tipOf(scene, conversation)).toMatchObject({ settings: { effort: "high", yolo: true } });
    });

    it("refuse to grow without end, and then change nothing", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const changes = { note: "x".repeat(SETTINGS_CHARS_MAX) };
      expect(await scene.store.setSettings({ conversation, changes, model: "m" })).toEqual({ kind: "too-long" });
      expect(await tipOf(scene, conversation)).toMatchObject({ settings: { effort: "high" }, model: "model-a" });
    });

    it("of a conversation that is not there are not set", async () => {
      const scene = await Scenario.open(open);
      const unknown = "nosuchconversation" as ConversationId;
      expect(await scene.store.setSettings({ conversation: unknown, changes: {} })).toEqual({ kind: "unknown" });
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      expect(await scene.store.setSettings({ conversation, changes: { a: 1 } })).toEqual({ kind: "deleted" });
    });
  });
}
