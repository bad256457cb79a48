/**
 * One request, one outcome: calls a provider's package once, under the limits of time and size, and never again.
 * Whoever retries is above.
 *
 * - [MD-2] Whatever ends a stream, the outcome is typed; nothing but a bug of ours rejects.
 * - [MD-6] To the headers, between two chunks and in all, time is bounded; a byte now and then does not extend the whole.
 * - [MD-7] An abort wins over whatever error it causes, and keeps the text so far.
 */
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { Clock } from "#base/clock.js";
import { InvariantError } from "#base/errors.js";
import { failureOf, StepFailure } from "../failure/failure.js";
import type { StepLimits } from "../limits.js";
import type { ModelFailure, StepOutcome, StepWatch } from "../model.js";
import { Assembly, type AssemblyRules } from "./assemble.js";
import type { RoutedFetch } from "./step-fetch.js";

export interface StepPlan {
  /** A package's model, which sends through `line`. */
  readonly adapter: LanguageModelV3;
  readonly line: RoutedFetch;
  readonly options: LanguageModelV3CallOptions;
  readonly rules: AssemblyRules;
  readonly limits: StepLimits;
  readonly clock: Clock;
}

export async function runStep(plan: StepPlan, watch: StepWatch): Promise<StepOutcome> {
  const assembly = new Assembly(plan.rules, watch);
  if (watch.signal.aborted) return { kind: "aborted", partial: "" };
  const stop = new AbortController();
  const abort = (): void => stop.abort(new DOMException("interrupted", "AbortError"));
  watch.signal.addEventListener("abort", abort, { once: true });
  const timer = watchLine(plan, (failure) => stop.abort(new StepFailure(failure)));
  let broken: { readonly error: unknown } | undefined;
  const detach = plan.line.attach(stop.signal, {
    onSent: () => tell(() => watch.onSent?.()),
    onSign: () => timer.sign(),
    onBreak: (error) => {
      broken ??= { error };
    },
    nowMs: () => plan.clock.nowMs(),
  });
  try {
    const thrown = await readInto(assembly, plan, stop.signal);
    if (watch.signal.aborted) return { kind: "aborted", partial: assembly.partial };
    // What we stopped ourselves is told by our reason, not by the error the package made of it.
    if (stop.signal.aborted) return assembly.failed(failureOf(stop.signal.reason, plan.clock.nowMs()));
    const outcome = assembly.outcome();
    const breach = thrown ?? broken;
    const isKept = breach === undefined || isSettledBefore(breach.error, outcome);
    return isKept ? outcome : assembly.failed(failureOf(breach.error, plan.clock.nowMs()));
  } finally {
    timer.stop();
    watch.signal.removeEventListener("abort", abort);
    // Whatever is still open on the line belongs to a step that is over.
    stop.abort(STEP_OVER);
    detach();
  }
}

/** Made once: an error's stack would be taken at the end of every step, and nobody reads it. */
const STEP_OVER = new DOMException("the step is over", "AbortError");

/** Whether the answer had its end, or the provider's own complaint, before the line broke: then nothing is lost by it. */
function isSettledBefore(error: unknown, outcome: StepOutcome): boolean {
  if (error instanceof StepFailure) return false;
  return outcome.kind === "complete" || (outcome.kind === "failed" && outcome.failure.cause !== "cut");
}

/** What a listener throws is a bug of ours, also where a package would take it for a broken line. */
function tell(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    throw new InvariantError("a listener of a step threw", { cause: error });
  }
}

/** Reads until the stream ends, breaks or need not be read on. Returns what was thrown on the provider's side. */
async function readInto(
  assembly: Assembly,
  plan: StepPlan,
  stop: AbortSignal,
): Promise<{ error: unknown } | undefined> {
  const stopped = whenStopped(stop);
  const options = { ...plan.options, abortSignal: stop, includeRawChunks: true };
  const opened = await settle(Promise.race([plan.adapter.doStream(options), stopped]));
  if ("error" in opened) return opened;
  const reader = opened.value.stream.getReader();
  try {
    for (;;) {
      const next = await settle(Promise.race([reader.read(), stopped]));
      if ("error" in next) return next;
      if (next.value.done) return undefined;
      assembly.take(next.value.value);
      if (assembly.isBroken) return undefined;
    }
  } finally {
    // Not awaited: a stream that never answers its cancel must not hold the step.
    void settle(reader.cancel());
  }
}

/** The provider's side fails by rejecting; here that is a value, so that only bugs of ours are thrown on. */
function settle<T>(promise: PromiseLike<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  return Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error ?? new Error("rejected without a reason") }),
  );
}

/** Rejects when the signal aborts, so that a package that does not listen cannot keep us waiting. */
function whenStopped(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // It may reject while nobody waits for it.
  void settle(stopped);
  return stopped;
}

interface LineTimer {
  /** The line gave a sign of life. */
  sign(): void;
  stop(): void;
}

function watchLine({ clock, limits }: StepPlan, expire: (failure: ModelFailure) => void): LineTimer {
  const give = (message: string) => () => expire({ cause: "stalled", message });
  const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
  const forgetTotal = clock.after(limits.totalMs, give(`no end within ${seconds(limits.totalMs)}`));
  let forget = clock.after(limits.headersMs, give(`no answer within ${seconds(limits.headersMs)}`));
  let lastSignMs = clock.monotonicMs();
  let isLive = false;
  // One timer that looks back, instead of a new one for each of thousands of chunks.
  const look = (): void => {
    const idleMs = clock.monotonicMs() - lastSignMs;
    if (idleMs >= limits.stallMs) give(`nothing more came within ${seconds(limits.stallMs)}`)();
    else forget = clock.after(limits.stallMs - idleMs, look);
  };
  return {
    sign() {
      lastSignMs = clock.monotonicMs();
      if (isLive) return;
      isLive = true;
      forget();
      forget = clock.after(limits.stallMs, look);
    },
    stop() {
      forget();
      forgetTotal();
    },
  };
}
