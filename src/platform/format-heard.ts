/** What a stranger's text may be when it comes in: whole Unicode, and without the one character that databases and terminals choke on. */
export function heardText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/**
 * Whether a text names us as a word of its own (`talaria: …`, `… @talaria …`), and the text without the name where it
 * stands at the beginning.
 */
export function withoutName(text: string, name: string): { readonly text: string; readonly isNamed: boolean } {
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const leading = new RegExp(`^\\s*@?${quoted}(?:\\s*[:,;]+|(?=[\\s?!]|\\.(?:\\s|$))|$)\\s*`, "iu").exec(text);
  if (leading !== null) return { text: text.slice(leading[0].length), isNamed: true };
  return {
    text,
    isNamed: new RegExp(
      `(?<![\\p{L}\\p{N}_-]|[\\p{L}\\p{N}_-][@.])${quoted}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`,
      "iu",
    ).test(text),
  };
}
