/** A line to a host that runs already. `start-host.ts` starts one where none does. */
import type { Clock } from "#base/clock.js";
import { createHostLine, type HostEvent, type HostLine } from "./host-line.js";

export interface ConnectOptions {
  readonly to: { readonly socketPath: string } | { readonly url: string; readonly token: string };
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  /** Hears from the first frame on. */
  readonly onEvent?: (event: HostEvent) => void;
}

/** Rejects with the outage `no-host` when nobody listens there. */
export async function connect({ to, onEvent, ...options }: ConnectOptions): Promise<HostLine> {
  const wire =
    "socketPath" in to
      ? await (await import("./socket-wire.js")).openSocketWire({ ...to, ...options })
      : await (await import("./websocket-wire.js")).openWebSocketWire({ ...to, ...options });
  return createHostLine(wire, { ...options, ...(onEvent !== undefined && { onEvent }) });
}
