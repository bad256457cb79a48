import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanTitle, numberedTitle, splitNumber, TITLE_CHARS_MAX } from "./title.js";

const cleaned = (text: string): string => {
  const clean = cleanTitle(text);
  return clean.kind === "ok" ? clean.title.title : clean.reason;
};

describe("a title", () => {
  it.each([
    ["is trimmed", "  my project \n", "my project"],
    ["is one line", "my\tnew\r\nproject", "my new project"],
    ["has single spaces", "my   project", "my project"],
    ["loses control characters", "my\u0000\u0007\u001b[31m project\u0085", "my[31m project"],
    ["loses zero-width characters", "my\u200b pro\u200cj\u2060ect\ufeff", "my project"],
    ["loses direction overrides", "\u202eevil\u202c \u2066plan\u2069\u200f", "evil plan"],
    ["loses line and paragraph separators", "my\u2028pro\u2029ject", "myproject"],
    ["has broken characters made visible", "half \ud83d", "half \ufffd"],
    ["keeps every script", "проект 日本語 مشروع 🚀", "проект 日本語 مشروع 🚀"],
    ["that draws nothing is empty", " \u200b\u202e\u00ad ", "empty"],
  ])("[LS-7] %s", (_, text, title) => expect(cleaned(text)).toBe(title));

  it("[LS-7] has at most 100 characters, counted as a person counts them", () => {
    expect(cleaned("x".repeat(TITLE_CHARS_MAX))).toHaveLength(TITLE_CHARS_MAX);
    expect(cleaned("🚀".repeat(TITLE_CHARS_MAX))).toBe("🚀".repeat(TITLE_CHARS_MAX));
    expect(cleaned("x".repeat(TITLE_CHARS_MAX + 1))).toBe("too-long");
    expect(cleaned(` ${"x".repeat(TITLE_CHARS_MAX)}\u200b `)).toHaveLength(TITLE_CHARS_MAX);
  });

  it("[LS-7] that was cleaned stays as it is, whatever it was before", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 130 }), (text) => {
        const clean = cleanTitle(text);
        if (clean.kind === "invalid") return;
        const { title } = clean.title;
        expect(cleaned(title)).toBe(title);
        expect([...title].length).toBeLessThanOrEqual(TITLE_CHARS_MAX);
        expect(title).toBe(title.trim());
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a number", () => {
  it.each([
    ["my project", "my project", 1],
    ["my project #2", "my project", 2],
    ["my project #10", "my project", 10],
    ["issue #1", "issue #1", 1],
    ["issue #0", "issue #0", 1],
    ["issue #02", "issue #02", 1],
    ["#2", "#2", 1],
    ["C#2", "C#2", 1],
    ["a #2 #3", "a #2", 3],
    ["big #1234567890", "big #1234567890", 1],
  ])("[CR-11] of %j: base %j, number %i", (title, base, number) => {
    expect(splitNumber(title)).toEqual({ title, base, number });
  });

  it("[CR-11] is added to the base, which gives way when both do not fit", () => {
    expect(numberedTitle("my project", 1).title).toBe("my project");
    expect(numberedTitle("my project", 2)).toEqual({ title: "my project #2", base: "my project", number: 2 });
    const long = `${"x".repeat(96)} end`;
    expect(numberedTitle(long, 2)).toEqual({ title: `${"x".repeat(96)} #2`, base: long, number: 2 });
    expect([...numberedTitle("🚀".repeat(TITLE_CHARS_MAX), 12_345).title]).toHaveLength(TITLE_CHARS_MAX);
  });
});
