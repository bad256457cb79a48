/** How accounts on platforms and their states are said. */
import type { GatewayStanding } from "#app/gateway/host-gateway.js";

type AccountState = GatewayStanding["accounts"][number]["state"];

export function accountLabel({ platform, account }: { readonly platform: string; readonly account: string }): string {
  return account === "main" ? platform : `${platform} (${account})`;
}

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
