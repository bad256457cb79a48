/**
 * The cheap way to a smaller context: what tools said and were told long ago is described instead of repeated. Calls
 * stay calls, with arguments that are still JSON, and results stay results, so the thinned history is as valid as the
 * one before. It alters copies; what is stored stays.
 */
import type { Message, MessageBody, RequestedCall } from "#session/message.js";
import { clip, wireArguments } from "../projection/clean.js";
import { pieceOf } from "../projection/piece.js";
import { weigh } from "./weigh.js";

export const RESULT_CHARS_KEPT = 200;
const ARGUMENTS_CHARS_KEPT = 500;
const STRING_CHARS_KEPT = 200;
/** Tried in turn, until what is cut fits. */
const FIT_CHARS = [50_000, 25_000, 12_000, 6_000, 3_000, 1_500, 800, 400] as const;

/** Thins messages that are followed by `later`, where the newest copy of an output may stand. */
export function thinned(messages: readonly Message[], later: readonly Message[] = []): readonly Message[] {
  const newer = new Set(later.filter(({ role }) => role === "tool").map(({ text }) => text));
  return messages
    .toReversed()
    .map((message) => {
      if (message.role === "assistant") return thinAssistant(message);
      if (message.role !== "tool" || message.text.length <= RESULT_CHARS_KEPT) return message;
      const isCopy = newer.has(message.text);
      newer.add(message.text);
      return { ...message, text: isCopy ? COPY_TEXT : describe(message) };
    })
    .reverse();
}

/** Cuts results and arguments until the messages weigh no more than that, or until nothing is left to cut. */
export function fitted(messages: readonly Message[], tokensMax: number): readonly Message[] {
  let fit = messages;
  for (const chars of FIT_CHARS) {
    if (weigh(fit) <= tokensMax) return fit;
    fit = messages.map((message) => {
      if (message.role === "tool")
        return message.text.length > chars ? { ...message, text: clip(message.text, chars) } : message;
      return message.role === "assistant" ? withArguments(message, chars, chars) : message;
    });
  }
  return fit;
}

const COPY_TEXT = "[the same output as that of a later call]";

function describe(message: Message): string {
  const piece = pieceOf(message);
  const isError = piece.kind === "result" && piece.isError;
  const lines = message.text.split("\n").length;
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${message.text.length} characters`;
  const start = `[${isError ? "failed; " : ""}output left out to save room: ${size}] `;
  const words = piece.kind === "result" ? piece.text.replace(/\s+/g, " ").trim() : "";
  return (start + words.slice(0, RESULT_CHARS_KEPT - start.length - 1)).toWellFormed() + "…";
}

/** Reasoning of long ago is of no use, and its provider does not ask for it. */
function thinAssistant(message: Message): Message {
  const thin = withArguments(message, ARGUMENTS_CHARS_KEPT, STRING_CHARS_KEPT);
  if (thin.body?.["opaque"] === undefined && thin.body?.reasoning === undefined) return thin;
  const { opaque: _opaque, reasoning: _reasoning, ...body } = thin.body;
  return { ...thin, body };
}

function withArguments(message: Message, charsMax: number, stringCharsMax: number): Message {
  const calls: unknown = message.body?.toolCalls;
  const isLong = (call: unknown): call is RequestedCall => {
    const given: unknown = (call as Partial<RequestedCall> | null)?.arguments;
    return typeof given === "string" && given.length > charsMax;
  };
  if (!Array.isArray(calls) || !calls.some(isLong)) return message;
  const toolCalls = calls.map((call: RequestedCall) =>
    isLong(call) ? { ...call, arguments: shortArguments(call.arguments, stringCharsMax) } : call,
  );
  return { ...message, body: { ...message.body, toolCalls } satisfies MessageBody };
}

/** Long strings are cut inside the JSON, never the JSON itself. */
function shortArguments(given: string, charsMax: number): string {
  return JSON.stringify(JSON.parse(wireArguments(given)), (_key, value: unknown) =>
    typeof value === "string" && value.length > charsMax
      ? `${value.slice(0, charsMax).toWellFormed()}… [${value.length - charsMax} characters left out]`
      : value,
  );
}
