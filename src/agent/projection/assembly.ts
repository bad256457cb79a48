/**
 * Puts pieces of history in an order that every provider takes: roles alternate, each call is answered right after the
 * message that asked for it, ids are unique. It only ever looks back, so what it made of a prefix stays as it is when
 * history grows, and provider caches hit [MD-21]; only the last message may still change.
 */
import type { ModelMessage, ModelResult } from "#model/model.js";
import type { Message } from "#session/message.js";
import { ABANDONED_TEXT } from "#session/tool-call.js";
import { CALL_ID_PATTERN, clip, TEXT_CHARS_MAX } from "./clean.js";
import { type CallPiece, type Piece, pieceOf, type ResultPiece } from "./piece.js";

/** Stands where a provider wants a user's message and nobody said anything. */
export const CONTINUE_TEXT = "[continue]";
export const BEGINNING_TEXT = "[the beginning of this conversation is not shown]";

/** What several messages of a person in a row may come to; their middle gives way. */
const JOINED_CHARS_MAX = 2 * TEXT_CHARS_MAX;

/** Calls of the newest assistant message; a result may still come for each. */
interface AskedCall {
  readonly id: string;
  readonly storedId: string;
  readonly name: string;
  answer: ModelResult | undefined;
}

export class Assembly {
  readonly #seen: Message[] = [];
  readonly #messages: ModelMessage[] = [];
  readonly #ids = new Set<string>();
  /** Stored ids of calls that were closed without a result, by the name they were called with. */
  readonly #abandoned = new Map<string, string>();
  #asked: AskedCall[] = [];
  #calls = 0;

  constructor(readonly origin: string) {}

  /** Whether the history begins with everything that was added. */
  isPrefixOf(history: readonly Message[]): boolean {
    // A plain loop: this runs over all of history before every request.
    for (let at = 0; at < this.#seen.length; at++) if (this.#seen[at] !== history[at]) return false;
    return true;
  }

  /** Adds what the history has beyond what was added before. */
  follow(history: readonly Message[]): void {
    for (const message of history.slice(this.#seen.length)) {
      this.#seen.push(message);
      this.#add(pieceOf(message));
    }
  }

  /** A request's messages as of now: open calls answered, and the last word not the assistant's. */
  messages(): readonly ModelMessage[] {
    const messages = this.#messages.slice();
    if (this.#asked.length > 0) messages.push(answersTo(this.#asked));
    const last = messages.at(-1)?.role;
    if (last === undefined || last === "assistant") messages.push({ role: "user", text: CONTINUE_TEXT });
    return messages;
  }

  #add(piece: Piece): void {
    if (piece.kind === "user") this.#addUser(piece.text);
    else if (piece.kind === "assistant") this.#addAssistant(piece);
    else if (piece.kind === "result") this.#addResult(piece);
  }

  #addUser(text: string): void {
    this.#closeCalls();
    const last = this.#messages.at(-1);
    if (last?.role === "user")
      this.#messages[this.#messages.length - 1] = {
        role: "user",
        text: clip(`${last.text}\n\n${text}`, JOINED_CHARS_MAX),
      };
    else this.#messages.push({ role: "user", text });
  }

  #addAssistant({ text, calls, opaque }: Extract<Piece, { kind: "assistant" }>): void {
    this.#closeCalls();
    const last = this.#messages.at(-1)?.role;
    // Not joined to the assistant's message before: reasoning goes back with exactly the text it led to.
    if (last === "assistant") this.#messages.push({ role: "user", text: CONTINUE_TEXT });
    if (last === undefined) this.#messages.push({ role: "user", text: BEGINNING_TEXT });
    this.#asked = calls.map((call) => this.#ask(call));
    this.#messages.push({
      role: "assistant",
      text,
      calls: this.#asked.map(({ id, name }, at) => ({ id, name, arguments: calls[at]?.arguments ?? "{}" })),
      ...(opaque !== undefined && opaque.origin === this.origin && { opaque: opaque.parts }),
    });
  }

  #ask({ storedId, name }: CallPiece): AskedCall {
    this.#calls++;
    // Some models count their calls from zero in every step: a result that comes now belongs to this one.
    this.#abandoned.delete(storedId);
    let id = storedId;
    for (let tries = 0; !CALL_ID_PATTERN.test(id) || this.#ids.has(id); tries++)
      id = tries === 0 ? `call_${this.#calls}` : `call_${this.#calls}_${tries}`;
    this.#ids.add(id);
    return { id, storedId, name, answer: undefined };
  }

  #addResult(result: ResultPiece): void {
    const call = this.#callOf(result);
    if (call !== undefined) {
      call.answer = { id: call.id, name: call.name, text: result.text, isError: result.isError };
      return;
    }
    // A second result of an answered call is dropped, and so is one that nothing asked for.
    const name = this.#abandoned.get(result.storedId);
    if (name === undefined) return;
    this.#abandoned.delete(result.storedId);
    this.#addUser(`[Result of the earlier call of ${name}, which came late; for reference only]\n${result.text}`);
  }

  /** Some programs store no ids; their results stand in the order of the calls. */
  #callOf({ storedId, name }: ResultPiece): AskedCall | undefined {
    const open = this.#asked.filter((call) => call.answer === undefined);
    if (storedId !== "")
      return open.find((call) => call.storedId === storedId) ?? open.find((call) => call.storedId === "");
    return open.find((call) => call.name === name) ?? open[0];
  }

  #closeCalls(): void {
    if (this.#asked.length === 0) return;
    this.#messages.push(answersTo(this.#asked));
    for (const call of this.#asked)
      if (call.answer === undefined && call.storedId !== "") this.#abandoned.set(call.storedId, call.name);
    this.#asked = [];
  }
}

/** In the order of the calls, whatever order they finished in. What has no result may have had an effect [FQ-3]. */
function answersTo(calls: readonly AskedCall[]): ModelMessage {
  return {
    role: "tool",
    results: calls.map(({ id, name, answer }) => answer ?? { id, name, text: ABANDONED_TEXT.unknown, isError: true }),
  };
}
