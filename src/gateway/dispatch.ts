/** A message that is said to the agent: past the hooks, with its files, into the store, and a word if it has to wait. */
import type { LiveState } from "#runtime/live/port.js";
import type { Admission } from "#session/input.js";
import type { Arrival } from "#session/verbs/arrival.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { AccountLine } from "./account-line.js";
import type { GatewayParts } from "./gateway.js";
import type { Heard } from "./heard.js";
import { inboundOf } from "./inbound.js";
import { keepMedia } from "./media.js";
import type { Previews } from "./previews.js";
import { tellChat, tellWaiting } from "./receipts.js";
import type { Recently } from "./recently.js";
import { RECEIPTS } from "./words.js";

/** So long nobody else is expected to begin something in a chat that was found quiet. */
const FRESH_MS = 250;

export interface DispatchParts extends GatewayParts {
  readonly previews: Previews;
  /** The host stops: what is heard is stored and left. */
  isDraining(): boolean;
}

export interface Spoken {
  readonly line: AccountLine;
  readonly heard: Heard;
  /** As it was found at `atMs` of the clock that never jumps. */
  readonly arrival: Pick<Arrival, "route" | "isQuiet">;
  readonly atMs: number;
  /** Chats that were told about their queue. */
  readonly told: Recently;
}

/** `left`: a hook left it out. */
export async function dispatch(parts: DispatchParts, spoken: Spoken): Promise<"taken" | "left"> {
  const { line, heard, told, arrival } = spoken;
  const { route } = arrival;
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
  const state = await stateOf(parts, spoken);
  if (route !== null) parts.previews.follow(route.conversation, line, address);
  const admission = await admit(parts, inbound);
  if (admission.kind === "admitted") {
    const { conversation } = admission;
    parts.previews.follow(conversation, line, address);
    // A command said before it may have led the chat elsewhere: what goes on in the last one is not waited for.
    const before = route?.conversation === conversation ? state : "idle";
    await tellWaiting(parts, told, { heard, mode, state: before, isDraining: parts.isDraining(), conversation });
  } else if (admission.kind === "rejected" && admission.reason === "too-long") {
    await tellChat(parts, heard, RECEIPTS.tooLong);
  }
  return "taken";
}

/** What was found to be quiet a moment ago is idle; after slow hooks or files somebody may have begun there. */
async function stateOf({ live, clock }: DispatchParts, { arrival, atMs }: Spoken): Promise<LiveState> {
  const { route, isQuiet } = arrival;
  if (route === null || (isQuiet && clock.monotonicMs() - atMs <= FRESH_MS)) return "idle";
  return live.state(route.conversation);
}

/** While the host stops, the store alone: the next host finds it unclaimed and answers it. */
async function admit({ live, store, isDraining }: DispatchParts, inbound: Inbound): Promise<Admission> {
  return isDraining() ? store.admit(inbound) : live.say(inbound);
}
