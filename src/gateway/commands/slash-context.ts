/** What a command acts in when it is said in a chat: the chat's route, who said it, and what it says goes back there. */
import type { ConversationId } from "#base/ids.js";
import type { SlashContext } from "#command/command.js";
import { livePort } from "#command/ports.js";
import type { Live } from "#runtime/live/port.js";
import type { GatewayParts } from "../gateway.js";
import { promiseBack } from "./restart.js";
import { authorOf, type Spoken, signed } from "./spoken.js";

/** What has to be done after the command's answer is stored. */
export interface Afterwards {
  restart?: () => Promise<void>;
}

export function slashContext(
  parts: GatewayParts,
  spoken: Spoken,
  { conversation, afterwards }: { readonly conversation: ConversationId | undefined; readonly afterwards: Afterwards },
): SlashContext {
  const { store, clock, newId, live, cwd, version } = parts;
  const { account, address, key, person, eventId } = spoken;
  const platform = account.kind.name;
  const start = { source: platform, cwd };
  const origin = { clock, newId, platform, account: account.name, eventId, author: authorOf(spoken), address, start };
  return {
    ...parts.commands,
    ...restartPort(parts, spoken, afterwards),
    surface: "chat",
    store,
    clock,
    actor: { platform, routeKey: key },
    person,
    ...(address.userId === undefined ? {} : { sender: address.userId }),
    conversation,
    start,
    approvals: parts.approvals,
    model: parts.model(),
    version,
    live: livePort(signing(parts, spoken, live), origin),
    compact: (id, options) => live.compact(id, options),
  };
}

function signing({ keyRules }: GatewayParts, spoken: Spoken, live: Live): Live {
  return { ...live, say: (inbound) => live.say({ ...inbound, text: signed(spoken, keyRules, inbound.text) }) };
}

/** Nothing ends before the answer is stored: a host that died of its own command would run it again. */
function restartPort(parts: GatewayParts, { address }: Spoken, afterwards: Afterwards): Pick<SlashContext, "restart"> {
  const { restart } = parts;
  if (restart === undefined) return {};
  return {
    async restart() {
      const obstacle = parts.restartObstacle?.();
      if (obstacle !== undefined) return obstacle;
      await promiseBack(parts, address);
      afterwards.restart = () => restart();
      return undefined;
    },
  };
}
