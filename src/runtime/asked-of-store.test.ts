/** What a turn asks of the store: every question is a hop to another thread, and a person waits for it. */
import { afterEach, describe, expect, it } from "vitest";
import type { SessionStore } from "#session/store.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene?.remove());

function counting(asked: string[]): (store: SessionStore) => SessionStore {
  return (store) =>
    new Proxy(store, {
      get(of, verb: keyof SessionStore) {
        const act = of[verb] as (args: unknown) => unknown;
        return (args: unknown) => {
          asked.push(verb);
          return act.call(of, args);
        };
      },
    });
}

describe("a turn without tools", () => {
  it("looks for nothing that a death could have left: its claim says that nothing is open", async () => {
    const asked: string[] = [];
    const replies = [{ text: "One." }, { text: "Two." }];
    scene = new RuntimeScene({ models: [scriptedModel(replies)], wrap: counting(asked) });
    const { conversation } = await scene.turn("first");
    asked.length = 0;
    await scene.turn("second", conversation);
    expect(asked.filter((verb) => verb !== "applyWantedTitle")).toEqual([
      "admit",
      "claim",
      "takeSteers",
      "tipHistory",
      "settle",
      "claim",
    ]);
  });
});
