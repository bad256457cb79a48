/**
 * A client leaves. A lost line only detaches it: a running turn goes on, and for a while the opening stays open for
 * whoever comes back. A client that says goodbye closes what only it held. Neither ever ends a turn [FQ-9].
 */
import type { ConversationId } from "#base/ids.js";
import type { Connection } from "./connection.js";
import type { ServerContext } from "./context.js";

/** How long an opening that nobody holds waits for its client to come back. */
export const DETACHED_GRACE_MS = 20_000;

/** The line is gone, for whatever reason. */
export function lostClient(server: ServerContext, connection: Connection): void {
  for (const id of connection.held) {
    if (connection.closedWithIt.has(id)) void closeNowOrLater(server, id, "client_lost", connection);
    else closeLater(server, id, "client_lost", connection);
  }
}

/** Answers how many openings were closed; one whose turn runs is closed when that is over and nobody came for it. */
export async function leaveGracefully(server: ServerContext, connection: Connection, reason: string): Promise<number> {
  const held = [...connection.held];
  connection.held.clear();
  for (const id of held) connection.detach(id);
  const closed = await Promise.all(held.map((id) => closeNowOrLater(server, id, reason, connection)));
  return closed.filter(Boolean).length;
}

async function closeNowOrLater(
  server: ServerContext,
  id: ConversationId,
  reason: string,
  connection: Connection,
): Promise<boolean> {
  const isClosed = await closeQuietly(server, id, reason, connection);
  if (!isClosed) closeLater(server, id, reason, connection);
  return isClosed;
}

/** When nobody has come back by then, and no turn runs. */
export function closeLater(server: ServerContext, id: ConversationId, reason: string, connection: Connection): void {
  server.clock.after(DETACHED_GRACE_MS, () => void closeAbandoned(server, id, reason, connection));
}

/** True when it was closed now. */
export async function close(
  server: ServerContext,
  id: ConversationId,
  reason: string,
  connection: Connection,
): Promise<boolean> {
  const { store, live, clock, connections } = server;
  if (server.blanks.remove(id)) return true;
  const isHeld = connections.isHeldElsewhere(id, connection);
  if (isHeld || (await live.state(id)) !== "idle") return false;
  const closing = await store.end({
    conversation: id,
    actor: { platform: connection.platform, heldElsewhere: isHeld },
    reason,
    nowMs: clock.nowMs(),
  });
  if (closing.kind !== "closed") return false;
  live.tell(id, { type: "changed", what: "ended" });
  return true;
}

async function closeAbandoned(
  server: ServerContext,
  id: ConversationId,
  reason: string,
  connection: Connection,
): Promise<void> {
  if (server.control.isStopping() || server.connections.attachedTo(id).length > 0) return;
  // Its turn goes on without anybody; it is looked at again when that may be over.
  if ((await server.live.state(id)) === "working") return closeLater(server, id, reason, connection);
  await closeQuietly(server, id, reason, connection);
}

/** [FQ-8] One that cannot be closed keeps none of the others from it; the next start finds it open. */
async function closeQuietly(
  server: ServerContext,
  id: ConversationId,
  reason: string,
  connection: Connection,
): Promise<boolean> {
  try {
    return await close(server, id, reason, connection);
  } catch (error) {
    server.log.warn("an opening could not be closed", { conversation: id, reason: String(error) });
    return false;
  }
}
