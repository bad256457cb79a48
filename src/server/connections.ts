/** Who is connected, and who is attached to which conversation. */
import type { ConversationId } from "#base/ids.js";
import type { Connection } from "./connection.js";

export interface Connections {
  add(connection: Connection): void;
  remove(connection: Connection): void;
  count(): number;
  all(): readonly Connection[];
  attachedTo(conversation: ConversationId): readonly Connection[];
  /** Somebody other than this one is attached: what it leaves is not closed. */
  isHeldElsewhere(conversation: ConversationId, self: Connection): boolean;
}

export function createConnections(): Connections {
  const open = new Set<Connection>();
  const attachedTo = (conversation: ConversationId): readonly Connection[] =>
    [...open].filter((one) => one.isAttached(conversation));
  return {
    add: (connection) => void open.add(connection),
    remove: (connection) => void open.delete(connection),
    count: () => open.size,
    all: () => [...open],
    attachedTo,
    isHeldElsewhere: (conversation, self) => attachedTo(conversation).some((one) => one !== self),
  };
}
