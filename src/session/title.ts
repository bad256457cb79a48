/**
 * Titles [LS-7] [CR-11]: cleaning, and the numbers that a lineage adds (`my project` → `my project #2`).
 * A title has a base and a number; the base is what a person typed, so resuming it finds the newest.
 */

export const TITLE_CHARS_MAX = 100;

export type CleanTitle =
  | { readonly kind: "ok"; readonly title: NumberedTitle }
  | { readonly kind: "invalid"; readonly reason: "empty" | "too-long" };

export interface NumberedTitle {
  /** As shown, at most TITLE_CHARS_MAX characters. */
  readonly title: string;
  readonly base: string;
  readonly number: number;
}

export function cleanTitle(text: string): CleanTitle {
  const clean = text
    .toWellFormed()
    .replace(/[\t\n\r]/g, " ")
    .replace(INVISIBLE, "")
    .replace(/\s+/g, " ")
    .trim();
  if (clean === "") return { kind: "invalid", reason: "empty" };
  if ([...clean].length > TITLE_CHARS_MAX) return { kind: "invalid", reason: "too-long" };
  return { kind: "ok", title: splitNumber(clean) };
}

/** ` #N` counts as a number from 2 on; `issue #1` is a name like any other. */
export function splitNumber(title: string): NumberedTitle {
  const match = /^(.+) #([1-9]\d{0,8})$/s.exec(title);
  const number = Number(match?.[2] ?? 1);
  if (!match?.[1] || number < 2) return { title, base: title, number: 1 };
  return { title, base: match[1], number };
}

/** The n-th title of a lineage; the base gives way when both do not fit. */
export function numberedTitle(base: string, number: number): NumberedTitle {
  if (number === 1) return { title: base, base, number };
  const suffix = ` #${number}`;
  const room = TITLE_CHARS_MAX - suffix.length;
  const title = [...base].slice(0, room).join("").trimEnd() + suffix;
  return { title, base, number };
}

/** Control, zero-width, direction-override, annotation and other characters that draw nothing. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc]/g;
