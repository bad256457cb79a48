import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LINES_MAX, linesOf } from "./lines.js";

const speaker = { nick: "talaria", username: "talaria" };

describe("a text as lines of IRC", () => {
  it("never has a line that is blank, ends another, or is too long for others to see whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 2_000 }),
        fc.stringMatching(/^#[a-z]{1,100}$/),
        (text, target) => {
          const lines = linesOf(text, target, speaker);
          expect(lines.length).toBeLessThanOrEqual(LINES_MAX + 1);
          for (const line of lines) {
            const shown = `:talaria!~talaria@${"h".repeat(63)} PRIVMSG ${target} :${line}\r\n`;
            expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(512);
            expect(line).toMatch(/\S/);
            expect(line).not.toMatch(/[\r\n\0\x01]/);
          }
        },
      ),
    );
  });

  it("says code as it is, with its indentation", () => {
    expect(linesOf("Look:\n```py\nif x:\n    y = **z\n```", "#c", speaker)).toEqual(["Look:", "if x:", "    y = **z"]);
  });
});
