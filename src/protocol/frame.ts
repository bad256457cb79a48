/**
 * Frames: one JSON-RPC 2.0 object each. A client sends requests, a host sends answers and one kind of notification,
 * `event`. Reading a frame never throws, whatever came; what cannot be a request has exactly one answer, told here.
 * Holds no schemas, so that a client pays for none.
 */
import { ERROR_CODES, type RpcError } from "./error-codes.js";
import { isDeeperThan } from "./json-depth.js";

export const VERSION = "2.0";
export const EVENT_METHOD = "event";
/** Nobody nests deeper by hand; code that walks what was sent may rely on it. */
export const FRAME_DEPTH_MAX = 64;
export const FRAME_ID_CHARS_MAX = 256;
export const METHOD_CHARS_MAX = 100;

/** Echoed exactly; a number has to survive the trip. */
export type FrameId = string | number;
export type JsonObject = Readonly<Record<string, unknown>>;

export interface RequestFrame {
  readonly id: FrameId;
  readonly method: string;
  readonly params: JsonObject;
}

/** The `params` of an event frame. */
export interface EventParams {
  readonly type: string;
  /** Absent for what concerns no conversation: a client shows it wherever it is. */
  readonly session_id?: string;
  readonly payload?: JsonObject;
  /** Ours, on every event of a conversation: grows, and gaps mean nothing. */
  readonly seq?: number;
}

/** What came from a client. */
export type Incoming =
  | ({ readonly kind: "request" } & RequestFrame)
  /** To be answered with this error; the id is null when none could be read. */
  | { readonly kind: "refused"; readonly id: FrameId | null; readonly error: RpcError };

/** What came from a host. */
export type Outgoing =
  | { readonly kind: "result"; readonly id: FrameId; readonly result: JsonObject }
  | { readonly kind: "error"; readonly id: FrameId | null; readonly error: RpcError }
  | ({ readonly kind: "event" } & EventParams)
  /** Nothing a client of this protocol knows: not a mistake, newer hosts may send more. */
  | { readonly kind: "ignored" }
  | { readonly kind: "unparsable" };

/** Reads what a client sent. */
export function parseFrame(text: string): Incoming {
  const frame = parsed(text);
  if (frame.kind === "unparsable") return refused(null, "unparsable", "parse error");
  if (frame.kind === "too-deep") return refused(null, "badFrame", `nested deeper than ${FRAME_DEPTH_MAX}`);
  if (!isObject(frame.value)) return refused(null, "badFrame", "a request is an object");
  const { id, method, params = {} } = frame.value;
  if (!isFrameId(id)) return refused(null, "badFrame", "a request needs an id: a string or a number");
  if (typeof method !== "string" || method === "" || method.length > METHOD_CHARS_MAX) {
    return refused(id, "badFrame", "a request needs the name of a method");
  }
  if (!isObject(params)) return refused(id, "badParams", "params has to be an object");
  return { kind: "request", id, method, params };
}

/** Reads what a host sent. */
export function parseAnswer(text: string): Outgoing {
  const frame = parsed(text);
  if (frame.kind !== "json") return { kind: "unparsable" };
  if (!isObject(frame.value)) return { kind: "ignored" };
  const { id = null, method, params, result, error } = frame.value;
  if (method === EVENT_METHOD) return eventOf(params);
  if (isObject(error) && (id === null || isFrameId(id))) {
    const { code, message } = error;
    const known = { code: typeof code === "number" ? code : ERROR_CODES.internal, message: String(message ?? "error") };
    return { kind: "error", id, error: known };
  }
  return isFrameId(id) && isObject(result) ? { kind: "result", id, result } : { kind: "ignored" };
}

export function requestFrame({ id, method, params }: RequestFrame): string {
  return encodeFrame({ jsonrpc: VERSION, id, method, params });
}

export function resultFrame(id: FrameId, result: JsonObject): string {
  return encodeFrame({ jsonrpc: VERSION, id, result });
}

export function errorFrame(id: FrameId | null, error: RpcError): string {
  return encodeFrame({ jsonrpc: VERSION, id, error: { code: error.code, message: error.message } });
}

/** Exactly the fields of an event, whatever else the object that is passed has. */
export function eventFrame({ type, session_id, payload, seq }: EventParams): string {
  return encodeFrame({ jsonrpc: VERSION, method: EVENT_METHOD, params: { type, session_id, payload, seq } });
}

/** One line: some line readers take U+2028 and U+2029 for the ends of lines. */
export function encodeFrame(frame: JsonObject): string {
  return JSON.stringify(frame).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

type Parsed =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "unparsable" }
  | { readonly kind: "too-deep" };

function parsed(text: string): Parsed {
  if (isDeeperThan(text, FRAME_DEPTH_MAX)) return { kind: "too-deep" };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "unparsable" };
  }
}

function refused(
  id: FrameId | null,
  name: "unparsable" | "badFrame" | "badParams",
  message: string,
): Extract<Incoming, { kind: "refused" }> {
  return { kind: "refused", id, error: { code: ERROR_CODES[name], message } };
}

function eventOf(params: unknown): Outgoing {
  if (!isObject(params) || typeof params["type"] !== "string") return { kind: "ignored" };
  const { type, session_id, payload, seq } = params;
  return {
    kind: "event",
    type,
    ...(typeof session_id === "string" && { session_id }),
    ...(isObject(payload) && { payload }),
    ...(typeof seq === "number" && { seq }),
  };
}

function isFrameId(value: unknown): value is FrameId {
  if (typeof value === "string") return value.length <= FRAME_ID_CHARS_MAX;
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  // A larger whole number was rounded on its way in, and its echo would be another id.
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
