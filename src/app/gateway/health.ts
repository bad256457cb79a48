/** How the platforms stand, for whoever asks: by HTTP anybody of this machine, by the socket the person alone. */
import type { AccountStanding } from "#gateway/gateway.js";
import type { Result } from "#protocol/methods.js";
import type { GatewayStanding, HostGateway } from "./host-gateway.js";

type Status = Result<"host.status">;

/** Words stay out of it: what a platform says about its line is the person's to read. */
export function healthOf({ accounts }: GatewayStanding): readonly Readonly<Record<string, unknown>>[] {
  return accounts.map(({ platform, account, state, lastReceivedMs, lastSentMs }) => ({
    platform,
    account,
    state: state.kind,
    last_received: seconds(lastReceivedMs),
    last_sent: seconds(lastSentMs),
  }));
}

export function platformStatus(
  gateway: HostGateway | undefined,
): Pick<Status, "platforms" | "gateway" | "platform_problems"> {
  if (gateway === undefined) return { platforms: [], gateway: false };
  const { accounts, problems } = gateway.standing();
  return {
    platforms: accounts.map(statusOf),
    gateway: true,
    platform_problems: problems.map(({ text }) => text),
  };
}

function statusOf({ platform, account, state, ...counts }: AccountStanding): Status["platforms"][number] {
  return {
    name: platform,
    account,
    state: state.kind,
    since: "sinceMs" in state ? seconds(state.sinceMs) : null,
    why: "why" in state ? state.why : null,
    hint: state.kind === "refused" ? state.hint : null,
    retry_s: state.kind === "down" ? seconds(state.retryMs) : null,
    received: counts.received,
    sent: counts.sent,
    failed: counts.failed,
    last_received: seconds(counts.lastReceivedMs),
    last_sent: seconds(counts.lastSentMs),
  };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
