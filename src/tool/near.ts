/** Names close to one that does not exist, so that an error can say what was probably meant. */

/** Longer lists are looked at only this far: a hint is not worth a slow answer. */
const CANDIDATES_MAX = 5_000;

export function nearest(wanted: string, candidates: readonly string[], countMax: number): string[] {
  const target = wanted.toLowerCase();
  return candidates
    .slice(0, CANDIDATES_MAX)
    .map((name) => ({ name, closeness: closenessOf(target, name.toLowerCase()) }))
    .filter(({ closeness }) => closeness >= CLOSE_ENOUGH)
    .sort((a, b) => b.closeness - a.closeness || (a.name < b.name ? -1 : 1))
    .slice(0, countMax)
    .map(({ name }) => name);
}

const CLOSE_ENOUGH = 0.45;

function closenessOf(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 0.9;
  return similarity(a, b);
}

/** How many pairs of neighbouring characters two texts share, from 0 to 1; linear in their length. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at++) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at < b.length - 1; at++) {
    const pair = b.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    shared++;
    pairs.set(pair, left - 1);
  }
  return (2 * shared) / (a.length + b.length - 2);
}
