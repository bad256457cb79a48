/** How many turns run at once: whoever comes later waits in line. A turn that waits for a person gives its slot back. */
export interface Slots {
  take(): Promise<void>;
  give(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => void line.push(resolve));
    },
    give() {
      const next = line.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
