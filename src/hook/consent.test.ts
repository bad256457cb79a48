/** Leave to run: kept in a closed file, exact to the command line, and none at all when the file cannot be read. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { CONSENTS_MAX, isAllowed, readConsents, writeConsents } from "./consent.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-consent-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
const path = join(folder, "hooks", "allowed.json");
const consent = { event: "on_session_end", command: "notify", allowedMs: 7 };

it("[HK-8] is kept in a file that only its owner may read", async () => {
  expect(await readConsents(path)).toEqual([]);
  await writeConsents(path, [consent]);
  expect(await readConsents(path)).toEqual([consent]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("[HK-8] is for one event and one command line", () => {
  expect(isAllowed([consent], consent)).toBe(true);
  expect(isAllowed([consent], { ...consent, event: "on_session_start" })).toBe(false);
  expect(isAllowed([consent], { ...consent, command: "notify --all" })).toBe(false);
});

it.each(["", "{", "[]", '{"allowed": 7}'])("[HK-8] is none in a file that holds %j, and that is said", async (text) => {
  const damaged = join(folder, "damaged.json");
  writeFileSync(damaged, text);
  await expect(readConsents(damaged)).rejects.toThrow(/no hook is allowed/);
});

it("[HK-8] skips what is no consent, and is bounded", async () => {
  writeFileSync(path, JSON.stringify({ allowed: [7, null, { event: "x" }, consent] }));
  expect(await readConsents(path)).toEqual([consent]);
  await expect(writeConsents(path, Array(CONSENTS_MAX + 1).fill(consent))).rejects.toThrow(/at most/);
});
