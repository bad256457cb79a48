import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { ConsoleScreen } from "./gateway-console-screen.js";

function screen(columns: number | "pipe" = 20) {
  const clock = new ManualClock();
  let text = "";
  const write = (piece: string): void => {
    text += piece;
  };
  const one = new ConsoleScreen({ clock, columns: () => (columns === "pipe" ? undefined : columns), write });
  const rest = (): string => {
    clock.advance(1_000);
    const shown = text;
    text = "";
    return shown;
  };
  return { one, rest };
}

describe("the console's screen", () => {
  it("breaks lines between words, and code nowhere", () => {
    const { one, rest } = screen();
    one.message({ name: "1", text: "some words that are more than a line\n```\nlet it = be.as.long.as.it.is();\n```" });
    expect(rest()).toBe("talaria: some words\nthat are more than a\nline\n```\nlet it = be.as.long.as.it.is();\n```\n");
  });

  it("leaves lines as they are where nobody sees them", () => {
    const { one, rest } = screen("pipe");
    one.message({ name: "1", text: "some words that are more than a line" });
    expect(rest()).toBe("talaria: some words that are more than a line\n");
  });

  it("shows of a message that grows the rest, and of one that comes again nothing", () => {
    const { one, rest } = screen(80);
    one.message({ name: "1", text: "one" });
    one.message({ name: "1", text: "one two" });
    expect(rest()).toBe("talaria: one two\n");
    one.message({ name: "1", text: "one two three" });
    expect(rest()).toBe("three\n");
    one.message({ name: "1", text: "(sent again: the first copy may not have arrived)\none two three" });
    expect(rest()).toBe("");
    one.message({ name: "1", text: "something else" });
    expect(rest()).toBe("talaria: something else\n");
  });

  it("shows buttons as numbers until the question is answered, and then what was decided", () => {
    const { one, rest } = screen(80);
    const allow = { label: "Allow", token: "a" };
    one.message({ name: "1", text: "May I?\n\nAnswer yes or no.", buttons: [allow] });
    expect(rest()).toBe("talaria: May I?\n\nAnswer yes or no.\n  1. Allow\n");
    expect(one.button(" 1 ")).toEqual(allow);
    expect(one.button("2")).toBeUndefined();
    one.message({ name: "1", text: "May I?\n\n→ Denied, by Ada." });
    expect(rest()).toBe("→ Denied, by Ada.\n");
    expect(one.button("1")).toBeUndefined();
  });

  it("shows what still rested when the gateway goes", () => {
    const { one, rest } = screen(80);
    one.message({ name: "1", text: "half of it" });
    one.flush();
    one.remark("gone");
    expect(rest()).toBe("talaria: half of it\n· gone\n");
  });
});
