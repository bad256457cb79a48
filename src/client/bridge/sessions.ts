/**
 * The conversations a terminal client is on, learned from what passes by, so that a new line can go on where the old
 * one was cut. The client itself knows nothing of lines: it sees each event once, and a turn that it saw begin it also
 * sees end.
 */
import { type EventParams, eventFrame, type JsonObject } from "#protocol/frame.js";
import type { Result } from "#protocol/methods.js";
import { EventCursor } from "../cursor.js";

/** As many as a host lets one client watch; the one longest unused is forgotten. */
export const SESSIONS_MAX = 256;
/** Events that come before their own subscription is answered; more are let through unsorted. */
const EARLY_EVENTS_MAX = 10_000;

/** Methods after which a client is on the conversation that its answer names. */
const JOINING: ReadonlySet<string> = new Set([
  "session.create",
  "session.resume",
  "session.activate",
  "session.branch",
]);
const LEAVING: ReadonlySet<string> = new Set(["session.close", "session.delete", "events.unsubscribe"]);
const SPEAKING: ReadonlySet<string> = new Set(["prompt.submit", "events.subscribe"]);

interface Joined {
  readonly cursor: EventCursor;
  /** What it was opened with, until something is said in it: a host that dies before that forgets it. */
  draft: JsonObject | undefined;
  /** A turn was seen to begin and not to end. */
  isBusy: boolean;
  /** While its subscription is under way. */
  early: EventParams[] | undefined;
}

export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

export class BridgeSessions {
  readonly #joined = new Map<string, Joined>();

  ids(): readonly string[] {
    return [...this.#joined.keys()];
  }

  seqOf(id: string): number {
    return this.#joined.get(id)?.cursor.seq ?? 0;
  }

  /** After the host answered a request of the client. */
  noteAnswer({ method, params }: Asked, result: JsonObject): void {
    const named = params["session_id"];
    const answered = result["session_id"];
    if (JOINING.has(method) && typeof answered === "string") {
      // One with a history is stored already: what it was opened with need not be kept, and may be long.
      const isDraft = method === "session.create" && (result["message_count"] ?? 0) === 0;
      this.#join(answered, isDraft ? params : undefined);
    } else if (SPEAKING.has(method) && typeof named === "string") this.#join(named, undefined);
    else if (LEAVING.has(method) && typeof named === "string") this.#joined.delete(named);
  }

  /** Whether an event goes on to the client now. */
  admit(event: EventParams): boolean {
    const joined = event.session_id === undefined ? undefined : this.#joined.get(event.session_id);
    if (joined === undefined) return true;
    if (joined.early !== undefined && joined.early.length < EARLY_EVENTS_MAX) {
      joined.early.push(event);
      return false;
    }
    if (!joined.cursor.admit(event)) return false;
    noteTurn(joined, event);
    return true;
  }

  /** The subscription of a new line is on its way. */
  asking(id: string): void {
    const joined = this.#joined.get(id);
    if (joined !== undefined) joined.early = [];
  }

  /** What the client has to be told once the new line knows where it was. */
  resumed(id: string, answer: Result<"events.subscribe">): readonly string[] {
    const joined = this.#joined.get(id);
    if (joined === undefined) return [];
    const { cursor, early = [] } = joined;
    const { seq, state, events = [], reset } = answer;
    joined.early = undefined;
    const wasBusy = joined.isBusy;
    if (reset !== undefined) cursor.restart();
    // What came as JSON has no field that is there and undefined.
    const missed = cursor.admitMissed(events as readonly EventParams[]);
    cursor.reach(seq);
    const told = [...missed, ...cursor.admitMissed(early)];
    for (const event of told) noteTurn(joined, event);
    // It ended while nobody listened, and the host that saw it is gone: the client must not wait for its end for ever.
    if (reset !== undefined && wasBusy && joined.isBusy && state === "idle") {
      joined.isBusy = false;
      return [...told, endOfTurn(id, reset)].map(eventFrame);
    }
    return told.map(eventFrame);
  }

  /** What opens it again under its id in a host that does not know it; undefined when something was said in it. */
  draftOf(id: string): JsonObject | undefined {
    const draft = this.#joined.get(id)?.draft;
    return draft === undefined ? undefined : { ...draft, session_id: id };
  }

  /** Opened again, with nothing to catch up on. */
  reopened(id: string): void {
    const joined = this.#joined.get(id);
    if (joined !== undefined) joined.early = undefined;
  }

  /** The new host has no such conversation; what the client says there will be refused. */
  forget(id: string): void {
    this.#joined.delete(id);
  }

  #join(id: string, draft: JsonObject | undefined): void {
    const before = this.#joined.get(id);
    this.#joined.delete(id);
    const [oldest] = this.#joined.keys();
    if (this.#joined.size >= SESSIONS_MAX && oldest !== undefined) this.#joined.delete(oldest);
    const { cursor = new EventCursor(), isBusy = false, early } = before ?? {};
    this.#joined.set(id, { cursor, draft, isBusy, early });
  }
}

function noteTurn(joined: Joined, { type }: EventParams): void {
  if (type === "message.start") joined.isBusy = true;
  else if (type === "message.complete" || type === "error") joined.isBusy = false;
}

/** The end of a turn, from stored history. */
function endOfTurn(id: string, { messages }: NonNullable<Result<"events.subscribe">["reset"]>): EventParams {
  const last = messages.findLast((row) => row.role === "assistant");
  const isCut = last?.role === "assistant" && last.is_interrupted === true;
  return {
    type: "message.complete",
    session_id: id,
    payload: {
      text: last?.text ?? "",
      usage: { model: "", input: 0, output: 0, total: 0, calls: 0 },
      status: isCut ? "interrupted" : "complete",
    },
  };
}
