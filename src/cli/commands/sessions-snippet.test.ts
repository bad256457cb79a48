import { describe, expect, it } from "vitest";
import { redactSnippet } from "./sessions-snippet.js";

const at = (text: string, ...words: readonly string[]) => ({
  text,
  marks: words.map((word) => [text.indexOf(word), text.indexOf(word) + word.length] as const),
});
const marked = ({ text, marks }: ReturnType<typeof redactSnippet>): string =>
  marks.reduceRight((all, [start, end]) => `${all.slice(0, start)}«${all.slice(start, end)}»${all.slice(end)}`, text);

describe("a snippet", () => {
  it("without a secret stays as it is", () => {
    const snippet = at("…a red wine", "red", "wine");
    expect(redactSnippet(snippet)).toEqual(snippet);
  });

  it("loses its secrets, and keeps the marks beside them", () => {
    const key = `sk-${"a1B2".repeat(8)}`;
    expect(
      marked(redactSnippet(at(`our key ${key} is for the server, password=hunter2222 too`, "key", "server", "too"))),
    ).toBe("our «key» [redacted] is for the «server», password=[redacted] «too»");
    expect(marked(redactSnippet(at(`our key ${key}`, "a1B2")))).toBe("our key [redacted]");
  });

  it("shows nothing of a key that was cut at its front", () => {
    expect(redactSnippet(at(`…${"Zz09".repeat(10)} and the rest`)).text).toBe("…[redacted] and the rest");
    expect(redactSnippet(at("…afterwards the rest")).text).toBe("…afterwards the rest");
  });
});
