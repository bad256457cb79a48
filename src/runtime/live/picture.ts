/**
 * The picture a watcher begins with: stored history up to the feed's mark, and the events after it. The two are read at
 * different moments; whatever happens between them is noticed, and the reading is done again.
 */
import { OperationalError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import type { LiveConversation } from "./conversation.js";
import type { Picture } from "./port.js";

/** Newest messages a picture holds; older ones are asked for. */
export const PICTURE_MESSAGES_MAX = 400;
const TRIES_MAX = 20;

/** Watch the feed in the same breath as this resolves. */
export async function pictureOf(store: Pick<SessionStore, "recent">, one: LiveConversation): Promise<Picture> {
  const { id, feed } = one;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    await one.known();
    const { seq, messageSeq } = feed.mark();
    const before = messageSeq === undefined ? {} : { beforeSeq: messageSeq + 1 };
    const rows = await store.recent({ conversation: id, ...before, limit: PICTURE_MESSAGES_MAX + 1 });
    const events = feed.since(seq);
    // Read while nothing ran: a turn that began meanwhile may stand in what was read, and its events tell it again.
    const isMixed = messageSeq === undefined && (one.isBetween() || feed.mark().seq !== seq);
    if (events === undefined || isMixed) continue;
    const hasOlder = rows.length > PICTURE_MESSAGES_MAX;
    const messages = hasOlder ? rows.slice(1) : rows;
    return { messages, hasOlder, events, seq: feed.last(), state: one.state(), turn: one.turn() };
  }
  throw new OperationalError(
    "too-busy",
    "immediately",
    "So much happens here that no picture can be taken; try again.",
  );
}
