import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import type { HostId } from "#base/ids.js";
import { type HomePaths, homePaths, prepareHome } from "#config/home.js";
import type { SessionStore } from "#session/store.js";
import { inMemory } from "../../../test/support/sqlite-stores.js";
import { accountsOf } from "./accounts.js";
import { oweMessage } from "./owe-message.js";
import { type Problem, problem } from "./problem.js";
import { findTarget, type Target } from "./target.js";

let home: HomePaths;
let store: SessionStore;
beforeEach(async () => {
  home = homePaths(mkdtempSync("/tmp/owe-"));
  prepareHome(home);
  ({ store } = await inMemory());
});
afterEach(async () => {
  await store.close();
  rmSync(home.root, { recursive: true, force: true, maxRetries: 20 });
});

async function target(words: string, account?: string, problems: readonly Problem[] = []): Promise<Target> {
  const { loadConfig } = await import("#config/load.js");
  const yaml = `platforms:
  telegram: { home: "-5", accounts: { a: { token: "1:x" }, b: { token: "2:y" } } }
  irc: { host: h, nick: n }
`;
  writeFileSync(home.config, yaml, { mode: 0o600 });
  const read = await accountsOf({ home, env: {}, config: loadConfig(home, {}) });
  return findTarget(
    { ...read, problems: [...read.problems, ...problems] },
    { words, ...(account === undefined ? {} : { account }) },
  );
}

const due = () => store.claimDeliveries({ host: "h" as HostId, limit: 9, nowMs: systemClock.nowMs() });

describe("where a message goes", () => {
  it.each([
    ["telegram:42", "dm", "42", undefined],
    ["telegram", "group", "-5", undefined],
    ["telegram:-7:12", "group", "-7", "12"],
    ["telegram:a%3Ab%25", "dm", "a:b%", undefined],
  ])("%s is a place there", async (words, chatType, chatId, threadId) => {
    const { address } = await target(words, "b");
    expect(address).toMatchObject({ platform: "telegram", account: "b", chatType, chatId });
    expect(address.threadId).toBe(threadId);
  });

  it("[GW-23] may be named with the account that sends it, which then has no other", async () => {
    const { address, label } = await target("telegram@b:42");
    expect([address.account, label]).toEqual(["b", "telegram@b:42"]);
    expect((await target("telegram@a")).label).toBe("telegram@a:-5");
    expect((await target("irc@main:#ops", "main")).label).toBe("irc:#ops");
    await expect(target("telegram@c:42")).rejects.toThrow("telegram has no account c");
    await expect(target("telegram@b:42", "a")).rejects.toThrow("is not the account a");
    await expect(target("telegram@:42")).rejects.toThrow("names no chat");
  });

  it("is asked for where nobody can know", async () => {
    expect((await target("irc:#ops")).address.chatType).toBe("channel");
    await expect(target("telegram:42")).rejects.toThrow("say which account on telegram: a, b");
    await expect(target("telegram:1:2:3")).rejects.toThrow("names no chat");
    const wrong = problem({ platform: "slack" }, "platforms.slack", "is wrong");
    await expect(target("slack:C1", undefined, [wrong])).rejects.toThrow("platforms.slack: is wrong");
  });
});

describe("a message from the shell", () => {
  it("[CT-3] is owed in parts that fit, with a copy of the file that goes along", async () => {
    const file = join(home.root, "report.txt");
    writeFileSync(file, "as it was");
    const to = await target("telegram:42", "a");
    const text = "word ".repeat(1_000);
    const ids = await oweMessage({ store, home, clock: systemClock, target: to, text, files: [file] });
    expect(ids).toHaveLength(3);
    writeFileSync(file, "changed since");
    const [kept] = readdirSync(home.attachments);
    const { asked } = await store.outboxStanding({ limit: 0, ids });
    expect(asked.every(({ state }) => state.phase === "pending")).toBe(true);
    expect(readFileSync(join(home.attachments, kept ?? ""), "utf8")).toBe("as it was");
    expect((await due())[0]).toMatchObject({ part: 1, parts: 3, address: { chatId: "42", account: "a" } });
  });

  it("with a file that cannot go owes nothing", async () => {
    const to = await target("telegram:42", "a");
    const wish = { store, home, clock: systemClock, text: "words" };
    await expect(oweMessage({ ...wish, target: to, files: [home.root] })).rejects.toThrow("is no file");
    const irc = await target("irc:#ops");
    await expect(oweMessage({ ...wish, target: irc, files: [home.config] })).rejects.toThrow("IRC takes no files");
    expect(await due()).toEqual([]);
  });
});
