/**
 * An answer in a thread of its own. A thread that grows out of a message has the message's id, so the chat is known before
 * the thread exists, and a second attempt finds the first one's.
 */
import type { Logger } from "#base/log.js";
import type { Chat, Incoming } from "../platform.js";
import type { Call } from "./rest.js";
import { hasCode, isPassing, RestTrouble, THREAD_EXISTS } from "./rest-failure.js";

const NAME_CHARS_MAX = 100;
/** Minutes without a word until Discord folds it away: a day. */
const ARCHIVE_AFTER_MIN = 1440;

export interface ThreadRequest {
  readonly call: Call;
  readonly log: Logger;
  readonly incoming: Incoming;
  readonly signal: AbortSignal;
}

/** The thread, or the channel itself where threads are not to be had. Rejects while Discord does not answer. */
export async function openThread({ call, log, incoming, signal }: ThreadRequest): Promise<Chat> {
  const { chat, eventId, text } = incoming;
  const name = (text.split("\n")[0] ?? "").slice(0, NAME_CHARS_MAX).toWellFormed().trim() || "conversation";
  const thread: Chat = { type: "thread", id: eventId, threadId: eventId, name };
  const route = `/channels/${chat.id}/messages/${eventId}/threads`;
  try {
    await call({ method: "POST", route, body: { name, auto_archive_duration: ARCHIVE_AFTER_MIN } }, signal);
    return thread;
  } catch (error) {
    if (hasCode(error, THREAD_EXISTS)) return thread;
    if (!(error instanceof RestTrouble) || isPassing(error.failure)) throw error;
    log.warn("no thread can be opened, the answer goes to the channel", { channel: chat.id, error: error.message });
    return chat;
  }
}

/** Opens an archived thread again; false when that is not ours to do. */
export async function unarchive(call: Call, threadId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await call({ method: "PATCH", route: `/channels/${threadId}`, body: { archived: false } }, signal);
    return true;
  } catch (error) {
    if (error instanceof RestTrouble && !isPassing(error.failure)) return false;
    throw error;
  }
}
