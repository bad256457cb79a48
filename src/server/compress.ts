/** `session.compress`: a person's compaction, with the rows as they are afterwards [CR-1]. */
import type { ConversationId } from "#base/ids.js";
import type { Params, Result } from "#protocol/methods.js";
import type { ServerContext } from "./context.js";
import { Refusal } from "./failure.js";
import type { Call } from "./handler.js";
import { transcript } from "./rows.js";
import { storedOf } from "./target.js";

const ROWS_MAX = 400;

export async function compress(
  server: ServerContext,
  params: Params<"session.compress">,
  { connection }: Call,
): Promise<Result<"session.compress">> {
  const { store, live, panels } = server;
  const id = await storedOf(server, params.session_id);
  if ((await live.state(id)) !== "idle") throw new Refusal("busy", "session busy");
  const before = await visible(server, id);
  connection.event({ type: "status.update", session_id: id, payload: { kind: "compressing", text: "compressing" } });
  const focus = params.focus_topic?.trim();
  const report = await live.compact(id, focus === undefined || focus === "" ? {} : { focus });
  if (report.kind === "busy") throw new Refusal("busy", "session busy");
  if (report.kind === "failed") throw new Refusal("compressFailed", report.reason);
  const info = await panels.of(id);
  connection.event({ type: "session.info", session_id: id, payload: info });
  connection.event({ type: "status.update", session_id: id, payload: { kind: "status", text: "ready" } });
  const after = await visible(server, id);
  const isDone = report.kind === "compacted";
  const tokens = isDone ? report : { tokensBefore: 0, tokensAfter: 0 };
  const rows = await store.recent({ conversation: id, limit: ROWS_MAX });
  return {
    status: isDone ? "compressed" : report.kind,
    removed: Math.max(0, before - after),
    before_messages: before,
    after_messages: after,
    before_tokens: tokens.tokensBefore,
    after_tokens: tokens.tokensAfter,
    summary: {
      noop: !isDone,
      headline: isDone ? `Compacted ${before} messages to ${after}` : "Nothing to compact",
      token_line: isDone ? `about ${tokens.tokensBefore} tokens before, ${tokens.tokensAfter} now` : "",
      note: report.kind === "stale" ? "Something was said meanwhile; that came first." : null,
    },
    usage: await panels.usage(id),
    info,
    messages: transcript(rows),
    ...(isDone ? { tip_session_id: report.session } : {}),
  };
}

/** Messages of the tip: what the next request is made of. */
async function visible({ store }: ServerContext, conversation: ConversationId): Promise<number> {
  return (await store.tipHistory({ conversation }))?.messages.length ?? 0;
}
