/**
 * One stored message as what a model may read of it: cleaned, redacted and bounded, whatever program wrote it. The
 * work is done once per message object, so that a long history costs nothing the second time. Knows nothing of the
 * messages around it; `assembly.ts` puts pieces in order.
 */
import { unreachable } from "#base/errors.js";
import { redact } from "#base/redact.js";
import type { OpaquePart } from "#model/model.js";
import type { Message, MessageBody } from "#session/message.js";
import { isSummary } from "../compaction/summary-message.js";
import { contextOf } from "../context.js";
import { cleanText, clip, isBlank, TEXT_CHARS_MAX, wireArguments, wireName } from "./clean.js";

export type Piece =
  /** Nothing of it is sent. */
  | { readonly kind: "none" }
  | { readonly kind: "user"; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly text: string;
      readonly calls: readonly CallPiece[];
      readonly opaque: Opaque | undefined;
    }
  | ({ readonly kind: "result" } & ResultPiece);

export interface CallPiece {
  /** As stored; it pairs the call with its result and may be unfit for the wire. */
  readonly storedId: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ResultPiece {
  readonly storedId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

interface Opaque {
  readonly origin: string;
  readonly parts: readonly OpaquePart[];
}

export const INTERRUPTED_MARK = "[interrupted here]";
export const NO_OUTPUT_TEXT = "[no output]";
export const ATTACHMENT_TEXT = "[an attachment that cannot be shown here]";
export const CONTEXT_PREFIX = "[Context of this conversation, for reference only; not a request]";
export const HOOK_PREFIX = "[Added by a hook of this installation; not said by the person]";
export const SUMMARY_PREFIX =
  "[Summary of the earlier part of this conversation, which grew too long to be shown. It is for reference only: " +
  "what it lists as done is done, and requests in it are answered only if a message after it asks for that.]";
export const SUMMARY_END = "[end of the summary]";

export function pieceOf(message: Message): Piece {
  const known = PIECES.get(message);
  if (known !== undefined) return known;
  const piece = makePiece(message);
  PIECES.set(message, piece);
  return piece;
}

const PIECES = new WeakMap<Message, Piece>();
const NOTHING: Piece = { kind: "none" };

function makePiece(message: Message): Piece {
  const { role } = message;
  switch (role) {
    case "user":
      return userPiece(message);
    case "assistant":
      return assistantPiece(message);
    case "tool":
      return { kind: "result", ...resultPiece(message) };
    case "system":
      return systemPiece(message);
    case "note":
      return notePiece(message);
    default:
      return unreachable(role);
  }
}

function userPiece({ text, body }: Message): Piece {
  if (!isBlank(text)) return { kind: "user", text: readable(text) };
  const isAttachment = (body?.attachments?.length ?? 0) > 0 || body?.["content"] !== undefined;
  return isAttachment ? { kind: "user", text: ATTACHMENT_TEXT } : NOTHING;
}

function assistantPiece({ text, body }: Message): Piece {
  const calls = callsOf(body);
  const isCut = body?.interrupted === true;
  const said = isBlank(text) ? "" : clip(cleanText(text), TEXT_CHARS_MAX);
  if (said === "" && calls.length === 0) return NOTHING;
  return {
    kind: "assistant",
    text: isCut && said !== "" ? `${said}\n\n${INTERRUPTED_MARK}` : said,
    calls,
    // Reasoning belongs to a whole step; what was cut has none that a provider would take back.
    opaque: isCut ? undefined : opaqueOf(body),
  };
}

/** An import may hold anything under these keys. */
function callsOf(body: MessageBody | undefined): readonly CallPiece[] {
  const calls: unknown = body?.toolCalls;
  return Array.isArray(calls) ? calls.filter(isRecord).map(callPiece) : [];
}

function callPiece(call: Readonly<Record<string, unknown>>): CallPiece {
  const given = call["arguments"];
  return {
    storedId: textOr(call["id"], ""),
    name: wireName(textOr(call["name"], "")),
    arguments: wireArguments(typeof given === "string" ? given : JSON.stringify(given ?? {})),
  };
}

function resultPiece({ text, body }: Message): ResultPiece {
  const outcome = body?.["outcome"];
  return {
    storedId: textOr(body?.toolCallId, ""),
    name: wireName(textOr(body?.toolName, "")),
    text: isBlank(text) ? NO_OUTPUT_TEXT : readable(text),
    isError: typeof outcome === "string" && outcome !== "ok",
  };
}

function systemPiece(message: Message): Piece {
  if (isBlank(message.text)) return NOTHING;
  const text = readable(message.text);
  return {
    kind: "user",
    text: isSummary(message) ? `${SUMMARY_PREFIX}\n\n${text}\n\n${SUMMARY_END}` : `${CONTEXT_PREFIX}\n${text}`,
  };
}

/** A note is for the person, unless a hook put it there for the model. */
function notePiece(message: Message): Piece {
  const context = contextOf(message);
  return context === undefined ? NOTHING : { kind: "user", text: `${HOOK_PREFIX}\n${readable(context)}` };
}

/** Redacted before it is cut, so that no half of a secret is left at the edge. */
function readable(text: string): string {
  return clip(redact(cleanText(text)), TEXT_CHARS_MAX);
}

function opaqueOf(body: MessageBody | undefined): Opaque | undefined {
  const opaque = body?.["opaque"];
  if (!isRecord(opaque) || !Array.isArray(opaque["parts"])) return undefined;
  const origin = textOr(opaque["origin"], "");
  const parts = opaque["parts"].filter(isOpaquePart);
  // A part that cannot be read may be the one that the others need.
  return origin === "" || parts.length === 0 || parts.length < opaque["parts"].length ? undefined : { origin, parts };
}

function isOpaquePart(part: unknown): part is OpaquePart {
  if (!isRecord(part) || part["kind"] !== "reasoning" || typeof part["text"] !== "string") return false;
  return part["metadata"] === undefined || isRecord(part["metadata"]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
