/** What a person reads when they leave a chat: the command that goes on there. */
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { CLI_PLATFORM } from "./target.js";

export async function farewell(store: SessionStore, conversation: ConversationId): Promise<string> {
  const [[newest], card] = await Promise.all([
    store.list({ limit: 1, source: CLI_PLATFORM }),
    store.show({ conversation }),
  ]);
  const named = `talaria chat -r ${conversation}`;
  if (card?.liveTurn?.phase === "waiting") return `It still waits for your answer: ${named}`;
  return `${newest?.id === conversation ? "talaria chat -c" : named} goes on here.`;
}
