/**
 * `session.create`. A session in which nothing was said is a promise of this host and no row [LS-1]; one that is opened with a
 * history is written before it is answered, so that its id leads there whatever dies next [CT-1] [CT-6].
 */
import { faultPoint } from "#base/fault.js";
import type { ConversationId } from "#base/ids.js";
import type { Params, Result } from "#protocol/methods.js";
import type { TitleOutcome } from "#session/input.js";
import { blankFor } from "./blank-for.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";
import type { Call } from "./handler.js";
import { droppedTitle } from "./say.js";
import { opened } from "./seat.js";
import { type Seed, seededBefore, seedOf } from "./seed.js";
import { startOf } from "./target.js";

type Wish = Params<"session.create">;
type Created = Result<"session.create">;

export async function create(server: ServerContext, params: Wish, call: Call): Promise<Created> {
  const { connection } = call;
  const seed = seedOf(params.messages);
  const created = seed.length === 0 ? await promise(server, params, call) : await seeded(server, params, seed, call);
  connection.cols = params.cols ?? connection.cols;
  if (params.close_on_disconnect === true) connection.closedWithIt.add(created.session_id as ConversationId);
  return created;
}

async function promise(server: ServerContext, params: Wish, { connection }: Call): Promise<Created> {
  const blank = await blankFor(server, connection, params);
  server.blanks.add(blank);
  connection.held.add(blank.id);
  connection.follow(blank.id);
  return {
    session_id: blank.id,
    stored_session_id: blank.id,
    message_count: 0,
    messages: [],
    info: await server.panels.ofBlank(blank),
  };
}

/** An id of the client's own makes a second attempt the same: it finds what the first one wrote. */
async function seeded(server: ServerContext, params: Wish, seed: Seed, call: Call): Promise<Created> {
  const { store, blanks, clock, control } = server;
  const { platform } = call.connection;
  if (control.isStopping())
    throw new Refusal("shuttingDown", "the host is stopping; nothing was stored, send it again");
  const before = await seededBefore(server, params.session_id, seed);
  if (before !== undefined) {
    // Its opening may have been closed since that answer was lost.
    await store.resume({ actor: { platform }, to: before, nowMs: clock.nowMs() });
    return sitDown(server, before, call, undefined);
  }
  const blank = await blankFor(server, call.connection, params);
  const { id, title, resetFrom } = blank;
  const written = await store.seed({
    id,
    actor: { platform },
    start: startOf(blank),
    messages: seed,
    ...(title === undefined ? {} : { title }),
    ...(resetFrom === undefined ? {} : { succeeds: resetFrom }),
    nowMs: clock.nowMs(),
  });
  faultPoint("server.seeded");
  // The same attempt on another line was faster, or somebody took the id for something else.
  if (written.kind === "exists") await seededBefore(server, id, seed);
  blanks.remove(id);
  return sitDown(server, id, call, written.kind === "seeded" ? written.title : undefined);
}

async function sitDown(
  server: ServerContext,
  id: ConversationId,
  call: Call,
  title: TitleOutcome | undefined,
): Promise<Created> {
  call.connection.held.add(id);
  const { session_key: _, inflight, running, status, started_at, ...picture } = await opened(server, id, call);
  const dropped = droppedTitle(title);
  return { ...picture, stored_session_id: id, ...(dropped === undefined ? {} : { title_dropped: dropped }) };
}
