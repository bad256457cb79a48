import { OperationalError } from "#base/errors.js";
import type { GatewayParts } from "../gateway.js";

const STORE_TRIES_MAX = 3;
const STORE_WAIT_MS = 1_000;

/** A store that is busy for a moment must not leave a command without its answer. */
export async function insist<T>({ clock }: Pick<GatewayParts, "clock">, act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof OperationalError) || error.retry === "never" || tries >= STORE_TRIES_MAX) throw error;
      await clock.sleep(STORE_WAIT_MS * tries);
    }
  }
}
