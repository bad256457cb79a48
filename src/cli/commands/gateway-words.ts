/** How accounts on platforms and their states are said. */
import type { GatewayStanding } from "#app/gateway/host-gateway.js";
import { spellAccount } from "#session/address.js";

type AccountState = GatewayStanding["accounts"][number]["state"];

/** As it is typed where one is to be named. */
export const accountLabel = spellAccount;

export function stateText(state: AccountState): string {
  switch (state.kind) {
    case "starting":
      return "starting";
    case "up":
      return "up";
    case "down": {
      const retry = state.retryMs === null ? "working on it" : `trying again in ${Math.ceil(state.retryMs / 1_000)} s`;
      return `down: ${state.why}; ${retry}`;
    }
    case "refused":
      return `refused: ${state.why}${state.hint === null ? "" : ` (${state.hint})`}`;
  }
}
