/**
 * The calls of an OpenAI-like chat stream, put together from the events themselves. The packages for this wire
 * disagree exactly where it hurts: one runs a repeated call twice, one turns arguments it cannot parse into `{}`.
 *
 * Deltas belong together by index and id. A name is taken once, never joined; a delta that repeats a whole call
 * is ignored; a whole call without an id of its own starts a new one.
 */

import { field, first, isText } from "../json-field.js";
import { CALLS_KEY, HIDDEN_CALLS_KEY } from "./hide-calls.js";

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** What Gemini wants back with the call when it is spoken to through this wire. */
  readonly signature?: string;
}

export interface ChatCalls {
  take(event: unknown): Taken;
  /** In the order they were begun. */
  calls(): readonly WireCall[];
}

/** What an event added. */
export interface Taken {
  /** Names that were not known before. */
  readonly names: readonly string[];
  readonly chars: number;
}

interface Entry {
  id: string;
  name: string;
  arguments: string;
  signature?: string;
  readonly index: number | undefined;
}

export function collectChatCalls(): ChatCalls {
  const entries: Entry[] = [];
  const take = (piece: Entry): void => {
    const entry = find(entries, piece);
    if (entry === undefined) entries.push({ ...piece });
    else merge(entry, piece, entries);
  };
  const named = (): number => entries.reduce((count, { name }) => (name === "" ? count : count + 1), 0);
  return {
    take(event) {
      const delta = field(first(field(event, "choices")), "delta");
      const deltas = field(delta, CALLS_KEY) ?? field(delta, HIDDEN_CALLS_KEY);
      if (!Array.isArray(deltas)) return NOTHING;
      const pieces = deltas.map(pieceOf);
      const before = named();
      for (const piece of pieces) take(piece);
      const isNew = named() > before;
      return {
        names: isNew ? pieces.map(({ name }) => name).filter((name) => name !== "") : [],
        chars: pieces.reduce((sum, piece) => sum + piece.arguments.length, 0),
      };
    },
    calls: () => entries.map(({ index: _, ...call }) => call),
  };
}

const NOTHING: Taken = { names: [], chars: 0 };

function pieceOf(delta: unknown): Entry {
  const called = field(delta, "function");
  const index = field(delta, "index");
  const signature = field(field(field(delta, "extra_content"), "google"), "thought_signature");
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const given = field(called, "arguments");
  return {
    index: typeof index === "number" ? index : undefined,
    id: text(field(delta, "id")),
    name: text(field(called, "name")),
    // Some servers send the arguments as the object itself.
    arguments: typeof given === "object" && given !== null ? JSON.stringify(given) : text(given),
    ...(isText(signature) ? { signature } : {}),
  };
}

/** The call a delta goes on with; the latest one where several could be meant. */
function find(entries: readonly Entry[], piece: Entry): Entry | undefined {
  if (piece.id !== "") {
    const same = entries.findLast((entry) => entry.id === piece.id && isSameIndex(entry, piece));
    if (same !== undefined) return same;
    // An id that comes late belongs to the nameless or idless call begun at its index.
    return entries.findLast((entry) => entry.id === "" && piece.index !== undefined && entry.index === piece.index);
  }
  if (piece.index !== undefined) return entries.findLast((entry) => entry.index === piece.index);
  return piece.name === "" ? entries.at(-1) : undefined;
}

function isSameIndex(entry: Entry, piece: Entry): boolean {
  return piece.index === undefined || entry.index === undefined || entry.index === piece.index;
}

function merge(entry: Entry, piece: Entry, entries: Entry[]): void {
  const isWholeAgain = piece.name !== "" && isObjectText(piece.arguments) && isObjectText(entry.arguments);
  if (isWholeAgain) {
    const isRepeat = piece.id !== "" && piece.id === entry.id && piece.arguments === entry.arguments;
    if (!isRepeat) entries.push({ ...piece });
    return;
  }
  if (entry.id === "") entry.id = piece.id;
  if (entry.name === "") entry.name = piece.name;
  if (piece.signature !== undefined) entry.signature ??= piece.signature;
  entry.arguments += piece.arguments;
}

function isObjectText(text: string): boolean {
  if (!text.startsWith("{") || !text.endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not whole yet: the question was whether it is.
    return false;
  }
}
