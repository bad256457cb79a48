import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.remove());
const run = (...args: string[]) => runCli(["pairing", ...args], { home: home.path });

/** The same id asks on two networks, with a code on each. */
async function ask(codes: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  const { store } = openInlineStore({ path: join(home.path, "state.db") });
  for (const [account, code] of Object.entries(codes)) {
    const address = { platform: "irc", account, chatType: "dm", chatId: "eve", userId: "eve" };
    const nowMs = systemClock.nowMs();
    await store.offerPairing({ platform: "irc", account, sender: "eve", address, code, nowMs });
  }
  await store.close();
}

describe("pairing", () => {
  it("[GW-23] names the account where it is not the main one, and takes it back by that name", async () => {
    await ask({ main: "AAAA2222", oftc: "BBBB2222" });
    expect((await run("list")).stdout).toMatch(/^irc:eve .*^irc@oftc:eve /ms);
    expect((await run("approve", "BBBB2222")).stdout).toMatch(/^irc@oftc:eve is in,/);
    const { stdout } = await run("list", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      pending: [{ platform: "irc", account: "main", sender: "eve" }],
      granted: [{ platform: "irc", account: "oftc", sender: "eve" }],
    });
    expect(await run("revoke", "irc:eve")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("was not let in"),
    });
    expect((await run("revoke", "irc@oftc:eve")).stdout).toMatch(/^irc@oftc:eve is a stranger/);
    expect(await run("revoke", "irc@:eve")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not PLATFORM"),
    });
  });
});
