/** Two accounts of ours on one platform, such as two IRC networks, where the same ids mean other chats and other people. */
import { afterEach, describe, expect, it } from "vitest";
import type { Account } from "#gateway/gateway.js";
import type { Incoming } from "#platform/platform.js";
import { NO_RESET } from "#session/reset-policy.js";
import { GatewayScene } from "../support/gateway-scene.js";
import { PaperPlatform } from "../support/paper-platform.js";
import { scriptedModel } from "../support/scripted-model.js";

const NAMES = ["libera", "main", "oftc"] as const;
type Name = (typeof NAMES)[number];

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

/** Answers with every word of the tests that it was shown, wherever in the request: what crosses over is seen. */
const model = scriptedModel((request) => ({
  text: [...new Set(JSON.stringify(request).match(/\b(?:libera|main|oftc)-\d+\b/g))].join(" "),
}));

async function open(more: Partial<Account> = {}) {
  const papers = Object.fromEntries(NAMES.map((name) => [name, new PaperPlatform()])) as Record<Name, PaperPlatform>;
  const accounts = NAMES.map((name) => ({
    kind: papers[name].kind(),
    name,
    settings: {},
    allow: ["42"],
    owners: [],
    pairing: true,
    busy: "queue" as const,
    needsMention: true,
    streams: true,
    chats: {},
    resetPolicy: () => NO_RESET,
    ...more,
  }));
  const at = new GatewayScene({ models: [model], parts: { accounts } });
  scenes.push(at);
  await at.up();
  /** The same event of the same person in the same chat, as every account's adapter names it, all at once. */
  const hear = async (text: (name: Name) => string, how: Partial<Incoming> = {}): Promise<void> => {
    await Promise.all(NAMES.map((name) => papers[name].hear(text(name), how)));
  };
  const shows = async (expected: (name: Name) => readonly (string | RegExp)[], chat: string): Promise<void> => {
    const isShown = (): boolean =>
      NAMES.every((name) => {
        const shown = papers[name].shown(chat);
        return expected(name).every((one, at) =>
          typeof one === "string" ? shown[at] === one : one.test(shown[at] ?? ""),
        );
      });
    for (let tries = 0; tries < TRIES_MAX && !isShown(); tries++) await at.pass(500);
    // Whatever else was to come has had its time.
    await at.pass(2_000);
    for (const name of NAMES) {
      const wanted = expected(name).map((one) => (typeof one === "string" ? one : expect.stringMatching(one)));
      expect([name, papers[name].shown(chat)]).toEqual([name, wanted]);
    }
  };
  return { at, papers, hear, shows, store: at.scene.store, clock: at.scene.clock };
}

const TRIES_MAX = 100;
const PLACES: readonly (readonly [string, Partial<Incoming>])[] = [
  ["a direct chat", { chat: { type: "dm", id: "ops" } }],
  ["a channel", { chat: { type: "channel", id: "ops" } }],
  ["a thread that all who talk there share", { chat: { type: "group", id: "ops", threadId: "t" } }],
];

describe("accounts of one platform with equal ids", () => {
  it.each(PLACES)("[GW-23] [CT-3] answer where they were asked, with what was said there, in %s", async (_, where) => {
    const { at, hear, shows, store } = await open();
    await hear((name) => `${name}-1`, where);
    await shows((name) => [`${name}-1`], "ops");
    await at.restart();
    await hear((name) => `${name}-2`, where);
    await shows((name) => [`${name}-1`, `${name}-1 ${name}-2`], "ops");
    const routes = await store.routes({ limit: 9 });
    expect(routes.map(({ origin }) => origin?.account)).toEqual(["main", "libera", "oftc"]);
    const cards = await Promise.all(routes.map(({ conversation }) => store.show({ conversation })));
    expect(new Set(cards.map((card) => card?.owner)).size).toBe(NAMES.length);
  });

  it("[GW-23] run commands in their own chats: /new on one leaves the others' conversations", async () => {
    const { hear, shows, papers } = await open();
    const where: Partial<Incoming> = { chat: { type: "dm", id: "ops" } };
    await hear((name) => `${name}-1`, where);
    await shows((name) => [`${name}-1`], "ops");
    await papers.oftc.hear("/new", where);
    await shows((name) => (name === "oftc" ? ["oftc-1", /session/i] : [`${name}-1`]), "ops");
    await hear((name) => `${name}-2`, where);
    await shows(
      (name) => (name === "oftc" ? ["oftc-1", /session/i, "oftc-2"] : [`${name}-1`, `${name}-1 ${name}-2`]),
      "ops",
    );
  });

  it("[GW-21] [GW-23] keep each how far it has read in a place that all of them have", async () => {
    const { hear, store } = await open({ pairing: false });
    await hear(() => "not for you", { sender: { id: "66" }, cursor: { name: "ops", value: "7" } });
    for (const account of NAMES) {
      const cursors = await store.cursors({ platform: "paper", account, limit: 9 });
      expect([account, cursors]).toEqual([account, [{ name: "ops", value: "7" }]]);
    }
  });

  it("[GW-23] [GW-5] let in by code whom they showed it to, and not who has that id elsewhere", async () => {
    const { at, hear, shows, papers, store, clock } = await open({ allow: [] });
    const where: Partial<Incoming> = { chat: { type: "dm", id: "66" }, sender: { id: "66", name: "Eve" } };
    await hear(() => "let me in", where);
    await shows(() => [/pairing code/], "66");
    const code = /code: (\S+)/.exec(papers.libera.shown("66")[0] ?? "")?.[1] ?? "";
    await store.approvePairing({ code, role: "owner", by: "test", nowMs: clock.nowMs() });
    at.gateway.poke();
    await hear((name) => `${name}-1`, where);
    await shows((name) => (name === "libera" ? [/pairing code/, /^You are in/, "libera-1"] : [/pairing code/]), "66");
    expect((await store.pairings({ limit: 9, nowMs: clock.nowMs() })).pending.map(({ account }) => account)).toEqual([
      "main",
      "oftc",
    ]);
  });
});
