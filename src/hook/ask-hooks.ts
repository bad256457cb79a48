/**
 * Asks interceptors, all at once and within one time limit, and reads what they answered in the order in which they are
 * configured. Hooks of the reference and of other agents say the same things in slightly different words; all are
 * understood here, and nowhere else.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { type CallEnd, callHook } from "./call-hook.js";
import { type Hook, type HookPayload, INTERCEPTOR_TIME_MS, type Intercepted } from "./hook.js";

/** A longer answer is cut: it goes into history and to a model. */
export const ANSWER_CHARS_MAX = 100_000;
const REASON_CHARS_MAX = 4_000;

export interface Asking {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Told how each call ended. */
  noteEnd?(hook: string, name: Intercepted, end: CallEnd): void;
}

export interface Said {
  readonly hook: string;
  readonly text: string;
}

export function listeners(hooks: readonly Hook[], name: Intercepted): readonly Hook[] {
  return hooks.filter(({ on }) => on.includes(name));
}

/** The first that blocks, by its own words; one that fails or hangs blocks too [HK-4]. Undefined: nobody did. */
export async function askToBlock(
  hooks: readonly Hook[],
  payload: HookPayload,
  asking: Asking,
): Promise<Said | undefined> {
  const answers = await askAll(hooks, "pre_tool_call", payload, asking);
  for (const { hook, end } of answers) {
    if (end.kind === "failed") return { hook, text: `it could not be asked: ${end.error}` };
    const reason = end.kind === "answered" ? blockReason(end.answer) : undefined;
    if (reason !== undefined) return { hook, text: reason.slice(0, REASON_CHARS_MAX).toWellFormed() };
  }
  return undefined;
}

/** What the first hook with words puts in the place of a text. One that fails changes nothing. */
export async function askToReplace(
  hooks: readonly Hook[],
  about: { readonly name: Exclude<Intercepted, "pre_tool_call" | "pre_llm_call">; readonly payload: HookPayload },
  asking: Asking,
): Promise<Said | undefined> {
  const answers = await askAll(hooks, about.name, about.payload, asking);
  return said(answers, replacement)[0];
}

/** What each hook adds, in order. */
export async function askForContext(
  hooks: readonly Hook[],
  payload: HookPayload,
  asking: Asking,
): Promise<readonly Said[]> {
  return said(await askAll(hooks, "pre_llm_call", payload, asking), context);
}

export type DispatchAnswer =
  | { readonly kind: "allow" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "rewrite"; readonly text: string };

/** What the first hook that says anything wants done with a message. One that fails changes nothing. */
export async function askToDispatch(
  hooks: readonly Hook[],
  payload: HookPayload,
  asking: Asking,
): Promise<DispatchAnswer> {
  for (const { hook, end } of await askAll(hooks, "pre_gateway_dispatch", payload, asking)) {
    const answer = end.kind === "answered" ? dispatchAnswer(hook, end.answer) : undefined;
    if (answer !== undefined) return answer;
  }
  return { kind: "allow" };
}

interface Answer {
  readonly hook: string;
  readonly end: Awaited<ReturnType<typeof callHook>>;
}

async function askAll(
  hooks: readonly Hook[],
  name: Intercepted,
  payload: HookPayload,
  { clock, log, signal, noteEnd }: Asking,
): Promise<readonly Answer[]> {
  return Promise.all(
    listeners(hooks, name).map(async (hook): Promise<Answer> => {
      const timeMs = Math.min(hook.timeMs ?? INTERCEPTOR_TIME_MS, INTERCEPTOR_TIME_MS);
      const end = await callHook(hook, { name, payload }, { clock, timeMs, signal });
      if (end.kind === "failed")
        log.warn("a hook failed", { hook: hook.name, event: name, error: end.error, next: "none" });
      noteEnd?.(hook.name, name, end);
      return { hook: hook.name, end };
    }),
  );
}

function said(answers: readonly Answer[], read: (answer: unknown) => string | undefined): readonly Said[] {
  return answers.flatMap(({ hook, end }) => {
    const text = end.kind === "answered" ? read(end.answer) : undefined;
    return text === undefined || text.trim() === ""
      ? []
      : [{ hook, text: text.slice(0, ANSWER_CHARS_MAX).toWellFormed() }];
  });
}

/** `{action: "block", message}` as the reference says it, `{decision: "block", reason}` as other agents do. */
function blockReason(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const isBlock = answer["action"] === "block" || answer["decision"] === "block" || answer["decision"] === "deny";
  if (!isBlock) return undefined;
  const words = [answer["message"], answer["reason"]].find((text) => typeof text === "string" && text !== "");
  return typeof words === "string" ? words : "it gave no reason";
}

/** `{action: "skip", reason}`, `{action: "rewrite", text}`, `{action: "allow"}`; a hook that blocks skips. */
function dispatchAnswer(hook: string, answer: unknown): DispatchAnswer | undefined {
  if (!isRecord(answer)) return undefined;
  if (answer["action"] === "skip" || blockReason(answer) !== undefined) {
    const words = [answer["reason"], answer["message"]].find((text) => typeof text === "string" && text !== "");
    const reason = typeof words === "string" ? words : `the hook ${hook} gave no reason`;
    return { kind: "skip", reason: reason.slice(0, REASON_CHARS_MAX).toWellFormed() };
  }
  const { text } = answer;
  if (answer["action"] === "rewrite" && typeof text === "string") {
    return { kind: "rewrite", text: text.slice(0, ANSWER_CHARS_MAX).toWellFormed() };
  }
  return answer["action"] === "allow" ? { kind: "allow" } : undefined;
}

function context(answer: unknown): string | undefined {
  return wordsOf(answer, ["context", "additionalContext"]);
}

function replacement(answer: unknown): string | undefined {
  return wordsOf(answer, ["text", "output", "result", "response_text"]);
}

function wordsOf(answer: unknown, keys: readonly string[]): string | undefined {
  if (typeof answer === "string") return answer;
  if (!isRecord(answer)) return undefined;
  const words = keys.map((key) => answer[key]).find((text) => typeof text === "string");
  return typeof words === "string" ? words : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
