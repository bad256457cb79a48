/**
 * What a command asks of the chat it was said in. Routes were moved by the store with the command's own act; here the
 * conversation is woken, something is said in the person's name, or what cannot be in a chat is said in words.
 */
import { unreachable } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { SlashNext } from "#command/command.js";
import { notTakenText } from "#command/turn/admission-text.js";
import type { Inbound, InboundTarget } from "#session/verbs/intake.js";
import type { GatewayParts } from "../gateway.js";
import { authorOf, routeOf, type Spoken, signed } from "./spoken.js";

export interface Followed {
  /** To be told with the command's own words. */
  readonly say: readonly string[];
  /** Where the chat is now. */
  readonly conversation: ConversationId | undefined;
}

export async function follow(
  parts: GatewayParts,
  spoken: Spoken,
  { next, conversation }: { readonly next: SlashNext; readonly conversation: ConversationId | undefined },
): Promise<Followed> {
  const { live } = parts;
  const stays = { say: [], conversation };
  switch (next.kind) {
    case "stay":
      return stays;
    case "leave":
      return { ...stays, say: ["There is nothing to leave here: just stop writing."] };
    case "move":
      return { say: [], conversation: next.conversation };
    case "resume":
      live.wake(next.conversation, true);
      return { say: [], conversation: next.conversation };
    case "run":
      if (conversation !== undefined) live.wake(conversation, true);
      return stays;
    case "prefill":
      return { ...stays, say: next.text === "" ? [] : [`You had written:\n${next.text}`] };
    case "send":
      return send(parts, spoken, { text: next.text, conversation });
    case "retry":
      return {
        ...stays,
        say: conversation === undefined ? [] : await sayAgain(parts, spoken, conversation, next.text),
      };
    default:
      return unreachable(next);
  }
}

/** As if the person had written it: the same event, so that it is said once however often the command is run. */
async function send(
  parts: GatewayParts,
  spoken: Spoken,
  { text, conversation }: { readonly text: string; readonly conversation: ConversationId | undefined },
): Promise<Followed> {
  const said = signed(spoken, parts.keyRules, text);
  const admission = await parts.live.say(inboundOf(parts, spoken, { to: routeOf(spoken), text: said }));
  const refused = notTakenText(admission);
  if (refused !== undefined) return { say: [refused], conversation };
  return { say: [], conversation: "conversation" in admission ? admission.conversation : conversation };
}

/** Stored first, then the exchange it stands for is hidden: a death between the two loses nothing. */
async function sayAgain(
  parts: GatewayParts,
  spoken: Spoken,
  conversation: ConversationId,
  text: string,
): Promise<readonly string[]> {
  const { store, live, clock } = parts;
  const to = { kind: "conversation" as const, id: conversation };
  const admission = await store.admit(inboundOf(parts, spoken, { to, text }));
  if (admission.kind === "duplicate") return [];
  if (admission.kind !== "admitted") return [notTakenText(admission) ?? "It was not taken."];
  const undone = await store.undo({ conversation, turns: 1, reason: "retry", nowMs: clock.nowMs() });
  if (undone.kind === "busy") {
    // Somebody else was faster: what was to be replaced is no longer the end.
    const reason = "the conversation went on meanwhile";
    await store.cancelInput({ input: admission.input, reason, nowMs: clock.nowMs() });
    return ["The conversation went on meanwhile, so it was not asked again."];
  }
  live.tell(conversation, { type: "changed", what: "history" });
  live.wake(conversation, true);
  return [];
}

function inboundOf(
  { clock, cwd }: GatewayParts,
  spoken: Spoken,
  { to, text }: { readonly to: InboundTarget; readonly text: string },
): Inbound {
  const { account, address, eventId } = spoken;
  const platform = account.kind.name;
  return {
    platform,
    account: account.name,
    eventId,
    to,
    text,
    mode: account.chats[address.chatId ?? ""]?.busy ?? account.busy,
    author: authorOf(spoken),
    address,
    start: { source: platform, cwd },
    nowMs: clock.nowMs(),
  };
}
