import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { changeState, NO_STATE, type PluginState, readState } from "./state.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-pstate-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
const change = (how: (state: PluginState) => PluginState) => changeState(root, systemClock, how);

describe("the state of the plugins", () => {
  it("[PL-1] is empty before anybody enabled one, and closed to others afterwards", async () => {
    expect(await readState(root)).toEqual(NO_STATE);
    await change((state) => ({ ...state, enabled: ["a"] }));
    expect(await readState(root)).toEqual({ ...NO_STATE, enabled: ["a"] });
    expect(statSync(join(root, "state.json")).mode & 0o777).toBe(0o600);
  });

  it("[PL-1] loses no change that is made at the same time", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => change((state) => ({ ...state, enabled: [...state.enabled, name] }))));
    expect([...(await readState(root)).enabled].sort()).toEqual([...names].sort());
  });

  it("[PL-1] is nobody's guess when it is damaged, and is left as it is", async () => {
    const path = join(root, "state.json");
    writeFileSync(path, '{"version":1,"enabled":"all"}');
    await expect(readState(root)).rejects.toMatchObject({ name: "UserError", hint: expect.stringContaining(path) });
    await expect(change((state) => state)).rejects.toMatchObject({ name: "UserError" });
    expect(readFileSync(path, "utf8")).toBe('{"version":1,"enabled":"all"}');
  });

  it("[PL-1] is not kept locked by a program that died", async () => {
    const lock = join(root, "state.json.lock");
    writeFileSync(lock, "");
    utimesSync(lock, new Date(0), new Date(0));
    await change((state) => ({ ...state, enabled: ["a"] }));
    expect((await readState(root)).enabled).toEqual(["a"]);
  });
});
