/**
 * Taking a home for a host. Who finds the home taken by a host that answers is refused and told by whom; who finds it
 * taken by something that does not answer (a host on its way in or out, a short command) waits for a moment.
 */
import { connect } from "node:net";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import { type HostLock, hostRecord, takeHostLock } from "#store/sqlite/host-lock.js";

/** Longer than a host takes to stop after its drain. */
export const CLAIM_WAIT_MS = 8_000;
const LOOK_EVERY_MS = 50;
const KNOCK_MS = 500;

export interface ClaimWish {
  readonly home: HomePaths;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function claimHome({ home, version, clock, signal }: ClaimWish): Promise<HostLock> {
  const giveUpMs = clock.monotonicMs() + CLAIM_WAIT_MS;
  for (;;) {
    try {
      return await takeHostLock(home.run, version, clock);
    } catch (error) {
      if (!(error instanceof OperationalError) || error.code !== "home-locked") throw error;
      if (clock.monotonicMs() >= giveUpMs || (await answers(home.hostSocket, clock))) throw alreadyTaken(home, error);
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** Whether a host listens there. A socket that a dead one left refuses. */
export function answers(socketPath: string, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const settle = (isThere: boolean): void => {
      forget();
      socket.destroy();
      resolve(isThere);
    };
    const forget = clock.after(KNOCK_MS, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

function alreadyTaken(home: HomePaths, cause: OperationalError): OperationalError {
  const pid = hostRecord(home.run)?.pid;
  const who = pid === undefined ? "another process" : `process ${pid}`;
  return new OperationalError(
    "home-locked",
    "after-delay",
    `${home.root} has a host already: ${who}. Nothing was changed.`,
    { cause },
  );
}
