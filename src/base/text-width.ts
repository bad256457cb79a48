/**
 * What text looks like in a terminal: how many cells it takes, and what must never reach one. Titles and
 * messages come from strangers; a title that holds an escape sequence or a direction override must not
 * move the cursor, recolour the screen or reverse the line it stands in.
 */

/** More marks than this on one letter paint over the neighbouring lines. */
const MARKS_MAX = 4;

/** The cells a text takes, as a terminal counts them. Expects text that went through `visible`. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Cuts to at most `cells`, ending in `…` when something was cut; never splits a character. */
export function truncate(text: string, cells: number): string {
  if (cells <= 0) return "";
  if (isPlain(text)) return text.length <= cells ? text : `${text.slice(0, cells - 1)}…`;
  let width = 0;
  let passed = 0;
  let fitting = 0;
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells) return `${text.slice(0, fitting)}…`;
    passed += grapheme.length;
    // The longest prefix that still leaves a cell for the ellipsis.
    if (width <= cells - 1) fitting = passed;
  }
  return text;
}

/** Fills with spaces up to `cells`; longer text stays as it is. */
export function pad(text: string, cells: number, side: "left" | "right" = "right"): string {
  const spaces = " ".repeat(Math.max(0, cells - textWidth(text)));
  return side === "right" ? text + spaces : spaces + text;
}

/** One safe line: no escape sequences, controls, direction overrides or line breaks. */
export function visible(text: string): string {
  if (isPlain(text)) return text;
  return safeLines(text).replace(/[\n\t]+/g, " ");
}

/** As `visible`, but line breaks and tabs stay: for the text of messages and logs. */
export function visibleLines(text: string): string {
  return isPlain(text) ? text : safeLines(text);
}

function safeLines(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, "")
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(INVISIBLE, "")
    .replace(MARK_PILES, "$1");
}

/** Printable ASCII only: one cell a character and nothing to remove. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/**
 * CSI (`ESC [ … letter`), string sequences such as OSC (`ESC ] … BEL` or `ESC \`), and two-character
 * escapes, in their 7-bit and 8-bit forms. Lengths are bounded, so that unfinished sequences cannot make
 * the search slow; what remains of one is harmless, since its introducer is removed as a control.
 */
const ESCAPE_SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,512}(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]{0,4}[0-~]?/g;

/**
 * C0 and C1 controls except tab and line feed, direction marks, embeddings, overrides and isolates, and
 * format characters without a picture (zero-width space, byte order mark, tags). U+200C and U+200D
 * stay: scripts and emoji are written with them.
 */
const INVISIBLE =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

const MARK_PILES = new RegExp(`(\\p{M}{${MARKS_MAX}})\\p{M}+`, "gu");

/**
 * The characters of a text as people count them. In slices, because the segmenter handles all it was given anew
 * for each character it finds: a line of 200 kB in one go takes a minute.
 */
export function* graphemesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const isCutInPair = /[\ud800-\udbff]/.test(text.charAt(from + SLICE_UNITS - 1));
    const to = from + SLICE_UNITS - (isCutInPair ? 1 : 0);
    const found = [...graphemes.segment(text.slice(from, to))];
    // The last one may go on behind the slice; it is looked at again with what follows.
    const isWhole = to >= text.length || found.length === 1;
    for (const { segment } of isWhole ? found : found.slice(0, -1)) {
      yield segment;
      from += segment.length;
    }
  }
}

const SLICE_UNITS = 512;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function graphemeWidth(grapheme: string): number {
  const first = grapheme.codePointAt(0) ?? 0;
  if (first < 0x300) return first < 0x20 ? 0 : 1;
  if (/^[\p{M}\p{Cf}]/u.test(grapheme)) return 0;
  if (isWide(first) || /\p{Emoji_Presentation}|\ufe0f/u.test(grapheme)) return 2;
  return 1;
}

/** East Asian Wide and Fullwidth ranges of Unicode; emoji are found by their property. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return codePoint >= 0x1100 && WIDE.some(([from, to]) => codePoint >= from && codePoint <= to);
}
