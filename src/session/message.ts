/**
 * An item of history. Append-only, ordered by its conversation's sequence number and never by a clock.
 */
import type { ToolCallId, TurnId } from "#base/ids.js";

export type Role = "user" | "assistant" | "tool" | "system" | "note";

export interface RequestedCall {
  /** The provider's id, which pairs a call with its result on the wire. */
  readonly id: string;
  readonly name: string;
  /** Exactly the text the provider sent. */
  readonly arguments: string;
}

/** Everything about a message that is not its text. Unknown keys of an import are kept. */
export interface MessageBody {
  readonly toolCalls?: readonly RequestedCall[];
  /** On a tool result: the provider's id and the name of the call it answers. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  /** Marks text that was cut by an interrupt or a death [FQ-10]. */
  readonly interrupted?: boolean;
  readonly attachments?: readonly string[];
  readonly [key: string]: unknown;
}

export interface Message {
  readonly seq: number;
  readonly role: Role;
  readonly text: string;
  readonly body?: MessageBody;
  readonly turn?: TurnId;
  readonly call?: ToolCallId;
  /** Copied here by a compaction or a branch; the original is elsewhere. */
  readonly isCarried: boolean;
  readonly atMs: number;
}

/** A message on its way into history. */
export interface NewMessage {
  readonly role: Role;
  readonly text: string;
  readonly body?: MessageBody;
  readonly atMs?: number;
}

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly modelCalls?: number;
  /** Millionths of a dollar; undefined means unknown, which is never zero. */
  readonly costMicros?: number;
}
