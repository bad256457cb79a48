/** A message that is said to the agent: past the hooks, with its files, into the store, and a word if it has to wait. */
import type { Admission } from "#session/input.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { Route } from "#session/verbs/routes.js";
import type { AccountLine } from "./account-line.js";
import type { GatewayParts } from "./gateway.js";
import type { Heard } from "./heard.js";
import { inboundOf } from "./inbound.js";
import { keepMedia } from "./media.js";
import type { Previews } from "./previews.js";
import { tellChat, tellWaiting } from "./receipts.js";
import type { Recently } from "./recently.js";
import { RECEIPTS } from "./words.js";

export interface DispatchParts extends GatewayParts {
  readonly previews: Previews;
  /** The host stops: what is heard is stored and left. */
  isDraining(): boolean;
}

export interface Spoken {
  readonly line: AccountLine;
  readonly heard: Heard;
  /** Of the chat, if it has one. */
  readonly route: Route | null;
  /** Chats that were told about their queue. */
  readonly told: Recently;
}

/** `left`: a hook left it out. */
export async function dispatch(parts: DispatchParts, { line, heard, route, told }: Spoken): Promise<"taken" | "left"> {
  const { account, incoming, address, key } = heard;
  const { text: said } = incoming;
  const verdict = await parts.beforeDispatch({ platform: account.kind.name, address, text: said, sessionKey: key });
  if (verdict.kind === "skip") {
    parts.log.info("a hook left a message out", { platform: account.kind.name, reason: verdict.reason });
    return "left";
  }
  const kept = await keepMedia(parts, account.kind.limits.mediaIn, incoming.media ?? []);
  const text = verdict.kind === "rewrite" ? verdict.text : said;
  const mode = account.chats[incoming.chat.id]?.busy ?? account.busy;
  const inbound = inboundOf(parts, heard, { text, kept, mode, route });
  const state = route === null ? "idle" : await parts.live.state(route.conversation);
  if (route !== null) parts.previews.follow(route.conversation, line, address);
  const admission = await admit(parts, inbound);
  if (admission.kind === "admitted") {
    const { conversation } = admission;
    parts.previews.follow(conversation, line, address);
    await tellWaiting(parts, told, { heard, mode, state, isDraining: parts.isDraining(), conversation });
  } else if (admission.kind === "rejected" && admission.reason === "too-long") {
    await tellChat(parts, heard, RECEIPTS.tooLong);
  }
  return "taken";
}

/** While the host stops, the store alone: the next host finds it unclaimed and answers it. */
async function admit({ live, store, isDraining }: DispatchParts, inbound: Inbound): Promise<Admission> {
  return isDraining() ? store.admit(inbound) : live.say(inbound);
}
