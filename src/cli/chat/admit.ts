/** What a person says becomes a stored input: before anybody answers it, and once for every message id. */
import { droppedText, estimateText, type Model } from "#app/chat-ports.js";
import type { StartedRuntime } from "#app/start-runtime.js";
import { UserError } from "#base/errors.js";
import { type ConversationId, randomIds } from "#base/ids.js";
import { INPUT_CHARS_MAX } from "#session/input.js";
import { EXIT } from "../exit-codes.js";
import { checkRepeated, messageIdBody } from "./message-id.js";
import type { ChatParts } from "./talk.js";
import { CLI_PLATFORM } from "./target.js";

const CLI_ACCOUNT = "local";

export interface Said {
  readonly text: string;
  readonly eventId?: string;
  readonly title?: string;
}

export async function admit(
  { context, started, start, display }: ChatParts,
  conversation: ConversationId | undefined,
  { text, eventId, title }: Said,
) {
  refuseWhatNeverFits(text, started.model);
  const admission = await started.runtime.admit({
    platform: CLI_PLATFORM,
    account: CLI_ACCOUNT,
    eventId: eventId ?? randomIds<string>(),
    to: conversation === undefined ? { kind: "new" } : { kind: "conversation", id: conversation },
    text,
    ...(eventId === undefined ? {} : { body: messageIdBody(eventId) }),
    start,
    ...(title === undefined || conversation !== undefined ? {} : { title }),
    nowMs: context.clock.nowMs(),
  });
  switch (admission.kind) {
    case "admitted":
      // [LS-5] Dropped, told, and left to automatic titling.
      if (admission.title?.kind === "dropped") display.note(droppedText(admission.title));
      return { kind: "admitted" as const, conversation: admission.conversation, session: admission.session };
    case "duplicate":
      await checkRepeated(started.store, { ...admission, messageId: eventId ?? "", text });
      return { kind: "duplicate" as const, ...(await tipOf(started, admission.conversation)) };
    case "suspended":
      throw new UserError("this conversation was set aside", `talaria sessions show ${admission.conversation}`);
    case "rejected":
      throw new UserError(REJECTED[admission.reason], "nothing was stored", EXIT.usage);
  }
}

/** Stored, it would be in every later request, and each would be refused. */
function refuseWhatNeverFits(text: string, model: Model): void {
  const tokens = estimateText(text);
  if (!model.isWindowKnown || tokens <= model.windowTokens) return;
  const size = `about ${tokens.toLocaleString("en-US")} tokens`;
  throw new UserError(
    `the message has ${size}, more than the window of ${model.label} (${model.windowTokens.toLocaleString("en-US")})`,
    "nothing was stored; put it in a file and ask about the file, or choose a model with a larger window",
    EXIT.usage,
  );
}

async function tipOf({ store }: StartedRuntime, conversation: ConversationId) {
  const card = await store.show({ conversation });
  if (card === null) throw new UserError(REJECTED.deleted, "it was said in it", EXIT["not-found"]);
  return { conversation, session: card.tip };
}

const REJECTED = {
  empty: "an empty message says nothing",
  "too-long": `a message has at most ${INPUT_CHARS_MAX.toLocaleString("en-US")} characters`,
  "unknown-conversation": "this conversation does not exist",
  deleted: "this conversation was deleted",
} as const;
