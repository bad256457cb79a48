/** The time an ended line gets to carry what was sent: as long as the other side reads, and not for ever. */
import type { Clock } from "#base/clock.js";
import { LAST_WORDS_MS } from "../wire.js";

/** A side that reads a little each time is let go after so many looks. */
export const LAST_WORDS_LOOKS_MAX = 10;

/** Cuts the line when nothing moves any more. The returned function forgets it: the line is closed. */
export function letGo(line: { readonly clock: Clock; unsentBytes(): number; cut(): void }): () => void {
  let forget: () => void = () => undefined;
  const look = (before: number, looks: number): void => {
    forget = line.clock.after(LAST_WORDS_MS, () => {
      const unsent = line.unsentBytes();
      if (unsent < before && looks > 1) look(unsent, looks - 1);
      else line.cut();
    });
  };
  look(line.unsentBytes(), LAST_WORDS_LOOKS_MAX);
  return () => forget();
}
