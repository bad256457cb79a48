/**
 * Interceptors over configured hooks: what each is told at which place, in the reference's keys, and what its answer
 * means for the turn. Knows nothing of where hooks come from, and stores nothing.
 */
import type { ConversationId, SessionId, TurnId } from "#base/ids.js";
import { type Asking, askForContext, askToBlock, askToReplace, listeners } from "#hook/ask-hooks.js";
import type { Announced, Hook, HookPayload } from "#hook/hook.js";
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
  const { hooks } = parts;
  const asking: Asking = { clock: parts.clock, log: parts.log, signal: turn.signal };
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
  return {
    guardsCalls: listeners(hooks, "pre_tool_call").length > 0,
    addsContext: listeners(hooks, "pre_llm_call").length > 0,
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
      let { text } = call;
      if (call.tool === TERMINAL_TOOL) {
        const payload = about({
          tool_name: call.tool,
          command: (call.input as { command?: unknown } | null)?.command ?? null,
          output: text,
          returncode: body?.["exitCode"] ?? null,
          env_type: "local",
        });
        text = (await askToReplace(hooks, { name: "transform_terminal_output", payload }, asking))?.text ?? text;
      }
      const payload = about({ ...callKeys(call), result: text, status: outcome, duration_ms: durationMs });
      text = (await askToReplace(hooks, { name: "transform_tool_result", payload }, asking))?.text ?? text;
      return text === call.text ? undefined : text;
    },
    async answer(text) {
      const payload = about({ response_text: text });
      return (await askToReplace(hooks, { name: "transform_llm_output", payload }, asking))?.text;
    },
    request: ({ name, values }) => parts.announce(name, about(values)),
  };
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
