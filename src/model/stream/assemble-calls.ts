/** The calls of one answer: collected as they come, made into something that can be run and sent back at its end. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { boundArguments, parseArguments } from "../arguments.js";
import { field, isText } from "../json-field.js";
import { CALL_ID_CHARS_MAX, CALL_NAME_CHARS_MAX } from "../limits.js";
import type { Dialect, ModelCall, OpaquePart } from "../model.js";
import { keptMetadata } from "../opaque.js";
import { collectChatCalls, type Taken, type WireCall } from "./chat-calls.js";

type CallPart = Extract<LanguageModelV3StreamPart, { type: "tool-call" }>;

export interface CallCollector {
  /** An event of the wire; undefined where calls are not read from events. */
  takeEvent(event: unknown): Taken | undefined;
  /** A call as the provider's package put it together. */
  takePart(part: CallPart): void;
  count(): number;
  finish(): FinishedCalls;
}

export interface FinishedCalls {
  readonly calls: readonly ModelCall[];
  readonly opaque: readonly OpaquePart[];
  /** A call without a name can be neither run nor answered. */
  readonly hasNameless: boolean;
}

export function collectCalls(dialect: Dialect, newId: () => string): CallCollector {
  const chat = dialect === "openai-chat" ? collectChatCalls() : undefined;
  const parts: (WireCall & { readonly metadata?: unknown })[] = [];
  return {
    takeEvent: (event) => chat?.take(event),
    takePart({ toolCallId, toolName, input, providerMetadata, providerExecuted }) {
      // Tools that run at the provider are never asked for.
      if (chat !== undefined || providerExecuted === true) return;
      const call = { id: toolCallId, name: toolName, arguments: input };
      const isRepeat = parts.some(
        (seen) => seen.id === call.id && seen.name === call.name && seen.arguments === call.arguments && call.id !== "",
      );
      if (!isRepeat) parts.push({ ...call, metadata: keptMetadata(dialect, "call", providerMetadata) });
    },
    count: () => (chat === undefined ? parts.length : chat.calls().length),
    finish: () => finishCalls(chat?.calls() ?? parts, newId),
  };
}

function finishCalls(wire: readonly WireCall[], newId: () => string): FinishedCalls {
  const used = new Set<string>();
  const calls: ModelCall[] = [];
  const opaque: OpaquePart[] = [];
  for (const one of wire) {
    const id = ownId(one.id, used, newId);
    const text = boundArguments(one.arguments.toWellFormed());
    // Sent back as it was, and an empty text is no JSON.
    const argumentsText = text.trim() === "" ? "{}" : text;
    calls.push({ id, name: sendableName(one.name), arguments: argumentsText, input: parseArguments(argumentsText) });
    const metadata = metadataOf(one);
    if (metadata !== undefined)
      opaque.push({ kind: "call", text: "", metadata, at: { chars: 0, calls: calls.length - 1 } });
  }
  return { calls, opaque, hasNameless: wire.some(({ name }) => name.trim() === "") };
}

/** The provider's id, unless it has none, repeats itself or says too much. */
function ownId(id: string, used: Set<string>, newId: () => string): string {
  const isUsable = id.trim() !== "" && id.length <= CALL_ID_CHARS_MAX && !used.has(id) && id.isWellFormed();
  const own = isUsable ? id : `call_${newId()}`;
  used.add(own);
  return own;
}

/** A name that no provider refuses when it comes back; nothing that was changed is the name of a tool of ours. */
function sendableName(name: string): string {
  return name
    .trim()
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, CALL_NAME_CHARS_MAX);
}

function metadataOf(call: WireCall & { readonly metadata?: unknown }): Readonly<Record<string, unknown>> | undefined {
  if (call.signature !== undefined) return { google: { thoughtSignature: call.signature } };
  const { metadata } = call;
  return isText(field(field(metadata, "google"), "thoughtSignature"))
    ? (metadata as Readonly<Record<string, unknown>>)
    : undefined;
}
