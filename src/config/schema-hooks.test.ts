/** The shape of `hooks` in a settings file: the reference's, and mistakes in it are named. */
import { expect, it } from "vitest";
import { HOOKS_MAX, hooks } from "./schema-hooks.js";

const complaint = (value: unknown): string | undefined => hooks.safeParse(value).error?.issues[0]?.message;

it("takes the reference's shape, and none at all", () => {
  const entry = { command: "x", matcher: "write_.*|patch", timeout: 300, fail_closed: true };
  expect(hooks.parse({ pre_tool_call: [entry], "command:new": null })).toEqual({
    pre_tool_call: [entry],
    "command:new": null,
  });
  expect(hooks.parse(undefined)).toEqual({});
});

it.each([
  [["x"], /map of events/],
  [{ pre_tool_call: "x" }, /list of hooks/],
  [{ pre_tool_call: ["x"] }, /group with command/],
  [{ pre_tool_call: [{ command: " " }] }, /a command line/],
  [{ pre_tool_call: [{ command: "x\0" }] }, /a command line/],
  [{ pre_tool_call: [{ command: "x", matcher: "(" }] }, /regular expression/],
  [{ pre_tool_call: [{ command: "x", timeout: 301 }] }, /seconds from 1 to 300/],
  [{ pre_tool_call: [{ command: "x", timeout: "5" }] }, /seconds from 1 to 300/],
  [{ "pre tool call": [] }, /map of events/],
  [{ pre_tool_call: Array(HOOKS_MAX + 1).fill({ command: "x" }) }, /at most 64/],
])("[CF-3] says what is wrong with %j", (value, words) => {
  expect(complaint(value)).toMatch(words);
});
