/** From a reply to the bytes of a stream in the dialect that was asked, with the oddities the reply wishes for. */
import { createHash } from "node:crypto";
import type { Dialect } from "../../../src/model/model.js";
import type { Reply, ReplyUsage, SseOddity } from "./reply.js";
import type { SeenRequest } from "./seen.js";
import { anthropic } from "./wire/anthropic.js";
import { type Frame, renderFrame, type Saying, type Wire } from "./wire/frame.js";
import { google } from "./wire/google.js";
import { openaiChat } from "./wire/openai-chat.js";
import { openaiResponses } from "./wire/openai-responses.js";

export const wires: Record<Dialect, Wire> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  google,
};

export const HUGE_LINE_BYTES = 5 * 1024 * 1024;
const PIECE_CHARS = 12;
const ID_CHARS = 8;

/** The stream as its events, each with the bytes it takes. */
export function encode(reply: Reply, seen: SeenRequest): Buffer[] {
  const { fault } = reply;
  const oddity = fault?.kind === "sse" ? fault.how : undefined;
  const wire = wires[seen.dialect];
  let frames = wire.frames(sayingOf(reply, seen, oddity));
  if (fault?.kind === "error") {
    const message = fault.message ?? "The model is overloaded.";
    frames = [
      ...frames.slice(0, fault.afterFrames),
      wire.errorFrame(message, fault.type ?? ERROR_TYPES[seen.dialect].overloaded),
    ];
  }
  if (oddity !== undefined) frames = bend(frames, oddity, seen.dialect);
  return frames.map((frame, at) => Buffer.from(oddity ? respell(renderFrame(frame), oddity, at) : renderFrame(frame)));
}

/** The JSON a provider sends with a status that is no success. */
export function errorBody(seen: SeenRequest, status: number, message: string, type?: string): string {
  const types = ERROR_TYPES[seen.dialect];
  return JSON.stringify(wires[seen.dialect].errorBody(status, message, type ?? types[kindOf(status)]));
}

type ErrorKind = "invalid" | "unauthorised" | "forbidden" | "missing" | "too-large" | "limited" | "overloaded";

const ERROR_TYPES: Record<Dialect, Record<ErrorKind, string>> = {
  "openai-chat": openaiTypes(),
  "openai-responses": openaiTypes(),
  anthropic: {
    invalid: "invalid_request_error",
    unauthorised: "authentication_error",
    forbidden: "permission_error",
    missing: "not_found_error",
    "too-large": "request_too_large",
    limited: "rate_limit_error",
    overloaded: "overloaded_error",
  },
  google: {
    invalid: "INVALID_ARGUMENT",
    unauthorised: "UNAUTHENTICATED",
    forbidden: "PERMISSION_DENIED",
    missing: "NOT_FOUND",
    "too-large": "INVALID_ARGUMENT",
    limited: "RESOURCE_EXHAUSTED",
    overloaded: "UNAVAILABLE",
  },
};

function openaiTypes(): Record<ErrorKind, string> {
  return {
    invalid: "invalid_request_error",
    unauthorised: "invalid_api_key",
    forbidden: "permission_denied",
    missing: "model_not_found",
    "too-large": "request_too_large",
    limited: "rate_limit_exceeded",
    overloaded: "server_error",
  };
}

function kindOf(status: number): ErrorKind {
  const kinds: Readonly<Record<number, ErrorKind>> = {
    401: "unauthorised",
    402: "forbidden",
    403: "forbidden",
    404: "missing",
    413: "too-large",
    429: "limited",
  };
  return kinds[status] ?? (status >= 500 ? "overloaded" : "invalid");
}

