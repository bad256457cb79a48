/** The last frame of a line that a host ends: why, and what to do. Clients that do not know it pass it over. */
import { eventFrame } from "#protocol/frame.js";
import type { WireEnd } from "../wire.js";

export const FAREWELL_EVENT = "connection.closing";

const MEANING: Readonly<Record<Exclude<WireEnd, "done">, string>> = {
  "too-slow": "this client read too slowly; nothing is lost: connect again and ask for what came after the last seq",
  "bad-frame": "a frame was too long, or stood unfinished for too long",
  "too-many": "too many clients are connected to this host",
  "shutting-down": "the host is shutting down; what is stored stays",
};

/** Undefined for a line that ends in peace. */
export function farewell(reason: WireEnd): string | undefined {
  if (reason === "done") return undefined;
  return eventFrame({ type: FAREWELL_EVENT, payload: { reason, message: MEANING[reason] } });
}
