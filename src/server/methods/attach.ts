/** For clients that come and go and share a conversation with others: finding, watching, the queue, who else is there. */
import type { EventParams } from "#protocol/frame.js";
import type { Params, Result } from "#protocol/methods.js";
import type { Picture } from "#runtime/live/port.js";
import type { ServerContext } from "../context.js";
import { found } from "../find.js";
import type { Call, HandlersOf } from "../handler.js";
import { openQuestions } from "../question.js";
import { transcript } from "../rows.js";
import { storedOf, targetOf } from "../target.js";

const QUEUE_MAX = 500;
const OPEN_TURNS_MAX = 500;

async function subscribe(
  server: ServerContext,
  { session_id: sid, after, wake }: Params<"events.subscribe">,
  call: Call,
): Promise<Result<"events.subscribe">> {
  const { connection } = call;
  const target = await targetOf(server, sid);
  const id = target.kind === "blank" ? target.blank.id : target.id;
  connection.held.add(id);
  // Before the picture is taken: whoever looks sees whether something goes on.
  if (wake === true && target.kind === "stored") server.live.wake(id, true);
  const caught = after === undefined ? undefined : connection.attachSince(id, after);
  if (caught !== undefined) {
    const events = await server.renderer.params(id, caught.missed);
    call.after(caught.release);
    const seq = caught.missed.at(-1)?.seq ?? after ?? 0;
    return { seq, state: await server.live.state(id), events };
  }
  const { picture, release } = await connection.attach(id);
  call.after(release);
  return { seq: picture.seq, state: await server.live.state(id), ...(await resetTo(server, id, picture)) };
}

async function resetTo(
  server: ServerContext,
  id: Parameters<ServerContext["renderer"]["params"]>[0],
  picture: Picture,
) {
  const events: EventParams[] = await server.renderer.params(id, picture.events);
  const { messages, hasOlder, turn } = picture;
  const reset = {
    messages: transcript(messages),
    has_older: hasOlder,
    ...(turn === undefined ? {} : { turn_id: turn }),
  };
  return { events, reset };
}

export const attachHandlers: HandlersOf<
  | "session.find"
  | "session.questions"
  | "session.queue"
  | "session.queue.cancel"
  | "session.presence"
  | "events.subscribe"
  | "events.unsubscribe"
  | "events.since"
> = {
  "session.find": (server, { text }) => found(server, text),
  async "session.questions"(server, { session_id: sid }) {
    const only = sid === undefined || sid === "" ? {} : { conversation: await storedOf(server, sid) };
    const turns = await server.store.openTurns({ limit: OPEN_TURNS_MAX, ...only });
    return { questions: turns.flatMap(openQuestions).slice(0, OPEN_TURNS_MAX) };
  },
  async "session.queue"(server, { session_id }) {
    const target = await targetOf(server, session_id);
    if (target.kind === "blank") return { inputs: [], deliveries: [] };
    const { inputs, deliveries } = await server.store.standing({ conversation: target.id, limit: QUEUE_MAX });
    return {
      inputs: inputs.map(({ id, mode, phase, text, reason, receivedMs }) => ({
        id,
        mode,
        state: phase,
        text,
        reason,
        received_at: receivedMs / 1000,
      })),
      deliveries: deliveries.map(({ id, platform, phase, part, parts, text }) => ({
        id,
        platform,
        state: phase,
        part,
        parts,
        text: text ?? "",
      })),
    };
  },
  async "session.queue.cancel"(server, { session_id, input_id }) {
    const { store, live, clock } = server;
    const conversation = await storedOf(server, session_id);
    const queue = await store.queue({ conversation, limit: QUEUE_MAX });
    const input = queue.find(({ id }) => id === input_id)?.id;
    if (input === undefined) return { status: "unknown" };
    const { kind } = await store.cancelInput({ input, reason: "cancelled by the person", nowMs: clock.nowMs() });
    live.tell(conversation, { type: "queue-changed", queued: Math.max(0, queue.length - 1) });
    return { status: kind };
  },
  async "session.presence"(server, { session_id }) {
    const target = await targetOf(server, session_id);
    const id = target.kind === "blank" ? target.blank.id : target.id;
    const clients = server.connections
      .attachedTo(id)
      .map(({ wire, client, sinceMs }) => ({ kind: wire.kind, client, since: sinceMs / 1000 }));
    return { clients };
  },
  "events.subscribe": (server, params, call) => subscribe(server, params, call),
  async "events.unsubscribe"(server, { session_id }, { connection }) {
    const target = await targetOf(server, session_id);
    const id = target.kind === "blank" ? target.blank.id : target.id;
    return { unsubscribed: connection.detach(id) };
  },
  async "events.since"(server, { session_id, after }) {
    const target = await targetOf(server, session_id);
    if (target.kind === "blank") return { seq: after, state: "idle", events: [] };
    const known = server.live.since(target.id, after);
    if (known !== undefined) {
      const state = await server.live.state(target.id);
      return { seq: known.at(-1)?.seq ?? after, state, events: await server.renderer.params(target.id, known) };
    }
    const picture = await server.live.picture(target.id);
    const state = await server.live.state(target.id);
    return { seq: picture.seq, state, ...(await resetTo(server, target.id, picture)) };
  },
};
