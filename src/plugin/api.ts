/**
 * What a plugin is written against. Nothing is imported here, so that the file is a plugin's whole type reference:
 * `talaria plugins new NAME` puts a copy beside the plugin as `talaria.d.ts`.
 *
 * A plugin is a folder `plugins/NAME/` with a manifest `plugin.yaml` and a module that exports `register`. All plugins
 * run in one process beside Talaria, the plugin host. What goes wrong there is an event with the plugin's name on it.
 */

export interface PluginApi {
  /** The plugin's name and version, from its manifest. */
  readonly name: string;
  readonly version: string;
  /** A folder of the plugin's own that outlives updates of the plugin; it exists. */
  readonly storage: string;
  /**
   * Hear of something, or be asked. An observer (`on_session_end`, `post_tool_call`, …) is told at least once, in order
   * per conversation, with the same `key` each time; its answer is not used. An interceptor (`pre_tool_call`,
   * `pre_llm_call`, `transform_…`) is awaited, 5 s at most; the first answer of a plugin that is not undefined counts.
   */
  on<Name extends keyof PluginAnswers>(hook: Name, handler: PluginInterceptor<Name>): void;
  on<Name extends PluginObserved>(hook: Name, handler: PluginObserver<Name>): void;
  /** Give the model a tool. */
  tool(tool: PluginTool): void;
  /** Give people a slash command. */
  command(command: PluginCommand): void;
  /** Give people a messaging platform: `platforms: NAME:` in config.yaml opens accounts on it, as with Talaria's own. */
  platform(platform: PluginPlatform): void;
  /** A line in Talaria's log with the plugin's name on it; `console` does the same. */
  log(...values: readonly unknown[]): void;
}

/** Called once. What it registers before it returns (or before its promise resolves) is there; 5 s at most. */
export type PluginRegister = (talaria: PluginApi) => void | Promise<void>;

export type PluginObserved =
  | "on_session_start"
  | "on_session_end"
  | "on_session_finalize"
  | "on_session_reset"
  | "session:compress"
  | "post_llm_call"
  | "post_tool_call"
  | "subagent_start"
  | "subagent_stop"
  | "pre_approval_request"
  | "post_approval_response"
  | "agent:start"
  | "agent:step"
  | "agent:end"
  | "session:start"
  | "session:end"
  | "session:reset"
  | "pre_api_request"
  | "post_api_request"
  | "api_request_error"
  | "gateway:startup"
  | "command:*";

/** What an interceptor may answer; nothing (undefined) leaves everything as it is. */
export interface PluginAnswers {
  /** Text for the model beside the person's message; never stored in the history. */
  readonly pre_llm_call: string | { readonly context: string };
  /** Denies the call; the model reads the message. A handler that fails or hangs denies, too. */
  readonly pre_tool_call: { readonly action: "block"; readonly message: string };
  readonly transform_tool_result: string;
  readonly transform_terminal_output: string;
  readonly transform_llm_output: string;
  readonly pre_gateway_dispatch: {
    readonly action: "skip" | "rewrite" | "allow";
    readonly reason?: string;
    readonly text?: string;
  };
}

export type PluginHookName = PluginObserved | keyof PluginAnswers;

/** May be asked twice when another plugin broke the plugin host meanwhile: it should have no effect of its own. */
export type PluginInterceptor<Name extends keyof PluginAnswers> = (
  event: PluginEvent<Name>,
) => PluginAnswers[Name] | undefined | Promise<PluginAnswers[Name] | undefined>;

/** 60 s at most. What it throws is kept, and it is told again. */
export type PluginObserver<Name extends PluginObserved> = (event: PluginEvent<Name>) => unknown;

export interface PluginEvent<Name extends PluginHookName = PluginHookName> {
  readonly name: Name;
  /** The same for every attempt to tell one fact: remember it to do something once. Absent where nothing is stored. */
  readonly key?: string;
  /** The keys of the shell hooks in camelCase: `sessionId`, `conversationId`, `toolName`. What lies deeper is as it is. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Aborts when nobody waits any longer. */
  readonly signal: AbortSignal;
}

export interface PluginTool {
  /** Lower-case letters, digits and `_`; no tool of Talaria's own may be called so. */
  readonly name: string;
  /** For the model: what it does, when to use it. */
  readonly description: string;
  /** A JSON Schema of type `object`; what does not fit never arrives. Default: no arguments. */
  readonly input?: Readonly<Record<string, unknown>>;
  /**
   * What a crash may do to a call that had begun. `read-only` and `idempotent` calls are begun again; an `at-most-once`
   * call never is, and a person is asked before each, unless the plugin was enabled with `--trust`. That is the default.
   */
  readonly effect?: "read-only" | "idempotent" | "at-most-once";
  /** Default 60, at most 600. */
  readonly timeSeconds?: number;
  /** A string is the answer. Throw to say what went wrong: the model reads the message. */
  run(
    input: Readonly<Record<string, unknown>>,
    context: PluginToolContext,
  ): PluginToolResult | Promise<PluginToolResult>;
}

