/**
 * What a scripted model says, in no provider's words: the server encodes one reply in whichever dialect was
 * asked. Everything here is JSON, so that the same script drives a server in this process and in another one.
 */
import type { SeenRequest } from "./seen.js";

export interface Reply {
  readonly text?: string;
  readonly reasoning?: string | Reasoning;
  readonly calls?: readonly ReplyCall[];
  /** What a refusing model says instead of text, where the dialect has a place for it. */
  readonly refusal?: string;
  /** Null: the provider reports none. Absent: estimated from the sizes, the same for the same request. */
  readonly usage?: ReplyUsage | null;
  /** By default `calls` with calls and `stop` without. `none`: the provider never says why it ended. */
  readonly finish?: ReplyFinish;
  /** A fragment of text or arguments has this many characters. */
  readonly pieceChars?: number;
  /** Time before the first byte. */
  readonly delayMs?: number;
  /** Time between two events of the stream. */
  readonly chunkDelayMs?: number;
  /**
   * The stream waits behind this many events until the test says go: what happens meanwhile depends on no clock. From
   * then on nothing waits, also not between two events.
   */
  readonly holdAfter?: number;
  readonly fault?: Fault;
}

export type ReplyFinish = "stop" | "calls" | "length" | "refused" | "none" | { readonly raw: string };

export interface Reasoning {
  readonly text: string;
  readonly signature?: string;
  /** Reasoning that only its provider can read. */
  readonly redacted?: string;
}

export interface ReplyCall {
  /** By default derived from the request's bytes: the same request gets the same id. */
  readonly id?: string;
  readonly name: string;
  /** Sent as it is; a value that is not a string is sent as its JSON. */
  readonly arguments: unknown;
}

/** `inputTokens` holds all of the prompt, `outputTokens` all that was made, reasoning included. */
export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export type Fault =
  /** Refuses with a status. Without `body` the dialect's own error object is sent. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly message?: string;
      readonly type?: string;
      readonly retryAfter?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly contentType?: string;
    }
  /** Status 200 and something that is no stream of this protocol. */
  | { readonly kind: "body"; readonly contentType: string; readonly text: string }
  /** The connection ends before any byte of an answer. */
  | { readonly kind: "hang-up" }
  /** Ends at a byte of the stream: cleanly for HTTP, by a reset, or by closing without HTTP's own end. */
  | { readonly kind: "cut"; readonly atByte: number; readonly how: CutKind }
  /** Silent for ever: before the headers, or after this many bytes of the stream. */
  | { readonly kind: "stall"; readonly at: "headers" | number }
  /** So many bytes, then a pause, to the end. */
  | { readonly kind: "trickle"; readonly bytes: number; readonly everyMs: number }
  /** The same bytes in other pieces: of one size, or of sizes drawn from a seed. */
  | { readonly kind: "chunked"; readonly bytes: number }
  | { readonly kind: "chunked"; readonly seed: number }
  /** An error object in the dialect's own shape after this many events; the stream then ends cleanly. */
  | { readonly kind: "error"; readonly afterFrames: number; readonly message?: string; readonly type?: string }
  | { readonly kind: "sse"; readonly how: SseOddity };

export type CutKind = "eof" | "reset" | "close";

export const SSE_ODDITIES = [
  "bom",
  "crlf",
  "mixed-line-ends",
  "comments",
  "no-space",
  "split-data-lines",
  "no-end-marker",
  "no-usage",
  "unknown-event",
  "huge-line",
  "repeated-names",
  "repeated-fragments",
  "interleaved-calls",
  "broken-json",
] as const;
export type SseOddity = (typeof SSE_ODDITIES)[number];

/** Answers the number of a request (counted from 0) with what it holds. */
export type ScriptFunction = (seen: SeenRequest, index: number) => Reply | Promise<Reply>;
export type Script = ScriptFunction | readonly RuledReply[] | Reply;

/** Conditions that must all hold. */
export interface When {
  /** The last message, whoever's it is, contains this. */
  readonly last?: string;
  /** The person's last message contains this. */
  readonly user?: string;
  readonly system?: string;
  /** Tool results since the person's last message. */
  readonly results?: number;
  /** Messages of the model since the person's last message. */
  readonly steps?: number;
  readonly model?: string;
  /** Tools are offered. */
  readonly tools?: boolean;
}

export interface RuledReply extends Reply {
  readonly when?: When;
}
