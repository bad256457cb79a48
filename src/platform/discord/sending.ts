/** Saying something: one attempt, one outcome. Nothing here rejects except what the port lets reject. */
import { z } from "zod";
import type { Outgoing, Place, SendOutcome } from "../platform.js";
import type { Echoes } from "./find-sent.js";
import { editBody, messageBody, nonceOf, readMedia } from "./outgoing.js";
import type { Call, RestRequest } from "./rest.js";
import { hasCode, outcomeOf, RestTrouble, THREAD_ARCHIVED } from "./rest-failure.js";
import { unarchive } from "./threads.js";

/** What an answer has to say to be a receipt. */
const receiptAnswer = z.object({ id: z.string().regex(/^\d+$/), channel_id: z.string().optional() });

export interface SendingParts {
  readonly call: Call;
  readonly echoes: Echoes;
}

export async function send(outgoing: Outgoing, parts: SendingParts, signal: AbortSignal): Promise<SendOutcome> {
  const request = await requestFor(outgoing);
  if ("kind" in request) return request;
  const outcome = await attempt(request, outgoing.place, parts.call, signal);
  // Kept so that a later look for another message with the same words does not take this one for it.
  if (outcome.kind === "sent") parts.echoes.note(nonceOf(outgoing), outcome.receipt);
  return outcome;
}

export async function edit(
  { place, receipt, outgoing }: { readonly place: Place; readonly receipt: string; readonly outgoing: Outgoing },
  call: Call,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const route = `/channels/${place.chat.id}/messages/${receipt}`;
  return attempt({ method: "PATCH", route, body: editBody(outgoing) }, place, call, signal);
}

async function requestFor(outgoing: Outgoing): Promise<RestRequest | SendOutcome> {
  const request = {
    method: "POST",
    route: `/channels/${outgoing.place.chat.id}/messages`,
    body: messageBody(outgoing),
  } as const;
  if (outgoing.media === undefined) return request;
  const media = await readMedia(outgoing.media);
  return media.kind === "missing" ? { kind: "refused", why: media.why } : { ...request, files: [media.file] };
}

async function attempt(request: RestRequest, place: Place, call: Call, signal: AbortSignal): Promise<SendOutcome> {
  if (!/^\d+$/.test(place.chat.id)) return { kind: "refused", why: `${place.chat.id} is no channel of Discord` };
  try {
    return receiptOf(await call(request, signal), place);
  } catch (error) {
    if (!hasCode(error, THREAD_ARCHIVED)) return outcomeOfError(error);
    return reopened(request, place, call, signal);
  }
}

/** A thread that fell asleep is opened for its answer; one that was locked stays as somebody wanted it. */
async function reopened(request: RestRequest, place: Place, call: Call, signal: AbortSignal): Promise<SendOutcome> {
  try {
    if (!(await unarchive(call, place.chat.id, signal))) {
      return { kind: "refused", why: "the thread is archived, and the bot may not open it again" };
    }
  } catch (error) {
    // It is certain that the message itself was not taken, whatever became of the opening.
    const outcome = outcomeOfError(error);
    return outcome.kind === "unknown" ? { kind: "retry", afterMs: REOPEN_RETRY_MS, why: outcome.why } : outcome;
  }
  try {
    return receiptOf(await call(request, signal), place);
  } catch (error) {
    return outcomeOfError(error);
  }
}

const REOPEN_RETRY_MS = 2_000;

function receiptOf(answer: unknown, place: Place): SendOutcome {
  const parsed = receiptAnswer.safeParse(answer);
  if (!parsed.success) return { kind: "unknown", why: "Discord took it, and its answer names no message" };
  const { id, channel_id } = parsed.data;
  if (channel_id !== undefined && channel_id !== place.chat.id) {
    return { kind: "unknown", why: "Discord's answer speaks of another channel" };
  }
  return { kind: "sent", receipt: id };
}

/** Whatever is thrown is an outcome; of what is not known, that it may have arrived. */
function outcomeOfError(error: unknown): SendOutcome {
  if (error instanceof RestTrouble) return outcomeOf(error.failure);
  return { kind: "unknown", why: String(error) };
}
