/** Rows of a benchmark: what was measured, beside the raw limit of the same run and the number to hold. */

export interface Row {
  readonly section: string;
  readonly work: string;
  readonly ours: string;
  readonly raw?: string;
  readonly target: string;
  readonly holds: boolean | undefined;
}

export function printRow(row: Row): void {
  const mark = row.holds === undefined ? "    " : row.holds ? "ok  " : "MISS";
  const line = `${mark} ${row.work.padEnd(44)} ${row.ours.padStart(22)}  ${(row.raw === undefined ? "" : `raw ${row.raw}`).padEnd(22)}  ${row.target}`;
  process.stdout.write(`${line.trimEnd()}\n`);
}

export function ms(value: number): string {
  return value < 0.1 ? `${value.toFixed(4)} ms` : value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** Median time of one run, after a few that warm the caches. */
export function timeSync(runs: number, act: (run: number) => unknown): number {
  for (let warm = 0; warm < Math.min(3, runs); warm++) act(warm);
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    act(run);
    times.push(performance.now() - start);
  }
  return quantile(times, 0.5);
}

export async function timeAsync(runs: number, act: (run: number) => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < Math.min(3, runs); warm++) await act(warm);
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await act(run);
    times.push(performance.now() - start);
  }
  return quantile(times, 0.5);
}
