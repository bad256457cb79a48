import { describe, expect, it } from "vitest";
import { blame, type HostEnd } from "./blame.js";

const end = (more: Partial<HostEnd>): HostEnd => ({
  kind: "exited",
  text: "",
  named: null,
  underWay: [],
  isFromOutside: false,
  ...more,
});
const standing = { loading: undefined, loaded: ["a", "b"] };

describe("whose fault a death is", () => {
  it.each([
    [
      "whom a stack names, whatever else was under way",
      end({ named: "a", underWay: ["b"] }),
      { ...standing, loading: "b" },
      ["a"],
    ],
    ["the one being loaded", end({ underWay: ["a"] }), { ...standing, loading: "b" }, ["b"]],
    ["those with a call under way", end({ underWay: ["a", "b"] }), standing, ["a", "b"]],
    ["the only one there is", end({}), { loading: undefined, loaded: ["a"] }, ["a"]],
    ["nobody, when it could be any", end({}), standing, []],
    ["nobody, when somebody else killed it", end({ isFromOutside: true, underWay: ["a"] }), standing, []],
    ["nobody, when it was stopped", end({ kind: "stopped", underWay: ["a"] }), { ...standing, loading: "a" }, []],
    ["nobody, when it never started", end({ kind: "not-started" }), { loading: "a", loaded: ["a"] }, []],
  ])("[PL-9] is %s's", (_who, how, who, guilty) => expect(blame(how, who)).toEqual(guilty));
});
