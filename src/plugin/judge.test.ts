import { describe, expect, it } from "vitest";
import { isSetAside, setAside, strike } from "./judge.js";
import { PLUGIN_LIMITS } from "./limits.js";
import { NO_STATE } from "./state.js";

const at = (name: string, atMs: number) => ({ name, reason: `at ${atMs}`, atMs });
const { strikesWindowMs } = PLUGIN_LIMITS;

describe("strikes", () => {
  it("[PL-9] set a plugin aside when there are three within the window, with the last reason", () => {
    let state = NO_STATE;
    for (const mishap of [at("a", 0), at("b", 1), at("a", 2)]) state = strike(state, mishap, PLUGIN_LIMITS);
    expect(isSetAside(state, "a")).toBe(false);
    state = strike(state, at("a", 3), PLUGIN_LIMITS);
    expect(state.setAside).toEqual([{ name: "a", reason: "at 3 (3 times)", atMs: 3 }]);
    expect(state.strikes).toEqual([at("b", 1)]);
  });

  it("[PL-9] are forgotten when the window has passed", () => {
    let state = NO_STATE;
    const times = [0, strikesWindowMs - 1, strikesWindowMs, 2 * strikesWindowMs];
    for (const atMs of times) state = strike(state, at("a", atMs), PLUGIN_LIMITS);
    expect(isSetAside(state, "a")).toBe(false);
    expect(state.strikes.map(({ atMs }) => atMs)).toEqual([2 * strikesWindowMs]);
  });

  it("[PL-3] keep one reason for a plugin that is set aside again", () => {
    const state = setAside(setAside(NO_STATE, at("a", 1)), at("a", 2));
    expect(state.setAside).toEqual([at("a", 2)]);
  });
});
