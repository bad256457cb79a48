/** What a turn's end owes to the chat it was asked for in. */
import type { ClaimedTurn, Settlement } from "#session/verbs/turns.js";
import type { RuntimeParts } from "./parts.js";

/** [CT-3] The parts commit with the turn's end. A turn that was asked for at a terminal owes nobody a message. */
export function repliesTo(
  { chat }: Pick<RuntimeParts, "chat">,
  { address }: Pick<ClaimedTurn, "address">,
  said: string | undefined,
): Pick<Settlement, "replies"> {
  if (address === undefined || said === undefined) return {};
  const parts = chat?.reply(address, said) ?? [said];
  return { replies: [{ platform: address.platform, address, parts }] };
}
