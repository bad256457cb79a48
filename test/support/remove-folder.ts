/**
 * Removes a folder that somebody may write to for another moment: what a killed host had started, a hook or a plugin,
 * ends by itself. `maxRetries` is no help against that: it looks into a folder once, and then waits for it to be empty.
 */
import { rmSync } from "node:fs";

const TRIES_MAX = 200;
const PAUSE_MS = 50;

export function removeFolder(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || tries === TRIES_MAX) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
