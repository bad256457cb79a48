import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { GatewayScene, type GatewaySceneOptions } from "../../test/support/gateway-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { createPreviews, SHOWN_MAX } from "./previews.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

const LONG = "This is the beginning of a long answer, and it goes on";
const ANSWER = "The short answer.";

async function open(
  script: Parameters<typeof scriptedModel>[0],
  more: Partial<GatewaySceneOptions> = {},
): Promise<GatewayScene> {
  const scene = new GatewayScene({ models: [scriptedModel(script)], account: { streams: true }, ...more });
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

  it.each([
    ["before it is noted where that is", "before", [LONG, ANSWER]],
    ["once it is noted where that is", "after", [ANSWER]],
  ] as const)(
    "[CT-3] [CT-4] [GW-15] is answered once when its first piece is sent and all ends %s",
    async (_, when, left) => {
      let isDead = false;
      const at = await open([{ hangsAfter: LONG }, { text: ANSWER }], {
        wrap: (store) => ({
          ...store,
          async keepPreview(args) {
            if (isDead) return store.keepPreview(args);
            if (when === "after") await store.keepPreview(args);
            isDead = true;
            return new Promise<never>(() => undefined);
          },
        }),
      });
      await at.paper.hear("hello");
      for (let tries = 0; tries < 60 && !isDead; tries++) await at.pass(500);
      expect(at.paper.shown()).toEqual([LONG]);
      await at.restart();
      await at.shows(left);
      await at.pass(30_000);
      expect(at.paper.shown()).toEqual(left);
      expect(await at.scene.store.outboxStanding({ limit: 1 })).toMatchObject({ open: [], deadCount: 0 });
    },
  );

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

  it("[GW-15] is shown in the chat that is answered, when two chats speak to one conversation", async () => {
    let gate = Promise.resolve();
    const at = await open([{ text: "Begun." }, { text: "Begun too." }, { hangsAfter: LONG }], {
      wrap: (store) => ({ ...store, claim: (args) => gate.then(() => store.claim(args)) }),
    });
    await at.paper.hear("hello");
    await at.shows(["Begun."]);
    await at.paper.hear("hello", { chatId: "2" });
    await at.shows(["Begun too."], "2");
    const { store, clock } = at.scene;
    const route = await store.route({ key: "agent:main:paper:dm:1" });
    const actor = { platform: "paper", routeKey: "agent:main:paper:dm:2" };
    await store.resume({ actor, to: route?.conversation as never, nowMs: clock.nowMs() });
    let openGate = (): void => undefined;
    gate = new Promise((resolve) => {
      openGate = resolve;
    });
    await at.paper.hear("one");
    await at.paper.hear("two", { chatId: "2" });
    openGate();
    await at.pass(3_000);
    expect(at.paper.shown("1")).toEqual(["Begun.", LONG]);
    expect(at.paper.shown("2")).not.toContain(LONG);
  });

  it("[GW-15] is not begun again when nobody knows whether its first piece arrived", async () => {
    const at = await open(async () => ({ hangsAfter: LONG }));
    at.paper.fates.push("lost", "lost", "lost");
    await at.paper.hear("hello");
    await at.pass(20_000);
    expect(at.paper.shown()).toEqual([LONG]);
  });

  it("[GW-15] finds a place, however many chats were followed for nothing", async () => {
    const at = await open(async () => ({ hangsAfter: LONG }));
    const watched: string[] = [];
    const counting = createPreviews(
      { ...at.live, follow: (conversation) => void watched.push(conversation), unwatch: () => undefined },
      {
        store: at.scene.store,
        clock: at.scene.clock,
        log: createLogger({ path: `${at.scene.folder}/previews.log`, clock: at.scene.clock }),
        onQuestion: () => undefined,
      },
    );
    const address = { platform: "paper", account: "main", chatType: "dm", chatId: "1" };
    for (let i = 0; i <= SHOWN_MAX; i++) counting.follow(`c${i}` as ConversationId, {} as never, address);
    expect(watched).toContain(`c${SHOWN_MAX}`);
  });

  it("[GW-15] stays above a question that it led to, and the reply comes below both", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const steps = [{ text: LONG, calls: [{ name: "slow" }] }, { calls: [{ name: "danger" }] }, { text: "Done it." }];
    const scene = new GatewayScene({ models: [scriptedModel(steps)], account: { streams: true } });
    scenes.push(scene);
    const guard = { kind: "ask", grant: "danger", why: "it is dangerous" } as const;
    const slow = scene.scene.tool("slow", "read-only", { act: () => held.then(() => ({ kind: "ok", text: "" })) });
    const danger = scene.scene.tool("danger", "at-most-once", { guard });
    scene.scene.options = { ...scene.scene.options, tools: [slow, danger] };
    await (await scene.restart()).paper.hear("do it");
    await scene.shows([LONG]);
    release();
    await scene.shows([LONG, /May I run this/]);
    await scene.paper.hear("and then?");
    await scene.shows([LONG, /May I run this/, /I wait for an answer/]);
    await scene.paper.hear("yes");
    await scene.shows([LONG, /May I run this/, /I wait for an answer/, /Allowed once/, "Done it."]);
  });
});
