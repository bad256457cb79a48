/** A session's life, as terminal clients live it. Ids on the wire are conversation ids, for life. */
import type { ConversationId } from "#base/ids.js";
import type { Params, Result } from "#protocol/methods.js";
import { compress } from "../compress.js";
import type { ServerContext } from "../context.js";
import { create } from "../create.js";
import { Refusal } from "../failure.js";
import type { Call, HandlersOf } from "../handler.js";
import { close, closeLater } from "../leaving.js";
import { activeList, list } from "../lists.js";
import { droppedTitle, say } from "../say.js";
import { history, opened } from "../seat.js";
import { runSlash } from "../slash.js";
import { cardOf, startOf, storedOf, targetOf } from "../target.js";

async function resume(
  server: ServerContext,
  params: Params<"session.resume">,
  call: Call,
): Promise<Result<"session.resume">> {
  const { store, blanks, clock, live } = server;
  const { connection } = call;
  const wanted = params.session_id.trim();
  if (wanted === "") throw new Refusal("noSessionId", "name a session");
  const blank = blanks.find(wanted);
  if (blank !== undefined) return { ...(await opened(server, blank.id, call)), resumed: blank.id };
  const found = await store.resolve({ text: wanted });
  if (found.kind === "ambiguous")
    throw new Refusal("notFound", `several sessions begin like that: ${found.candidates.slice(0, 5).join(", ")}`);
  if (found.kind !== "found")
    throw new Refusal("notFound", found.kind === "deleted" ? "that session was deleted" : "session not found");
  const id = found.conversation;
  const resumed = await store.resume({ actor: { platform: connection.platform }, to: id, nowMs: clock.nowMs() });
  if (resumed.kind === "unknown" || resumed.kind === "deleted") throw new Refusal("notFound", "session not found");
  connection.held.add(id);
  connection.cols = params.cols ?? connection.cols;
  if (params.close_on_disconnect === true) connection.closedWithIt.add(id);
  // What a death cut, and what was queued, goes on now that somebody looks.
  call.after(() => live.wake(id, true));
  return { ...(await opened(server, id, call)), resumed: id };
}

async function title(
  server: ServerContext,
  params: Params<"session.title">,
  { connection }: Call,
): Promise<Result<"session.title">> {
  const { store, blanks, live, clock } = server;
  const target = await targetOf(server, params.session_id);
  const id = target.kind === "blank" ? target.blank.id : target.id;
  const wanted = params.title;
  if (wanted === undefined || wanted === null) {
    const known = target.kind === "blank" ? target.blank.title : (await cardOf(server, id)).title;
    return { title: known ?? "", session_key: id };
  }
  if (wanted.trim() === "") throw new Refusal("emptyTitle", "the title is empty");
  if (target.kind === "blank") {
    // [LS-4] An explicit title is worth a row.
    const { resetFrom } = target.blank;
    const begun = await store.begin({
      id,
      ...(resetFrom === undefined ? {} : { succeeds: resetFrom }),
      start: startOf(target.blank),
      title: wanted,
      nowMs: clock.nowMs(),
    });
    if (begun.kind === "dropped")
      throw new Refusal("badTitle", droppedTitle(begun.title) ?? "this title cannot be taken");
    blanks.remove(id);
    connection.held.add(id);
    return { title: begun.title?.kind === "set" ? begun.title.title : wanted, pending: false };
  }
  const set = await store.setTitle({ conversation: id, title: wanted });
  if (set.kind === "dropped") throw new Refusal("badTitle", (droppedTitle(set) ?? "").split(";")[0] ?? "");
  live.tell(id, { type: "changed", what: "title" });
  return { title: set.kind === "set" ? set.title : wanted, pending: set.kind === "kept-for-later" };
}

async function undo(server: ServerContext, params: Params<"session.undo">): Promise<Result<"session.undo">> {
  const { store, live, clock } = server;
  const target = await targetOf(server, params.session_id);
  if (target.kind === "blank") return { removed: 0 };
  const { id: conversation } = target;
  const undone = await store.undo({ conversation, turns: params.turns ?? 1, reason: "undo", nowMs: clock.nowMs() });
  if (undone.kind === "busy") throw new Refusal("busy", "session busy");
  if (undone.kind !== "undone") return { removed: 0 };
  live.tell(conversation, { type: "changed", what: "history" });
  return { removed: undone.messages, text: undone.text };
}

