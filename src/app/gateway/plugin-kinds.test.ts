import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type HomePaths, homePaths, prepareHome } from "#config/home.js";
import { inspectConfig } from "#config/load.js";
import { accountsOf } from "./accounts.js";
import type { ReadAccounts } from "./read-accounts.js";
import { findTarget } from "./target.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync("/tmp/kinds-"));
  prepareHome(home);
  writeFileSync(home.config, 'platforms: { letterbox: { folder: /srv/box, allow: ["ada"] } }\n');
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const LETTERBOX = { name: "letterbox", summary: "files in a folder", textCharsMax: 500, opens: true };

function registered(change: Readonly<Record<string, unknown>> = {}): void {
  const contribution = { hooks: [], tools: [], commands: [], platforms: [LETTERBOX] };
  const state = { version: 1, enabled: ["post"], known: { post: { version: "1.0.0", contribution } }, ...change };
  writeFileSync(join(home.plugins, "state.json"), JSON.stringify(state));
}

function read(): Promise<ReadAccounts> {
  return accountsOf({ home, config: inspectConfig(home, {}), env: {} });
}

it("[GW-41] a plugin's platform is one to commands as well, without the plugin being run", async () => {
  registered();
  const found = await read();
  expect(found.problems).toEqual([]);
  expect(found.accounts.map(({ kind }) => [kind.name, kind.limits.text])).toEqual([["letterbox", 500]]);
  expect(findTarget(found, { words: "letterbox:ada" }).label).toBe("letterbox:ada");
});

it.each([
  ["none is enabled", () => registered({ enabled: [] })],
  ["it was set aside", () => registered({ setAside: [{ name: "post", reason: "threw", atMs: 1 }] })],
  ["the list of plugins is damaged", () => writeFileSync(join(home.plugins, "state.json"), "{")],
])("says that there is no such platform when %s", async (_, prepare) => {
  prepare();
  const { accounts, problems } = await read();
  expect(accounts).toEqual([]);
  expect(problems.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^platforms\.letterbox: there is no such platform/),
  ]);
});
