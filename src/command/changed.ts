/** Tells everybody who watches that the store says something else now. */
import type { ConversationId } from "#base/ids.js";
import type { FeedEvent } from "#runtime/live/feed-event.js";
import type { SlashContext } from "./command.js";

type Changed = Extract<FeedEvent, { type: "changed" }>["what"];

export function tellChanged({ live }: SlashContext, conversation: ConversationId, what: Changed): void {
  live?.tell(conversation, { type: "changed", what });
}
