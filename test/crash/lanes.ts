/** So many lives at once as the machine can carry without making one another late. */
import { availableParallelism } from "node:os";

const LANES = Math.max(2, Math.min(3, availableParallelism()));
const waiting: (() => void)[] = [];
let free = LANES;

export async function inLanes<T>(act: () => Promise<T>): Promise<T> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  }
}
