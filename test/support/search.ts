/**
 * Conversations to search in: written down as lists of lines, stored through the import verbs, so that a test says
 * who said what, where and when, and nothing else.
 */
import type { ConversationId } from "../../src/base/ids.js";
import type { MessageBody, Role } from "../../src/session/message.js";
import type { SearchQuery } from "../../src/session/search.js";
import type { SessionStore } from "../../src/session/store.js";

export interface Line {
  readonly role?: Role;
  readonly text: string;
  readonly body?: MessageBody;
  readonly atMs?: number;
  readonly isSuperseded?: boolean;
  readonly isCarried?: boolean;
}

export interface Setting {
  readonly source?: string;
  readonly owner?: string;
  readonly title?: string;
  /** The first line's number in the source; a later call adds to the same conversation. */
  readonly from?: number;
}

/** Adds the lines to a conversation of this name, which begins with them if it does not exist. */
export async function tell(
  store: SessionStore,
  name: string,
  lines: readonly (Line | string)[],
  setting: Setting = {},
): Promise<ConversationId> {
  const { source = "cli", owner, title, from = 0 } = setting;
  const { conversation } = await store.importConversation({
    id: `conversation-${name}`,
    lineage: "root",
    source,
    ...(owner !== undefined && { owner: { platform: "telegram", account: owner } }),
    createdMs: 1_000,
    activeMs: 1_000,
    first: { id: `session-${name}`, createdMs: 1_000, openings: [], ...(title !== undefined && { title }) },
  });
  await store.importMessages({
    session: `session-${name}`,
    messages: lines.map((line, index) => {
      const {
        role = "user",
        text,
        atMs = 1_000 + from + index,
        ...rest
      } = typeof line === "string" ? { text: line } : line;
      return { role, text, atMs, sourceNo: from + index, ...rest };
    }),
  });
  return conversation;
}

/** Which messages a query finds, as `name:seq`, in the order of the answer. */
export async function found(store: SessionStore, query: string | SearchQuery): Promise<string[]> {
  const { hits } = await store.search(typeof query === "string" ? { text: query } : query);
  return hits.map(({ conversation, seq }) => `${conversation.replace("conversation-", "")}:${seq}`);
}
