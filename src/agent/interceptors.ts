/**
 * What may change a turn from outside: asked at fixed places, awaited for a bounded time, and stored with what it
 * changed, so that a turn continued after a death does not ask again about what is decided.
 */
import type { ToolCallId } from "#base/ids.js";

export interface Interceptors {
  /** Once a turn, before its first request: text for the model beside the person's message; undefined adds nothing. */
  beforeModel(about: BeforeModel): Promise<string | undefined>;
  /** Before a call starts. What fails or hangs denies, in its own words. */
  beforeTool(
    call: InterceptedCall,
  ): Promise<{ readonly kind: "allow" } | { readonly kind: "deny"; readonly text: string }>;
  /** What the model reads instead of a result; undefined leaves it. */
  toolResult(call: InterceptedCall & { readonly outcome: string; readonly text: string }): Promise<string | undefined>;
  /** What the person reads instead of the last answer; undefined leaves it. */
  answer(text: string): Promise<string | undefined>;
}

export interface BeforeModel {
  readonly userMessage: string;
  readonly isFirstTurn: boolean;
}

export interface InterceptedCall {
  readonly call: ToolCallId;
  readonly tool: string;
  readonly input: unknown;
}

/** Nobody listens: the usual case, and what it costs is one function call. */
export const NO_INTERCEPTORS: Interceptors = {
  beforeModel: async () => undefined,
  beforeTool: async () => ({ kind: "allow" }),
  toolResult: async () => undefined,
  answer: async () => undefined,
};
