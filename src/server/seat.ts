/**
 * Sitting down at a conversation: what `session.resume`, `session.activate` and `session.history` answer. Clients of the
 * reference show the transcript before the running turn and that turn's text so far; ours ask `events.subscribe` for all.
 */
import type { ConversationId } from "#base/ids.js";
import type { Params, Result } from "#protocol/methods.js";
import type { Picture } from "#runtime/live/port.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import type { ServerContext } from "./context.js";
import type { Call } from "./handler.js";
import { openQuestions } from "./question.js";
import { transcript } from "./rows.js";
import { targetOf } from "./target.js";

/** Of one answer: what a client is held to in a frame of its own is enough for a screen. */
const HISTORY_ROWS_MAX = 2_000;
const HISTORY_CHARS_MAX = 2_000_000;

export async function opened(
  server: ServerContext,
  id: ConversationId,
  call: Call,
): Promise<Result<"session.activate">> {
  const { store, panels, blanks, clock } = server;
  const { picture, release } = await call.connection.attach(id);
  call.after(release);
  const card = await store.show({ conversation: id });
  const [open] = await store.openTurns({ limit: 1, conversation: id });
  const blank = blanks.find(id);
  const { rows, inflight } = beforeTurn(picture, open?.turn);
  const isRunning = picture.state === "working";
  const info = blank === undefined ? await panels.of(id, { isRunning }) : await panels.ofBlank(blank);
  return {
    session_id: id,
    session_key: id,
    message_count: card?.messages ?? 0,
    messages: transcript(rows),
    info,
    inflight,
    running: isRunning,
    status: picture.state,
    started_at: (card?.createdMs ?? blank?.createdMs ?? clock.nowMs()) / 1000,
    seq: picture.seq,
    has_older: picture.hasOlder,
    ...(card === null ? {} : { tip_session_id: card.tip }),
    questions: open === undefined ? [] : openQuestions(open),
  };
}

/** The newest of a whole conversation, also of what stands before a compaction; what is older is in an export. */
export async function history(
  server: ServerContext,
  { session_id: sid }: Params<"session.history">,
): Promise<Result<"session.history">> {
  const target = await targetOf(server, sid);
  if (target.kind === "blank") return { count: 0, messages: [], has_older: false };
  const rows = await server.store.recent({ conversation: target.id, limit: HISTORY_ROWS_MAX + 1 });
  let chars = 0;
  const fits = rows.toReversed().findIndex(({ text }, at) => {
    chars += text.length;
    return at >= HISTORY_ROWS_MAX || chars > HISTORY_CHARS_MAX;
  });
  const messages = transcript(fits === -1 ? rows : rows.slice(rows.length - fits));
  return { count: messages.length, messages, has_older: fits !== -1 };
}

function beforeTurn(picture: Picture, turn: string | undefined) {
  const { messages, events, state } = picture;
  if (turn === undefined || state === "idle") return { rows: messages, inflight: null };
  const own = messages.filter((row) => row.turn === turn);
  const rows: readonly HistoryRow[] = messages.filter((row) => row.turn !== turn);
  const user = own.find(({ role }) => role === "user")?.text ?? "";
  const stored = own.filter(({ role }) => role === "assistant").map(({ text }) => text);
  let streamed = "";
  for (const { event } of events) {
    if (event.type === "text") streamed += event.delta;
    if (event.type === "retracted") streamed = "";
  }
  const assistant = [...stored, streamed].filter((text) => text !== "").join("\n\n");
  return { rows, inflight: { user, assistant, streaming: state === "working" } };
}
