import { expect, it } from "vitest";
import { emojiName } from "./emoji.js";
import { Memory } from "./memory.js";

it("calls an emoji what Slack calls it, and leaves one it does not know", () => {
  expect(["👀", "❤️", ":tada:", "+1", "🦤", "constructor!"].map(emojiName)).toEqual([
    "eyes",
    "heart",
    "tada",
    "+1",
    undefined,
    undefined,
  ]);
});

it("remembers the newest, and what was asked for", () => {
  const memory = new Memory<number>(2);
  memory.set("a", 1);
  memory.set("b", 2);
  memory.get("a");
  memory.set("c", 3);
  expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual([1, undefined, 3]);
});