function sayingOf(reply: Reply, seen: SeenRequest, oddity: SseOddity | undefined): Saying {
  const id = createHash("sha1").update(seen.raw).digest("hex").slice(0, ID_CHARS);
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
  const reasoning = typeof reply.reasoning === "string" ? { text: reply.reasoning } : (reply.reasoning ?? { text: "" });
  return {
    id,
    model: seen.model,
    isOpenRouter: seen.isOpenRouter,
    text: reply.text ?? "",
    reasoning: { signature: "c2lnbmF0dXJl", ...reasoning },
    refusal: reply.refusal ?? "",
    calls,
    finish: reply.finish ?? (calls.length > 0 ? "calls" : "stop"),
    usage: oddity === "no-usage" ? null : reply.usage === undefined ? estimate(reply, seen) : reply.usage,
    pieceChars: reply.pieceChars ?? PIECE_CHARS,
    repeatsNames: oddity === "repeated-names",
  };
}

/** About four bytes a token, as most people guess. */
function estimate(reply: Reply, seen: SeenRequest): ReplyUsage {
  const written = (reply.text ?? "").length + (reply.calls ? JSON.stringify(reply.calls).length : 0);
  return { inputTokens: Math.ceil(seen.raw.length / 4), outputTokens: Math.max(1, Math.ceil(written / 4)) };
}

/** Other events than a tidy server would send. */
function bend(frames: readonly Frame[], oddity: SseOddity, dialect: Dialect): Frame[] {
  switch (oddity) {
    case "no-end-marker":
      return frames.filter(({ role }) => role !== "end-marker");
    case "unknown-event":
      return frames.flatMap((frame, at) => (at === 1 ? [UNKNOWN_EVENTS[dialect], frame] : [frame]));
    case "huge-line":
      return frames.map((frame, at) => (at === 0 ? padded(frame) : frame));
    case "repeated-fragments":
      return frames.flatMap((frame) =>
        frame.call !== undefined && frame.role === "fragment" ? [frame, frame] : [frame],
      );
    case "interleaved-calls":
      return interleaved(frames);
    default:
      return [...frames];
  }
}

const UNKNOWN_EVENTS: Record<Dialect, Frame> = {
  "openai-chat": { data: { object: "moderation.note", choices: [], note: { flagged: false } } },
  "openai-responses": { event: "response.mood", data: { type: "response.mood", mood: "calm" } },
  anthropic: { event: "mood", data: { type: "mood", mood: "calm" } },
  google: { data: { mood: "calm" } },
};

function padded(frame: Frame): Frame {
  return { ...frame, data: { ...(frame.data as object), padding: "x".repeat(HUGE_LINE_BYTES) } };
}

/** The events of all calls in turn: one of the first, one of the second, and again. */
function interleaved(frames: readonly Frame[]): Frame[] {
  const own = frames.filter(({ call }) => call !== undefined);
  const first = frames.findIndex(({ call }) => call !== undefined);
  if (first < 0) return [...frames];
  const ranks = new Map<number, number>();
  const ranked = own.map((frame) => {
    const rank = ranks.get(frame.call ?? 0) ?? 0;
    ranks.set(frame.call ?? 0, rank + 1);
    return { frame, rank };
  });
  const mixed = ranked.sort((a, b) => a.rank - b.rank).map(({ frame }) => frame);
  const rest = frames.slice(first).filter(({ call }) => call === undefined);
  return [...frames.slice(0, first), ...mixed, ...rest];
}

/** The same events in other letters. */
function respell(event: string, oddity: SseOddity, at: number): string {
  switch (oddity) {
    case "bom":
      return at === 0 ? `\uFEFF${event}` : event;
    case "crlf":
      return event.replaceAll("\n", "\r\n");
    case "mixed-line-ends":
      return at % 2 === 0 ? event : event.replaceAll("\n", "\r\n");
    case "comments":
      return `: keep-alive\n\n${event.replace("data: ", ":\ndata: ")}`;
    case "no-space":
      return event.replace("data: ", "data:");
    case "split-data-lines":
      return event.replace("data: {", "data: {\ndata: ");
    case "broken-json":
      return at === 1 ? event.replace("}\n\n", "\n\n") : event;
    default:
      return event;
  }
}
