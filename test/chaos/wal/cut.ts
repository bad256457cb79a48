/** What a power cut does to the tail of a log: it ends early, or what follows is noise, zeros, old or flipped bytes. */
import type { Random } from "../random.js";

export type CutKind = "short" | "noise" | "zeros" | "flipped" | "repeated";
export const CUT_KINDS: readonly [CutKind, ...CutKind[]] = ["short", "noise", "zeros", "flipped", "repeated"];

export interface Cut {
  readonly kind: CutKind;
  readonly bytes: Uint8Array;
  /** Everything before it is as it was written. */
  readonly intact: number;
}

export function cutLog(log: Uint8Array, random: Random): Cut {
  const at = random.int(0, log.length - 1);
  const kind = random.pick(CUT_KINDS);
  const bytes = damage(log, { kind, at, random });
  let intact = at;
  while (intact < bytes.length && intact < log.length && bytes[intact] === log[intact]) intact++;
  return { kind, bytes, intact };
}

function damage(log: Uint8Array, use: { kind: CutKind; at: number; random: Random }): Uint8Array {
  const { kind, at, random } = use;
  // Not `slice`: that of a Buffer shares its memory.
  const copy = new Uint8Array(log);
  switch (kind) {
    case "short":
      return copy.subarray(0, at);
    case "noise":
      for (let i = at; i < copy.length; i++) copy[i] = random.int(0, 255);
      return copy;
    case "zeros":
      return copy.fill(0, at);
    case "flipped":
      // One bit, and everything behind it is fine: recovery may not skip a commit and go on.
      copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 7));
      return copy;
    case "repeated":
      // Bytes of an earlier part of the same log, as a lost write leaves them.
      copy.set(log.subarray(0, copy.length - at), at);
      return copy;
  }
}
