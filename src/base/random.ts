/** Chance as a value that is handed in, so that a test can decide it. Used for jitter only, never for ids. */
import { randomInt } from "node:crypto";

export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** Characters that nobody can guess, each as likely as any other. */
export function randomText(alphabet: string, chars: number): string {
  return Array.from({ length: chars }, () => alphabet[randomInt(alphabet.length)]).join("");
}
