/** Seeded choices. The same seed makes the same choices; when a process dies within them is the machine's affair. */

export interface Random {
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** A number that seeds a stream of its own, so that one actor's choices do not shift another's. */
  seed(): number;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: tiny, and good enough to spread choices.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (share) => next() < share,
    pick: <T>(list: readonly [T, ...T[]]): T => list[Math.floor(next() * list.length)] ?? list[0],
    seed: () => Math.floor(next() * 2 ** 32),
  };
}
