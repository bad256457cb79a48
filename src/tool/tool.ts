/**
 * The tool port. A tool declares what its input looks like, what a crash may do to it (its effect), how long
 * and how much it may, and what a person has to be asked first. It persists nothing and knows no store.
 *
 * - [TC-1] `effect` says what recovery may do with a call that was started and never finished.
 * - [TC-2] A tool ends within `limits.timeMs` of its signal or is ended; its text is cut to `limits.outputChars`.
 * - [TC-3] `guard` decides from the input alone, before anything happened; what it asks is bound to the call.
 */
import type { z } from "zod";
import type { Clock } from "#base/clock.js";
import type { ConversationId, SessionId, ToolCallId, TurnId } from "#base/ids.js";
import type { Effect } from "#session/tool-call.js";

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model: what it does, when to use it. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly effect: Effect | ((input: Input) => Effect);
  readonly limits: ToolLimits;
  /** Absent: always allowed. May look at the file system, never change it. */
  guard?(input: Input, context: GuardContext): Guard | Promise<Guard>;
  /** Rejects only for a bug; whatever went wrong in the world is an `error` result in words the model can act on. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
  /** One line for a person: `read notes.txt`, `$ npm test`. */
  summary(input: Input): string;
}

export interface ToolLimits {
  readonly timeMs: number;
  readonly outputChars: number;
}

export type Guard =
  | { readonly kind: "allow" }
  /** A person decides. `grant` names what `session` and `always` would cover from then on. */
  | { readonly kind: "ask"; readonly grant: string; readonly why: string }
  /** A question to the person whose answer in words is the tool's input; see `ToolContext.reply`. */
  | { readonly kind: "question"; readonly text: string; readonly choices: readonly string[] }
  /** The floor: no setting, no person and no `--yolo` opens it. */
  | { readonly kind: "refuse"; readonly why: string };

export interface GuardContext {
  /** The conversation's working directory, absolute. */
  readonly cwd: string;
  /** The home's root: its settings, secrets and store are not for tools. */
  readonly home: string;
}

export interface ToolContext extends GuardContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The call's durable id: the idempotency key of whatever it does outside. */
  readonly call: ToolCallId;
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly turn: TurnId;
  /** For child processes: our own secrets are not in it, `TALARIA_SESSION_ID` is. */
  readonly env: Readonly<Record<string, string>>;
  /** Where output beyond the limit is kept; made when first written to. */
  readonly spoolDir: string;
  /** What the person answered to a `question`. */
  readonly reply: string | undefined;
  /** Shown while it runs, never stored. */
  report(line: string): void;
  /** The body of this tool's newest result in the visible history: how a tool remembers without a file. */
  recall(tool: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface ToolResult {
  readonly kind: "ok" | "error";
  /** What the model reads. */
  readonly text: string;
  /** Kept with the result, JSON-safe: a diff to show, a list to recall. Never sent to a model. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Keeps the input's type inside the tool while the outside sees `Tool`. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export function effectOf(tool: Tool, input: unknown): Effect {
  return typeof tool.effect === "function" ? tool.effect(input) : tool.effect;
}
