/**
 * Whether an entry of `allow` or `owners` means a sender. Entries are ids, compared as they are. Only where ids are masks
 * (`nick!user@host`) an entry may be a mask too, with `*` and `?` inside its three parts and without regard to case: an
 * asterisk in anything else is an asterisk.
 */
import type { Sender } from "#platform/platform.js";

/** In `allow`: whoever speaks. It makes nobody an owner. */
export const EVERYBODY = "*";
/** A sender chooses much of a mask: a longer one is matched by nothing. */
const MASK_CHARS_MAX = 512;

export function isListed(entries: readonly string[], sender: Sender): boolean {
  return idsOf(sender).some((id) => entries.some((entry) => isMeant(entry, id)));
}

/** The id that lasts longest is the one that a pairing is kept by. */
export function lastingId({ id, altId }: Sender): string {
  return altId === undefined || altId === "" ? id : altId;
}

/** Nobody is known by an empty id. */
function idsOf({ id, altId }: Sender): readonly string[] {
  return [id, altId ?? ""].filter((one) => one !== "");
}

function isMeant(entry: string, id: string): boolean {
  if (entry === id) return true;
  if (id.length > MASK_CHARS_MAX) return false;
  const [wanted, given] = [maskOf(entry), maskOf(id)];
  if (wanted === undefined || given === undefined) return false;
  return wanted.every((part, at) => fits(folded(part), folded(given[at] ?? "")));
}

/** Part by part, so that a star for one of them swallows no other. */
function maskOf(text: string): readonly string[] | undefined {
  return /^([^!@]+)!([^!@]+)@([^!@]+)$/.exec(text)?.slice(1);
}

/** ASCII only: letters that merely look like others after folding must open no door. */
function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** One pass with one place to come back to: a hostile text costs no more than its length times the pattern's. */
function fits(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  let star: { readonly at: number; from: number } | undefined;
  while (from < text.length) {
    const sign = pattern[at];
    if (sign === "*") {
      star = { at, from };
      at++;
    } else if (sign === "?" || sign === text[from]) {
      at++;
      from++;
    } else if (star !== undefined) {
      star.from++;
      at = star.at + 1;
      from = star.from;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
