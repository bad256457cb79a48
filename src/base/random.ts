/** Chance as a value that is handed in, so that a test can decide it. Used for jitter only, never for ids. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();
