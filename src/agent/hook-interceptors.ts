/**
 * Interceptors over configured hooks: what each is told at which place, in the reference's keys, and what its answer
 * means for the turn. Knows nothing of where hooks come from, and stores nothing.
 */
import type { ConversationId, SessionId, TurnId } from "#base/ids.js";
import { type Asking, askForContext, askToBlock, askToReplace, listeners } from "#hook/ask-hooks.js";
import type { Announced, Hook, HookPayload, Intercepted } from "#hook/hook.js";
import { boundedValues } from "#session/boundary.js";
import type { Message } from "#session/message.js";
import type { InterceptedCall, Interceptors } from "./interceptors.js";

/** Of history, the newest; each cut to so many characters. */
const HISTORY_MESSAGES_MAX = 40;
const HISTORY_CHARS_MAX = 2_000;
const TERMINAL_TOOL = "terminal";

/** The turn a hook is asked about. */
export interface InterceptedTurn {
  readonly conversation: ConversationId;
  readonly turn: TurnId;
  session(): SessionId;
  readonly model: string;
  readonly platform: string;
  readonly senderId: string | null;
  readonly cwd: string;
  /** Aborted when the turn is: then nobody is waited for. */
  readonly signal: AbortSignal;
}

export interface InterceptorParts extends Omit<Asking, "signal"> {
  readonly hooks: readonly Hook[];
  announce(name: Announced, payload: HookPayload): void;
}

export function createInterceptors(parts: InterceptorParts, turn: InterceptedTurn): Interceptors {
  const { hooks, clock, log, noteEnd } = parts;
  const asking: Asking = { clock, log, signal: turn.signal, ...(noteEnd && { noteEnd }) };
  const about = (values: Readonly<Record<string, unknown>>): HookPayload => ({
    session_id: turn.session(),
    conversation_id: turn.conversation,
    task_id: turn.turn,
    turn_id: turn.turn,
    platform: turn.platform,
    model: turn.model,
    cwd: turn.cwd,
    ...boundedValues(values),
  });
  const hears = (name: Intercepted): boolean => listeners(hooks, name).length > 0;
  const replace = async (name: Replaced, values: Readonly<Record<string, unknown>>): Promise<string | undefined> =>
    hears(name) ? (await askToReplace(hooks, { name, payload: about(values) }, asking))?.text : undefined;
  return {
    guardsCalls: hears("pre_tool_call"),
    addsContext: hears("pre_llm_call"),
    async beforeModel({ userMessage, isFirstTurn, history }) {
      const added = await askForContext(
        hooks,
        about({
          user_message: userMessage,
          is_first_turn: isFirstTurn,
          sender_id: turn.senderId,
          conversation_history: historyOf(history),
        }),
        asking,
      );
      if (added.length === 0) return undefined;
      return { text: added.map(({ text }) => text).join("\n\n"), hooks: added.map(({ hook }) => hook) };
    },
    async beforeTool(call) {
      const blocked = await askToBlock(hooks, about(callKeys(call)), asking);
      if (blocked === undefined) return { kind: "allow" };
      return { kind: "deny", text: `Refused: ${blocked.text} (by the hook ${blocked.hook}). It was not run.` };
    },
    async toolResult({ outcome, body, durationMs, ...call }) {
      const terminal = call.tool === TERMINAL_TOOL ? terminalKeys(call, body) : undefined;
      const first = terminal && (await replace("transform_terminal_output", terminal));
      const result = first ?? call.text;
      const values = { ...callKeys(call), result, status: outcome, duration_ms: durationMs };
      return (await replace("transform_tool_result", values)) ?? first;
    },
    answer: (text) => replace("transform_llm_output", { response_text: text }),
    request({ name, values }) {
      if (hooks.some(({ on }) => on.includes(name))) parts.announce(name, about(values));
    },
  };
}

type Replaced = Parameters<typeof askToReplace>[1]["name"];

function terminalKeys(
  { tool, input, text }: InterceptedCall & { readonly text: string },
  body: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  const command = (input as { command?: unknown } | null)?.command ?? null;
  return { tool_name: tool, command, output: text, returncode: body?.["exitCode"] ?? null, env_type: "local" };
}

function callKeys({ call, callId, tool, input }: InterceptedCall): Readonly<Record<string, unknown>> {
  return { tool_name: tool, args: input, tool_call_id: callId, call_id: call };
}

function historyOf(history: readonly Message[]): readonly { readonly role: string; readonly content: string }[] {
  return history
    .filter(({ role }) => role !== "note")
    .slice(-HISTORY_MESSAGES_MAX)
    .map(({ role, text }) => ({ role, content: text.slice(0, HISTORY_CHARS_MAX).toWellFormed() }));
}
