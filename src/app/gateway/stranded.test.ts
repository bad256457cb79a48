import { describe, expect, it } from "vitest";
import { strandedAdvice, strandedIn, strandedText } from "./stranded.js";

const row = (platform: string, account: string, counts: readonly [number, number, number]) => {
  const [pending, sending, unknown] = counts;
  return { platform, account, pending, sending, unknown };
};
const HERE = [
  { platform: "telegram", account: "main" },
  { platform: "irc", account: "libera" },
];

describe("messages that wait for an account that is not set up", () => {
  it("[GW-23] are counted by account, whatever became of the first attempt", () => {
    const open = [
      row("irc", "libera", [9, 9, 9]),
      row("irc", "oftc", [1, 1, 1]),
      row("slack", "main", [2, 0, 0]),
      row("telegram", "main", [5, 0, 0]),
      row("telegram", "work", [0, 0, 1]),
    ];
    expect(strandedIn({ open }, HERE)).toEqual([
      { platform: "irc", account: "oftc", count: 3 },
      { platform: "slack", account: "main", count: 2 },
      { platform: "telegram", account: "work", count: 1 },
    ]);
  });

  it("are none where nothing waits, and all where nothing is set up", () => {
    expect(strandedIn({ open: [] }, [])).toEqual([]);
    expect(strandedIn({ open: [row("irc", "main", [0, 0, 0])] }, [])).toEqual([]);
    expect(strandedIn({ open: [row("irc", "main", [1, 0, 0])] }, [])).toHaveLength(1);
  });

  it.each([
    ["slack", "main", 1, "1 message waits for slack,", "put platforms.slack back"],
    ["irc", "oftc", 2, "2 messages wait for irc@oftc,", "put platforms.irc.accounts.oftc back"],
  ])("of %s, account %s, are told with what to do", (platform, account, count, text, advice) => {
    expect(strandedText({ platform, account, count })).toContain(text);
    expect(strandedAdvice({ platform, account })).toContain(advice);
  });
});
