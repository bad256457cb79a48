/**
 * Folding: the one form in which text is indexed, asked for and compared, so that "Café" and "CAFE" are the same.
 * Lower case, no diacritics, width and style variants as their plain letter. Character by character and length
 * preserving (on composed text), so that a place in the folded text is the same place in the text people see.
 */

/** Stands for a character that is not compared: diacritics that have no composed form, joiners, selectors. */
export const IGNORED = "\u00ad";

/** Counting bytes is many times faster than looking at characters, and most text is plain. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** The composed form of a text: what `fold` is aligned with. */
export function composed(text: string): string {
  return isAscii(text) ? text : text.toWellFormed().normalize("NFC");
}

/** Same length as `composed(text)`. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const source = text.toWellFormed().normalize("NFC");
  const units = new Uint16Array(source.length);
  for (let at = 0; at < source.length; at++) units[at] = foldedUnit(source.charCodeAt(at));
  return Buffer.from(units.buffer).toString("utf16le");
}

/** Filled as characters are met; 0 means not yet. */
const table = new Uint16Array(0x10000);

function foldedUnit(unit: number): number {
  const known = table[unit];
  if (known) return known;
  const folded = computeUnit(unit);
  table[unit] = folded;
  return folded;
}

function computeUnit(unit: number): number {
  // Halves of a pair stay as they are: no letter beyond the basic plane is worth a second table.
  if (unit >= 0xd800 && unit <= 0xdfff) return unit;
  const letter = String.fromCharCode(unit);
  if (UNCOMPARED.test(letter)) return IGNORED.charCodeAt(0);
  const plain = letter.normalize("NFKD").replace(DIACRITICS, "").toLowerCase().replace(DIACRITICS, "");
  const single = plain.length === 1 ? plain : letter.toLowerCase();
  if (single.length !== 1) return unit;
  return single === "ς" ? "σ".charCodeAt(0) : single.charCodeAt(0);
}

/** Marks on Latin, Greek and Cyrillic letters. Those of kana and of Indic scripts make another letter and stay. */
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;
const UNCOMPARED =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\ufe00-\ufe0f\u200b-\u200d\u2060\ufeff\u00ad]/;
