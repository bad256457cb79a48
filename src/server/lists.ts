/** Lists of sessions: the newest, and those that are open in this host. Bounded, and never a look at all of history. */
import type { Params, Result } from "#protocol/methods.js";
import { LIST_MAX } from "#protocol/shapes.js";
import type { ServerContext } from "./context.js";
import type { Call } from "./handler.js";

const LISTED_DEFAULT = 200;

export async function list({ store }: ServerContext, params: Params<"session.list">): Promise<Result<"session.list">> {
  const { limit = LISTED_DEFAULT, source, archived = false } = params;
  const rows = await store.list({
    limit: Math.max(1, Math.min(limit, LIST_MAX)),
    ...(source === undefined ? {} : { source }),
    withArchived: archived,
  });
  const sessions = rows.map((row) => ({
    id: row.id,
    title: row.title ?? "",
    preview: row.preview ?? "",
    started_at: row.createdMs / 1000,
    message_count: row.messages,
    source: row.source,
    last_active: row.activeMs / 1000,
    tip_session_id: row.tip,
    ...(row.model === null ? {} : { model: row.model }),
    lineage: row.lineage,
    ...(row.endReason === null ? {} : { end_reason: row.endReason }),
    is_archived: row.isArchived,
  }));
  return { sessions };
}

/** What clients are attached to or what works, in the order in which it began. Polled: it reads cards of these alone. */
export async function activeList(
  server: ServerContext,
  current: string,
  _call: Call,
): Promise<Result<"session.active_list">> {
  const { store, live, blanks, connections, models } = server;
  const working = live.active().map(({ conversation }) => conversation);
  const attached = new Set(connections.all().flatMap((one) => one.attached()));
  const ids = [...new Set([...attached, ...working])].slice(0, LIST_MAX);
  const rows = await Promise.all(
    ids.map(async (id) => {
      const blank = blanks.find(id);
      const card = blank === undefined ? await store.show({ conversation: id }) : null;
      if (blank === undefined && card === null) return undefined;
      const startedMs = card?.createdMs ?? blank?.createdMs ?? 0;
      return {
        id,
        session_key: id,
        current: id === current,
        status: blank === undefined ? await live.state(id) : ("idle" as const),
        title: card?.title ?? blank?.title ?? "",
        preview: card?.preview ?? "",
        message_count: card?.messages ?? 0,
        model: card?.model ?? blank?.model ?? models.current().label,
        started_at: startedMs / 1000,
        last_active: (card?.activeMs ?? startedMs) / 1000,
        clients: connections.attachedTo(id).length,
      };
    }),
  );
  // A run that only makes sure that nothing is left is no work.
  const known = rows.filter((row) => row !== undefined).filter((row) => attached.has(row.id) || row.status !== "idle");
  return { sessions: known.sort((a, b) => a.started_at - b.started_at) };
}
