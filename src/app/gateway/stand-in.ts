/** Holds the place of the gateway. */
import type { Gateway, GatewayParts } from "#gateway/gateway.js";

export function createGateway(parts: GatewayParts): Gateway {
  return {
    start: () => parts.log.info("the gateway starts", { accounts: parts.accounts.length }),
    standing: () =>
      parts.accounts.map(({ kind, name }) => ({
        platform: kind.name,
        account: name,
        state: { kind: "starting" },
        received: 0,
        sent: 0,
        failed: 0,
        lastReceivedMs: null,
        lastSentMs: null,
      })),
    poke: () => undefined,
    http: async () => ({ status: 404 }),
    drain: () => undefined,
    stop: async () => undefined,
  };
}