export type PluginToolResult = string | { readonly kind: "ok" | "error"; readonly text: string };

export interface PluginToolContext {
  /** The call's durable id: the idempotency key of whatever it does outside. */
  readonly call: string;
  readonly conversation: string;
  readonly session: string;
  readonly turn: string;
  /** Where the conversation works. */
  readonly cwd: string;
  /** Aborts at the time limit and when a person interrupts. */
  readonly signal: AbortSignal;
  /** Shown while it runs, never stored. */
  report(line: string): void;
}

export interface PluginCommand {
  /** Without the slash: lower-case letters, digits and `-`. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What follows the name, as help shows it: `[title]`. */
  readonly takes?: string;
  /** What the person reads. */
  run(words: string, context: PluginCommandContext): string | Promise<string>;
}

export interface PluginCommandContext {
  readonly surface: string;
  /** Absent before the first message. */
  readonly conversation?: string;
  readonly signal: AbortSignal;
}

export interface PluginPlatform {
  /** Lower-case letters, digits and `-`; no platform of Talaria's own may be called so. */
  readonly name: string;
  readonly summary?: string;
  /** Of one message; longer answers come in several. Default 2000. */
  readonly textCharsMax?: number;
  /** Between two messages to one chat. Default 1000. */
  readonly chatEveryMs?: number;
  /** Between two edits of one message, where the line can edit: answers are shown as they grow. Default 2000. */
  readonly editEveryMs?: number;
  /** A send with the `id` of an earlier one is taken for the same message: nothing is ever marked as a second copy. */
  readonly isIdempotent?: boolean;
  /**
   * Opens an account with what config.yaml says of it. Called again, with a fresh plugin if need be, whenever the line
   * was lost. Absent: the platform is listed only.
   */
  open?(settings: Readonly<Record<string, unknown>>, account: string): PluginLine | Promise<PluginLine>;
}

/** One account at work. What a method throws is told to the person as the reason. */
export interface PluginLine {
  /**
   * Waits up to 20 s for messages and answers them, oldest first; none is fine. `stored` are the event ids of earlier
   * answers that are on stable storage now: acknowledge those to the platform, and no others. Whatever is not in it by
   * the next call was not kept and must be answered again; answering something twice does no harm.
   */
  receive(
    stored: readonly string[],
    signal: AbortSignal,
  ): readonly PluginIncoming[] | Promise<readonly PluginIncoming[]>;
  send(message: PluginOutgoing, signal: AbortSignal): PluginSendOutcome | Promise<PluginSendOutcome>;
  /** Puts the text in place of a message that `send` gave this receipt for. */
  edit?(receipt: string, message: PluginOutgoing, signal: AbortSignal): PluginSendOutcome | Promise<PluginSendOutcome>;
  /** Whether an earlier attempt arrived: its receipt, null when it did not, undefined when nobody can say. */
  find?(
    message: PluginOutgoing,
    sinceMs: number,
    signal: AbortSignal,
  ): string | null | undefined | Promise<string | null | undefined>;
  typing?(chat: PluginChat, signal: AbortSignal): unknown;
  /** `stored` as in `receive`. */
  close?(stored: readonly string[]): unknown;
}

export interface PluginChat {
  /** `dm` is private; in the others people are answered when they are addressed. */
  readonly type: "dm" | "group" | "channel" | "thread";
  readonly id: string;
  readonly name?: string;
  readonly threadId?: string;
}

export interface PluginIncoming {
  /** The platform's own name of this event: the same whenever it is given again, and of no other. */
  readonly eventId: string;
  readonly chat: PluginChat;
  /** `id` stays the same for life; allow lists name it. */
  readonly sender: { readonly id: string; readonly name?: string };
  readonly text: string;
  /** Said to us. Default: in a `dm` yes, elsewhere no. */
  readonly isAddressed?: boolean;
}

export interface PluginOutgoing {
  /** The same at every attempt. */
  readonly id: string;
  readonly chat: PluginChat;
  /** Markdown. */
  readonly text: string;
}

/** `retry`: certainly nothing was taken. `refused`: it never will be. `unknown`: it may have arrived; also what a throw means. */
export type PluginSendOutcome =
  | { readonly kind: "sent"; readonly receipt: string }
  | { readonly kind: "retry"; readonly afterMs: number; readonly why: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string };
