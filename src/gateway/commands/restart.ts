/** A restart that was asked for in a chat is told there by the host that came after: a job carries it over. */
import { type Address, destinationOf } from "#session/address.js";
import type { GatewayParts } from "../gateway.js";

const KIND = "tell-restarted";
const TOLD_MAX = 100;
const BACK_AGAIN = "Back again.";

export type RestartTeller = Pick<GatewayParts, "store" | "clock" | "host">;

/** Stored before anything ends. */
export async function promiseBack({ store, clock }: RestartTeller, address: Address): Promise<void> {
  await store.enqueueJob({ kind: KIND, key: destinationOf(address), payload: { address }, dueMs: clock.nowMs() });
}

/** Called once when a host begins. Telling and the job's end are one commit, so that nobody is told twice. */
export async function tellRestarted({ store, clock, host }: RestartTeller): Promise<void> {
  const jobs = await store.claimJobs({ host, kinds: [KIND], limit: TOLD_MAX, nowMs: clock.nowMs() });
  for (const { id, payload } of jobs) {
    await store.tellJob({
      job: id,
      address: payload["address"] as Address,
      text: BACK_AGAIN,
      nowMs: clock.nowMs(),
    });
  }
}

/** After everything that was to be said is stored. That it failed is told where it was asked for. */
export async function restartNow(
  { store, clock, log }: Pick<GatewayParts, "store" | "clock" | "log">,
  address: Address,
  restart: () => Promise<void>,
): Promise<void> {
  try {
    await restart();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.error("a restart that was asked for in a chat failed", { error: why });
    const parts = [`The restart failed: ${why}`];
    await store.oweDelivery({ platform: address.platform, address, parts, nowMs: clock.nowMs() });
  }
}
