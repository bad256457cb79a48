import { afterEach, describe, expect, it } from "vitest";
import type { SendOutcome } from "#platform/platform.js";
import { NO_RESET } from "#session/reset-policy.js";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import { PaperPlatform } from "../../test/support/paper-platform.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import type { Account } from "./gateway.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.remove();
});

const REFUSED: SendOutcome = { kind: "refused", why: "blocked" };

function account(paper: PaperPlatform, name: string, homeChat: string): Account {
  return {
    kind: paper.kind({ name }),
    name: "main",
    settings: {},
    allow: ["42"],
    owners: [],
    pairing: false,
    busy: "queue",
    needsMention: true,
    streams: false,
    homeChat,
    chats: {},
    resetPolicy: () => NO_RESET,
  };
}

describe("a message that will never arrive", () => {
  it("[CT-3] is told once, also when nobody can be told", async () => {
    const papers = [new PaperPlatform(), new PaperPlatform()] as const;
    for (const paper of papers) paper.fates.push(...Array.from({ length: 100 }, () => REFUSED));
    const accounts = [account(papers[0], "paper", "h1"), account(papers[1], "other", "h2")];
    const at = new GatewayScene({ models: [scriptedModel([])], parts: { accounts } });
    scenes.push(at);
    await at.up();
    await at.scene.store.oweDelivery({
      platform: "paper",
      address: { platform: "paper", account: "main", chatType: "dm", chatId: "1" },
      parts: ["hello"],
      nowMs: at.scene.clock.nowMs(),
    });
    at.gateway.poke();
    await at.pass(30_000);
    const tried = papers.flatMap(({ attempts }) => attempts.map(({ place }) => place.chat.id));
    expect(tried).toEqual(["1", "h1"]);
  });

  it("[CT-3] is told once for all parts of it", async () => {
    const papers = [new PaperPlatform(), new PaperPlatform()] as const;
    papers[0].fates.push(...Array.from({ length: 5 }, () => REFUSED));
    const accounts = [account(papers[0], "paper", "h1"), account(papers[1], "other", "h2")];
    const at = new GatewayScene({ models: [scriptedModel([])], parts: { accounts } });
    scenes.push(at);
    await at.up();
    const address = { platform: "paper", account: "main", chatType: "dm", chatId: "1" };
    const parts = ["one", "two", "three", "four", "five"];
    await at.scene.store.oweDelivery({ platform: "paper", address, parts, nowMs: at.scene.clock.nowMs() });
    at.gateway.poke();
    await at.pass(30_000);
    const told = papers[0].attempts.filter(({ place }) => place.chat.id !== "1").map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining("could not be delivered")]);
    expect(papers[0].attempts).toHaveLength(parts.length + 1);
  });
});
