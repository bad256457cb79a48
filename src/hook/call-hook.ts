/**
 * One call of a hook, with an end. A hook that does not settle in time is told so by its signal and left behind: whoever
 * called goes on at once, whatever the hook does with the signal [BH-6].
 */
import type { Clock } from "#base/clock.js";
import type { Hook, HookEvent } from "./hook.js";

export const HOOK_ERROR_CHARS_MAX = 2_000;

export interface CallLimit {
  readonly clock: Clock;
  readonly timeMs: number;
  /** The caller no longer wants it. */
  readonly signal: AbortSignal;
}

export type CallEnd =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly error: string }
  /** The caller's own signal ended it; nobody knows what the hook did. */
  | { readonly kind: "abandoned" };

export async function callHook(hook: Hook, event: HookEvent, limit: CallLimit): Promise<CallEnd> {
  const { clock, timeMs, signal } = limit;
  if (signal.aborted) return { kind: "abandoned" };
  const end = new AbortController();
  let forget: () => void = () => undefined;
  let abandon: () => void = () => undefined;
  const over = new Promise<CallEnd>((resolve) => {
    const stop = (how: CallEnd, reason: Error): void => {
      end.abort(reason);
      resolve(how);
    };
    const late = `it did not end within ${timeMs / 1000} s`;
    forget = clock.after(timeMs, () => stop({ kind: "failed", error: late }, new Error(late)));
    abandon = () => stop({ kind: "abandoned" }, new Error("it was stopped"));
    signal.addEventListener("abort", abandon, { once: true });
  });
  try {
    return await Promise.race([attempt(hook, event, end.signal), over]);
  } finally {
    forget();
    signal.removeEventListener("abort", abandon);
  }
}

async function attempt(hook: Hook, event: HookEvent, signal: AbortSignal): Promise<CallEnd> {
  try {
    return { kind: "answered", answer: await hook.call(event, signal) };
  } catch (error) {
    // Whatever a hook throws is the hook's failure, also when it looks like one of ours.
    return { kind: "failed", error: errorText(error) };
  }
}

export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === "" ? "it failed without a word" : text.slice(0, HOOK_ERROR_CHARS_MAX).toWellFormed();
}
