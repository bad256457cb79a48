import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import type { DeliveryId } from "#base/ids.js";
import type { SendOutcome } from "#platform/platform.js";
import type { SessionStore } from "#session/store.js";
import type { DueDelivery } from "#session/verbs/outbox.js";
import { GatewayScene } from "../../test/support/gateway-scene.js";
import { ManualClock } from "../../test/support/manual-clock.js";
import { PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { scriptedModel } from "../../test/support/scripted-model.js";
import { createDeadNotices } from "./dead-notices.js";
import type { Account } from "./gateway.js";
import { UNSURE_MAX } from "./sending.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.remove();
});

const REFUSED: SendOutcome = { kind: "refused", why: "blocked" };

function account(paper: PaperPlatform, name: string, homeChat: string): Account {
  return paperAccount(paper.kind({ name }), { homeChat, streams: false });
}

/** `platform/account=home chat`, or without one. */
function accountOf(spelled: string): Account {
  const [full = "", homeChat] = spelled.split("=");
  const [platform = "", name = ""] = full.split("/");
  const home = homeChat === undefined ? {} : { homeChat };
  return paperAccount(new PaperPlatform().kind({ name: platform }), { name, ...home });
}

describe("a message that will never arrive", () => {
  it("[CT-3] is told once, also when nobody can be told", async () => {
    const papers = [new PaperPlatform(), new PaperPlatform()] as const;
    for (const paper of papers) paper.fates.push(...Array.from({ length: 100 }, () => REFUSED));
    const accounts = [account(papers[0], "paper", "h1"), account(papers[1], "other", "h2")];
    const at = new GatewayScene({ models: [scriptedModel([])], parts: { accounts } });
    scenes.push(at);
    await at.up();
    await owe(at, ["hello"]);
    await at.pass(30_000);
    const tried = papers.flatMap(({ attempts }) => attempts.map(({ place }) => place.chat.id));
    expect(tried).toEqual(["1", "h1"]);
  });

  it("[CT-3] is told at once: nobody waits until the outbox looks again", async () => {
    const paper = new PaperPlatform();
    paper.fates.push(REFUSED);
    const at = sceneOf(paper, (settle, args) => settle(args));
    await at.up();
    await owe(at, ["hello"]);
    // The clock stands still.
    await at.until(() => paper.shown("h1").length > 0);
    expect(paper.attempts).toHaveLength(2);
  });

  it.each([
    ["in its account's home chat", "paper/b", ["paper/a=h1", "paper/b=h2"], "paper/b h2"],
    ["there, where both are called alike", "paper/b", ["paper/a=h", "paper/b=h"], "paper/b h"],
    ["also to a chat that is another account's home", "paper/b", ["paper/a=1", "paper/b=h"], "paper/b h"],
    ["as the main account's, where it names none", "paper/", ["paper/a=h1", "paper/main=h2"], "paper/main h2"],
    ["on another platform, where its account has no home", "paper/b", ["paper/a=h1", "irc/a=h2"], "irc/a h2"],
    ["to nobody rather than by another account of its platform", "paper/b", ["paper/a=h1", "paper/b"], undefined],
  ])("[GW-23] is told %s", (_, of, accounts, told) => {
    const notices = createDeadNotices({ accounts: accounts.map(accountOf), clock: new ManualClock() });
    const notice = notices.of(dueOf(of), "blocked");
    const to = notice?.address;
    expect(to && `${notice.platform}/${to.account} ${to.chatId}`).toBe(told);
  });

  it("[GW-23] is told for each account, where two have a chat of the same id", () => {
    const accounts = ["paper/a=h1", "paper/b=h2"].map(accountOf);
    const notices = createDeadNotices({ accounts, clock: new ManualClock() });
    notices.kept(dueOf("paper/a"));
    expect(notices.of(dueOf("paper/a"), "blocked")).toBeUndefined();
    expect(notices.of(dueOf("paper/b"), "blocked")).toBeDefined();
  });

  it("[CT-3] is told once for all parts of it", async () => {
    const papers = [new PaperPlatform(), new PaperPlatform()] as const;
    papers[0].fates.push(...Array.from({ length: 5 }, () => REFUSED));
    const accounts = [account(papers[0], "paper", "h1"), account(papers[1], "other", "h2")];
    const at = new GatewayScene({ models: [scriptedModel([])], parts: { accounts } });
    scenes.push(at);
    await at.up();
    const parts = ["one", "two", "three", "four", "five"];
    await owe(at, parts);
    await at.pass(30_000);
    const told = papers[0].attempts.filter(({ place }) => place.chat.id !== "1").map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining("could not be delivered")]);
    expect(papers[0].attempts).toHaveLength(parts.length + 1);
  });

  it("[CT-3] is told by the next host when this one dies with the row's end stored", async () => {
    const paper = new PaperPlatform();
    paper.fates.push(REFUSED);
    let isDead = false;
    const at = sceneOf(paper, async (settle, args) => {
      const settled = await settle(args);
      if (args.event.type !== "gave-up") return settled;
      // Committed, and nobody lives to hear so.
      isDead = true;
      return new Promise<never>(() => undefined);
    });
    await at.up();
    await owe(at, ["hello"]);
    await at.until(() => isDead);
    expect(paper.attempts).toHaveLength(1);
    await at.restart();
    await at.pass(5_000);
    expect(paper.shown("h1")).toEqual([expect.stringContaining("could not be delivered: blocked.\n> hello")]);
    expect(paper.shown("1")).toEqual([]);
  });

  it("[CT-3] [CT-8] is told also when the store was away as it was given up on", async () => {
    const paper = new PaperPlatform();
    let outages = 0;
    const at = sceneOf(paper, (settle, args) => {
      if (args.event.type !== "gave-up" || outages === 3) return settle(args);
      outages++;
      throw new OperationalError("full", "after-delay", "no room");
    });
    await at.up();
    // Nobody can ever say whether it arrived.
    paper.fates.push(...Array.from({ length: UNSURE_MAX }, (): SendOutcome => ({ kind: "unknown", why: "cut" })));
    await owe(at, ["hello"]);
    for (let tries = 0; tries < 60 && paper.shown("h1").length === 0; tries++) await at.pass(10_000);
    expect(outages).toBe(3);
    expect(paper.shown("h1")).toEqual([expect.stringContaining("nobody can say whether it arrived")]);
  });
});

