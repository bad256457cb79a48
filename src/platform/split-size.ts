/** How long a text is for a platform, and where it may be cut so that a part of it has a given size. */

/** What a platform counts its limit in: UTF-16 code units, or bytes of UTF-8. */
export type TextUnit = "utf16" | "bytes";

export function textSize(text: string, unit: TextUnit): number {
  return unit === "utf16" ? text.length : Buffer.byteLength(text);
}

/** How many code units from `from` on have at most `budget`; never half a pair, and at least one character. */
export function unitsWithin(text: string, from: number, budget: number, unit: TextUnit): number {
  let size = 0;
  let at = from;
  while (at < text.length) {
    const point = text.codePointAt(at) ?? 0;
    const units = point > 0xffff ? 2 : 1;
    size += unit === "utf16" ? units : bytesOf(point);
    if (size > budget && at > from) break;
    at += units;
  }
  return at - from;
}

/** What a person takes for one character is seldom longer. */
const CHARACTER_UNITS_MAX = 64;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The last place up to `last` between two characters as people count them; between code points where one is longer. */
export function graphemeCut(text: string, from: number, last: number): number {
  const start = Math.max(from, last - CHARACTER_UNITS_MAX);
  const isInPair = start > from && /[\udc00-\udfff]/.test(text.charAt(start));
  const base = isInPair ? start - 1 : start;
  const character = graphemes.segment(text.slice(base, last + CHARACTER_UNITS_MAX)).containing(last - base);
  const cut = base + (character?.index ?? last - base);
  return cut > from && cut > base ? cut : last;
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
