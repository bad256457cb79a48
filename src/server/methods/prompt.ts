/** Saying and answering. What is acknowledged here is stored [CT-1]; what is refused was not. */

import type { ApprovalId, ConversationId } from "#base/ids.js";
import { droppedText } from "#command/conversation/title.js";
import { expandReferences } from "#command/references.js";
import { beginBackground } from "#command/turn/background.js";
import { BUSY_MESSAGE } from "#protocol/error-codes.js";
import type { Params, Result } from "#protocol/methods.js";
import type { ServerContext } from "../context.js";
import { becameOf } from "../exchange.js";
import { Refusal } from "../failure.js";
import type { Call, HandlersOf } from "../handler.js";
import { openQuestions } from "../question.js";
import { say, sayAgain } from "../say.js";
import { slashContext } from "../slash.js";
import { cwdOf, storedOf, targetOf } from "../target.js";

const OPEN_TURNS_MAX = 1_000;
/** How far back an edited message is looked for. */
const EDIT_ROWS_MAX = 10_000;

/** A client that gives no id of its own cannot tell a repetition from a second message: one of them at a time. */
async function submit(
  server: ServerContext,
  params: Params<"prompt.submit">,
  call: Call,
): Promise<Result<"prompt.submit">> {
  const { speaking } = server;
  const { session_id: sid } = params;
  if (params.client_message_id !== undefined) return submitNow(server, params, call);
  if (speaking.has(sid)) throw new Refusal("busy", BUSY_MESSAGE);
  speaking.add(sid);
  return submitNow(server, params, call).finally(() => speaking.delete(sid));
}

async function submitNow(
  server: ServerContext,
  params: Params<"prompt.submit">,
  call: Call,
): Promise<Result<"prompt.submit">> {
  const { client_message_id: messageId, mode, title } = params;
  if (params.text.trim() === "") throw new Refusal("emptyText", "an empty message says nothing");
  if (server.control.isStopping())
    throw new Refusal("shuttingDown", "the host is stopping; nothing was stored, send it again");
  const target = await targetOf(server, params.session_id);
  const isBusy = target.kind === "stored" && (await server.live.state(target.id)) !== "idle";
  if (isBusy && messageId === undefined) throw new Refusal("busy", BUSY_MESSAGE);
  const place = { cwd: await cwdOf(server, params.session_id), home: server.host.home, clock: server.clock };
  const { text, notes } = await expandReferences(params.text, { ...place, signal: call.signal });
  const refusal = server.models.refusalOf(text);
  if (refusal !== undefined) throw new Refusal("badArgument", refusal);
  if (params.truncate_before_user_ordinal !== undefined && target.kind === "stored") {
    if (isBusy) throw new Refusal("busy", BUSY_MESSAGE);
    return edit(server, call, { id: target.id, ordinal: params.truncate_before_user_ordinal, text, messageId });
  }
  const wanted = target.kind === "blank" ? (title ?? target.blank.title) : undefined;
  const admission = await say(server, call.connection, target, { text, messageId, mode, title: wanted });
  for (const note of notes) server.live.tell(admission.conversation, { type: "notice", text: note });
  const base = { session_id: admission.conversation, input_id: admission.input };
  if (admission.kind === "duplicate") {
    const { conversation, input } = admission;
    const exchange = await becameOf(server, { conversation, input, messageId: messageId ?? "", text });
    return { ...base, status: "duplicate", ...(exchange === undefined ? {} : { exchange }) };
  }
  const dropped = admission.title?.kind === "dropped" ? droppedText(admission.title) : undefined;
  return {
    ...base,
    status: isBusy ? "queued" : "streaming",
    tip_session_id: admission.session,
    ...(dropped === undefined ? {} : { title_dropped: dropped }),
  };
}

interface Edit {
  readonly id: ConversationId;
  readonly ordinal: number;
  readonly text: string;
  readonly messageId: string | undefined;
}

/** Everything from that message of the person's on is hidden, and this is said instead. */
async function edit(
  server: ServerContext,
  { connection }: Call,
  { id, ordinal, text, messageId }: Edit,
): Promise<Result<"prompt.submit">> {
  const rows = await server.store.recent({ conversation: id, limit: EDIT_ROWS_MAX });
  const said = rows.filter(({ role }) => role === "user").length;
  if (ordinal >= said) throw new Refusal("noSuchTurn", "there is no such message to edit");
  connection.held.add(id);
  connection.follow(id);
  const { kind, input } = await sayAgain(server, connection, { id, text, turns: said - ordinal, messageId });
  return { status: kind === "duplicate" ? "duplicate" : "streaming", session_id: id, input_id: input };
}

/** [CT-10] Decided once; whoever was faster is told. */
async function respond(server: ServerContext, params: Params<"approval.respond">): Promise<Result<"approval.respond">> {
  const { choice, all, approval_id: wanted, reply } = params;
  const id = await storedOf(server, params.session_id);
  const words = reply === undefined ? {} : { reply };
  let resolved = 0;
  let decided: Result<"approval.respond">["decided"];
  do {
    const named = wanted === undefined ? {} : { approval: wanted as ApprovalId };
    const decision = await server.live.answer(id, { answer: choice, ...words, ...named });
    if (!("answer" in decision)) {
      if (resolved === 0 && decision.kind === "too-long") throw new Refusal("answerFailed", "the answer is too long");
      break;
    }
    if (decision.kind === "already-decided") {
      decided = decision.answer;
      break;
    }
    resolved++;
  } while (all === true && wanted === undefined && resolved < OPEN_TURNS_MAX);
  return { resolved, ...(decided === undefined ? {} : { decided }) };
}

/** A question without choices is answered in words; empty words mean that there is no answer. */
async function clarify(server: ServerContext, params: Params<"clarify.respond">): Promise<Result<"clarify.respond">> {
  const approval = params.approval_id ?? params.request_id;
  const turns = await server.store.openTurns({ limit: OPEN_TURNS_MAX });
  const asked = turns.flatMap(openQuestions).find(({ approval_id }) => approval_id === approval);
  if (asked === undefined) throw new Refusal("nothingPending", "nothing waits for this answer");
  const reply = params.reply ?? params.answer;
  const words = reply.trim() === "" ? { answer: "deny" as const } : { answer: "once" as const, reply };
  const decision = await server.live.answer(asked.session_id as ConversationId, {
    ...words,
    approval: approval as ApprovalId,
  });
  if (decision.kind === "too-long") throw new Refusal("answerFailed", "the answer is too long");
  return { status: "ok" };
}

export const promptHandlers: HandlersOf<
  "prompt.submit" | "prompt.background" | "approval.respond" | "clarify.respond" | "sudo.respond" | "secret.respond"
> = {
  "prompt.submit": submit,
  async "prompt.background"(server, { session_id, text }, call) {
    if (text.trim() === "") throw new Refusal("noBackgroundText", "say what is to be done");
    const context = await slashContext(server, call.connection, await targetOf(server, session_id));
    const begun = await beginBackground(context, text);
    if (begun.kind === "refused") throw new Refusal("failed", begun.why);
    return { task_id: begun.task };
  },
  "approval.respond": respond,
  "clarify.respond": clarify,
  "sudo.respond": () => {
    throw new Refusal("nothingPending", "nothing asked for a password");
  },
  "secret.respond": () => {
    throw new Refusal("nothingPending", "nothing asked for a secret");
  },
};