/** What `platform/account` owed to chat 1. */
function dueOf(full: string): DueDelivery {
  const [platform = "", name = ""] = full.split("/");
  const account = name === "" ? {} : { account: name };
  const address = { platform, ...account, chatType: "dm", chatId: "1" };
  const nobodys = { body: null, conversation: null, turn: null, preview: null };
  const sent = { part: 1, parts: 1, attempts: 1, isMarked: false, createdMs: 0 };
  return { id: "d" as DeliveryId, platform, address, text: "hello", ...nobodys, ...sent };
}

type Settle = SessionStore["settleDelivery"];

/** One account, in whose store a delivery ends as the test says. */
function sceneOf(paper: PaperPlatform, end: (settle: Settle, args: Parameters<Settle>[0]) => ReturnType<Settle>) {
  const at = new GatewayScene({
    models: [scriptedModel([])],
    parts: { accounts: [account(paper, "paper", "h1")] },
    wrap: (store) => ({ ...store, settleDelivery: async (args) => end(store.settleDelivery, args) }),
  });
  scenes.push(at);
  return at;
}

/** Something to somebody, outside any conversation. */
async function owe(at: GatewayScene, parts: readonly string[]): Promise<void> {
  const address = { platform: "paper", account: "main", chatType: "dm", chatId: "1" };
  await at.scene.store.oweDelivery({ platform: "paper", address, parts, nowMs: at.scene.clock.nowMs() });
  at.gateway.poke();
}