async function branch(
  server: ServerContext,
  params: Params<"session.branch">,
  { connection }: Call,
): Promise<Result<"session.branch">> {
  const { store, clock, live, connections } = server;
  const target = await targetOf(server, params.session_id);
  if (target.kind === "blank") throw new Refusal("nothingToBranch", "nothing to branch: nothing was said yet");
  const from = target.id;
  const state = await live.state(from);
  if (state === "working") throw new Refusal("busy", "session busy");
  // A question that waits goes on waiting there.
  const heldElsewhere = state !== "idle" || connections.isHeldElsewhere(from, connection);
  const actor = { platform: connection.platform, heldElsewhere };
  const name = params.name?.trim();
  const branched = await store.branch({
    actor,
    from,
    ...(params.at_seq === undefined ? {} : { atSeq: params.at_seq }),
    ...(name === undefined || name === "" ? {} : { title: name }),
    nowMs: clock.nowMs(),
  });
  if (branched.kind === "empty") throw new Refusal("nothingToBranch", "nothing to branch: nothing was said yet");
  if (branched.kind !== "branched") throw new Refusal("notFound", "session not found");
  connection.held.add(branched.conversation);
  connection.follow(branched.conversation);
  const card = await cardOf(server, branched.conversation);
  return { session_id: branched.conversation, title: card.title ?? "", parent: from, tip_session_id: branched.session };
}

async function remove(
  server: ServerContext,
  params: Params<"session.delete">,
  { connection }: Call,
): Promise<Result<"session.delete">> {
  const { store, live, clock, connections } = server;
  if (params.session_id === "") throw new Refusal("noSessionId", "name a session");
  const found = await store.resolve({ text: params.session_id });
  if (found.kind !== "found") throw new Refusal("notFound", "session not found");
  const id = found.conversation;
  if (connections.attachedTo(id).length > 0) throw new Refusal("stillLive", "this session is open; close it first");
  const removed = await store.remove({ conversation: id, by: connection.platform, nowMs: clock.nowMs() });
  if (removed.kind === "busy") throw new Refusal("stillLive", "a turn is running in this session; stop it first");
  if (removed.kind !== "removed") throw new Refusal("notFound", "session not found");
  live.tell(id, { type: "changed", what: "deleted" });
  // Clients compare it with what they sent.
  return { deleted: params.session_id };
}

async function closeSession(
  server: ServerContext,
  { session_id: sid, interrupt }: Params<"session.close">,
  { connection }: Call,
): Promise<Result<"session.close">> {
  const blank = server.blanks.find(sid);
  const found = blank === undefined ? await server.store.resolve({ text: sid }) : undefined;
  const id: ConversationId | undefined = blank?.id ?? (found?.kind === "found" ? found.conversation : undefined);
  if (id === undefined) return { closed: false };
  connection.held.delete(id);
  connection.detach(id);
  const isOthers = server.connections.isHeldElsewhere(id, connection);
  if (interrupt === true && !isOthers && (await server.live.interrupt(id))) await server.live.rest(id);
  const closed = await close(server, id, "tui_close", connection);
  if (!closed && !isOthers) closeLater(server, id, "tui_close", connection);
  if (blank === undefined) connection.left = id;
  return { closed };
}

async function steer(
  server: ServerContext,
  params: Params<"session.steer">,
  { connection }: Call,
): Promise<Result<"session.steer">> {
  const { text, client_message_id: messageId } = params;
  if (text.trim() === "") throw new Refusal("emptySteer", "say what is to be changed");
  const id = await storedOf(server, params.session_id);
  if ((await server.live.state(id)) === "idle") return { status: "rejected", text };
  const said = await say(server, connection, { kind: "stored", id }, { text, messageId, mode: "steer" });
  return { status: "queued", text, input_id: said.input };
}

export const sessionHandlers: HandlersOf<
  Extract<keyof typeof import("#protocol/methods/session.js").sessionMethods, string>
> = {
  "session.create": create,
  "session.resume": resume,
  async "session.activate"(server, { session_id }, call) {
    const target = await targetOf(server, session_id);
    const id = target.kind === "blank" ? target.blank.id : target.id;
    call.connection.held.add(id);
    return opened(server, id, call);
  },
  "session.close": closeSession,
  "session.delete": remove,
  "session.list": list,
  async "session.most_recent"({ store }) {
    const [row] = await store.list({ limit: 1 });
    if (row === undefined) return { session_id: null };
    return { session_id: row.id, title: row.title ?? "", started_at: row.createdMs / 1000, source: row.source };
  },
  "session.active_list": (server, { current_session_id }, call) => activeList(server, current_session_id ?? "", call),
  "session.title": title,
  "session.history": history,
  "session.undo": undo,
  "session.compress": compress,
  "session.branch": branch,
  async "session.interrupt"(server, { session_id }) {
    const target = await targetOf(server, session_id);
    const was = target.kind === "stored" && (await server.live.interrupt(target.id));
    return { status: "interrupted", was_running: was };
  },
  "session.steer": steer,
  async "session.usage"(server, { session_id }) {
    const target = await targetOf(server, session_id);
    return server.panels.usage(target.kind === "blank" ? target.blank.id : target.id);
  },
  async "session.status"(server, { session_id }, call) {
    const answer = await runSlash(server, call, { sid: session_id, line: "/status" });
    return { output: answer.say.join("\n\n") };
  },
  async "session.save"(server, { session_id }) {
    const id = await storedOf(server, session_id);
    if (server.commands.save === undefined) throw new Refusal("saveFailed", "nothing can be saved here");
    return { file: await server.commands.save(id) };
  },
  "terminal.resize"(_server, { cols = 80 }, { connection }) {
    connection.cols = cols;
    return { cols };
  },
};
