/**
 * What may change a turn from outside [HK-4] [HK-5]: asked at fixed places, awaited for a bounded time, and stored with
 * what it changed, so that a turn continued after a death does not ask again about what is decided. Nobody listens as a
 * rule; then nothing is asked and nothing is read or stored for it.
 */
import type { ToolCallId } from "#base/ids.js";
import type { Message } from "#session/message.js";

export interface Interceptors {
  /** Somebody is asked before calls: none counts as started before that. */
  readonly guardsCalls: boolean;
  /** Somebody may add to what the person said. */
  readonly addsContext: boolean;
  /** Once a turn, before its first request: text for the model beside the person's message; undefined adds nothing. */
  beforeModel(about: BeforeModel): Promise<AddedContext | undefined>;
  /** Before a call starts. What fails or hangs denies, in its own words. */
  beforeTool(
    call: InterceptedCall,
  ): Promise<{ readonly kind: "allow" } | { readonly kind: "deny"; readonly text: string }>;
  /** What the model reads instead of a result; undefined leaves it. */
  toolResult(call: InterceptedResult): Promise<string | undefined>;
  /** What the person reads instead of the last answer; undefined leaves it. */
  answer(text: string): Promise<string | undefined>;
  /** Tells of a request to a provider. Nobody is waited for. */
  request(news: RequestNews): void;
}

export interface BeforeModel {
  readonly userMessage: string;
  readonly isFirstTurn: boolean;
  readonly history: readonly Message[];
}

export interface AddedContext {
  readonly text: string;
  /** Who added it. */
  readonly hooks: readonly string[];
}

export interface InterceptedCall {
  readonly call: ToolCallId;
  /** The provider's name of the call. */
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

export interface InterceptedResult extends InterceptedCall {
  readonly outcome: string;
  readonly text: string;
  /** What the tool keeps beside its text: an exit code, a diff. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly durationMs: number;
}

export interface RequestNews {
  readonly name: "pre_api_request" | "post_api_request" | "api_request_error";
  readonly values: Readonly<Record<string, unknown>>;
}

/** Nobody listens: the usual case, and what it costs is one function call. */
export const NO_INTERCEPTORS: Interceptors = {
  guardsCalls: false,
  addsContext: false,
  beforeModel: async () => undefined,
  beforeTool: async () => ({ kind: "allow" }),
  toolResult: async () => undefined,
  answer: async () => undefined,
  request: () => undefined,
};

/** Kept in the body of what was replaced; the whole is nowhere else. */
export const ORIGINAL_CHARS_MAX = 16_000;

export function originalOf(text: string): { readonly original: string; readonly isOriginalCut?: true } {
  if (text.length <= ORIGINAL_CHARS_MAX) return { original: text };
  return { original: text.slice(0, ORIGINAL_CHARS_MAX).toWellFormed(), isOriginalCut: true };
}
