/** What a client says becomes a stored input [CT-1], once for every id of its own [CT-2], and is then worked on. */
import type { ConversationId } from "#base/ids.js";
import { BUSY_MESSAGE } from "#protocol/error-codes.js";
import type { Admission, InputMode, TitleOutcome } from "#session/input.js";
import type { Inbound, InboundTarget, SessionStart } from "#session/verbs/intake.js";
import type { Connection } from "./connection.js";
import { type ServerContext, TERMINAL_ACCOUNT } from "./context.js";
import { Refusal } from "./failure.js";
import { startOf, type Target } from "./target.js";

export interface Saying {
  readonly text: string;
  readonly messageId?: string | undefined;
  readonly mode?: InputMode | undefined;
  readonly title?: string | undefined;
}

export async function say(
  server: ServerContext,
  connection: Connection,
  target: Target,
  saying: Saying,
): Promise<Extract<Admission, { kind: "admitted" | "duplicate" }>> {
  const { blanks, live } = server;
  const id = target.kind === "blank" ? target.blank.id : target.id;
  const to = target.kind === "blank" ? rowFor(target) : { kind: "conversation" as const, id };
  // Before it is stored: what it sets off is seen from the first event on.
  connection.held.add(id);
  connection.follow(id);
  const start = target.kind === "blank" ? startOf(target.blank) : { source: connection.platform };
  const admission = await live.say(inbound(server, connection, { to, start, saying }));
  if (admission.kind === "admitted" || admission.kind === "duplicate") {
    // Said before, somewhere else: nothing was said here.
    if (admission.conversation === id) blanks.remove(id);
    return admission;
  }
  throw refusalOf(admission);
}

/** [BH-2] A blank that a client opened after leaving another conversation is that one's successor from its first row on. */
function rowFor({ blank }: Extract<Target, { kind: "blank" }>): InboundTarget {
  const { id, resetFrom } = blank;
  return { kind: "new", id, ...(resetFrom === undefined ? {} : { succeeds: resetFrom }) };
}

export interface Repetition {
  readonly id: ConversationId;
  readonly text: string;
  /** Exchanges that it stands for, from the last one back. */
  readonly turns?: number;
  readonly messageId?: string | undefined;
}

/** Stored first, then the exchange it stands for is hidden: a death between the two loses nothing. */
export async function sayAgain(
  server: ServerContext,
  connection: Connection,
  { id, text, turns = 1, messageId }: Repetition,
): Promise<Extract<Admission, { kind: "admitted" | "duplicate" }>> {
  const { store, live, clock } = server;
  const to = { kind: "conversation" as const, id };
  const start = { source: connection.platform };
  const admission = await store.admit(inbound(server, connection, { to, start, saying: { text, messageId } }));
  if (admission.kind === "duplicate") return admission;
  if (admission.kind !== "admitted") throw refusalOf(admission);
  const undone = await store.undo({ conversation: id, turns, reason: "retry", nowMs: clock.nowMs() });
  if (undone.kind === "busy") {
    // Somebody else was faster: what was to be replaced is no longer the end.
    const { input } = admission;
    await store.cancelInput({ input, reason: "the conversation went on meanwhile", nowMs: clock.nowMs() });
    throw new Refusal("busy", BUSY_MESSAGE);
  }
  live.tell(id, { type: "changed", what: "history" });
  live.wake(id, true);
  return admission;
}

interface Words {
  readonly to: InboundTarget;
  readonly start: SessionStart;
  readonly saying: Saying;
}

function inbound({ newId, clock }: ServerContext, { platform }: Connection, { to, start, saying }: Words): Inbound {
  const { text, messageId, mode, title } = saying;
  return {
    platform,
    account: TERMINAL_ACCOUNT,
    eventId: messageId ?? newId<string>(),
    to,
    text,
    ...(messageId === undefined ? {} : { body: { messageId } }),
    ...(mode === undefined ? {} : { mode }),
    ...(title === undefined ? {} : { title }),
    start,
    nowMs: clock.nowMs(),
  };
}

const REJECTED = {
  empty: "an empty message says nothing",
  "too-long": "the message is too long",
  "unknown-conversation": "this conversation does not exist",
  deleted: "this conversation was deleted",
} as const;

function refusalOf(admission: Admission): Refusal {
  switch (admission.kind) {
    case "suspended":
      return new Refusal(
        "failed",
        "this conversation was set aside after it ended the program; /resume or /new goes on",
      );
    case "rejected":
      return new Refusal(admission.reason === "empty" ? "emptyText" : "failed", REJECTED[admission.reason]);
    default:
      return new Refusal("failed", "this message was said before");
  }
}

/** [LS-5] Why a wanted title was not taken. */
export function droppedTitle(title: TitleOutcome | undefined): string | undefined {
  if (title?.kind !== "dropped") return undefined;
  const why = {
    taken: "another conversation has that title",
    empty: "the title is empty",
    "too-long": "the title is too long",
  };
  return `${why[title.reason]}; one will be chosen`;
}
