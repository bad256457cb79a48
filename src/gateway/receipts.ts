/** What a chat is told about a message of its own beside the answer: that it waits, and for what [GW-19]. */
import type { ConversationId } from "#base/ids.js";
import type { LiveState } from "#runtime/live/port.js";
import type { InputMode } from "#session/input.js";
import type { GatewayParts } from "./gateway.js";
import type { Heard } from "./heard.js";
import type { Recently } from "./recently.js";
import { RECEIPTS } from "./words.js";

/** A chat hears about its queue at most so often. */
export const RECEIPT_EVERY_MS = 30_000;
const QUEUE_LOOKED_AT = 100;

export interface Waiting {
  readonly heard: Heard;
  readonly mode: InputMode;
  /** Before this message. */
  readonly state: LiveState;
  readonly isDraining: boolean;
  readonly conversation: ConversationId;
}

/** True of a row that is stored. */
export async function tellWaiting(parts: GatewayParts, told: Recently, waiting: Waiting): Promise<void> {
  const { heard, state, isDraining, conversation } = waiting;
  if ((state === "idle" && !isDraining) || !told.isFirst(heard.key, parts.clock.monotonicMs())) return;
  await tellChat(parts, heard, await words(parts, waiting), conversation);
}

async function words({ store }: GatewayParts, { mode, state, isDraining, conversation }: Waiting): Promise<string> {
  if (isDraining) return RECEIPTS.draining;
  if (mode !== "queue") return RECEIPTS[mode]();
  if (state === "waiting") return RECEIPTS.waiting;
  return RECEIPTS.queue((await store.queue({ conversation, limit: QUEUE_LOOKED_AT })).length);
}

export async function tellChat(
  { store, clock }: GatewayParts,
  { account, address }: Heard,
  text: string,
  conversation?: ConversationId,
): Promise<void> {
  await store.oweDelivery({
    platform: account.kind.name,
    address,
    parts: [text],
    ...(conversation === undefined ? {} : { conversation }),
    nowMs: clock.nowMs(),
  });
}
