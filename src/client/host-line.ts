/**
 * Calls to a host and its events, over one line. Every call has a deadline and ends once: with the host's answer, with
 * its refusal (`RpcError`), or with an outage: `host-gone` when the line ended first, `host-slow` when the time was
 * over. After an outage the call may have had its effect; what is repeated needs a key of its own.
 */
import type { z } from "zod";
import { type Clock, systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { type EventParams, parseAnswer, requestFrame } from "#protocol/frame.js";
import type { METHODS, MethodName, Result } from "#protocol/methods.js";
import { type ClientWire, closingReason, type LineEnd } from "./wire.js";

export const CALL_TIME_MS = 30_000;
/** Calls without an answer on one line; one more is refused here. */
export const CALLS_MAX = 1_000;

/** What a caller may leave to the host's defaults, it may leave out. */
export type Wish<M extends MethodName> = z.input<(typeof METHODS)[M]["params"]>;
export type HostEvent = EventParams;

export interface HostLine {
  call<M extends MethodName>(method: M, params: Wish<M>, options?: CallOptions): Promise<Result<M>>;
  /** In the order they came; the returned function forgets the listener. A listener must not throw. */
  onEvent(listener: (event: HostEvent) => void): () => void;
  readonly closed: Promise<LineEnd>;
  /** Open calls end with `host-gone`. */
  close(): void;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The host answered that it cannot be done. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface OpenCall {
  readonly method: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly forget: () => void;
}

/** `onEvent` hears from the first frame on. */
export function createHostLine(
  wire: ClientWire,
  { clock = systemClock, onEvent }: { readonly clock?: Clock; readonly onEvent?: (event: HostEvent) => void } = {},
): HostLine {
  const calls = new Map<string, OpenCall>();
  const listeners = new Set<(event: HostEvent) => void>(onEvent === undefined ? [] : [onEvent]);
  let end: LineEnd | undefined;
  let told: LineEnd | undefined;
  let lastId = 0;
  let settleClosed: (why: LineEnd) => void = () => undefined;
  const closed = new Promise<LineEnd>((resolve) => {
    settleClosed = resolve;
  });
  const take = (id: string): OpenCall | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    call?.forget();
    return call;
  };
  wire.listen({
    frame(text) {
      const frame = parseAnswer(text);
      told ??= closingReason(frame);
      if (frame.kind === "result") take(String(frame.id))?.resolve(frame.result as never);
      else if (frame.kind === "error")
        take(String(frame.id))?.reject(new RpcError(frame.error.code, frame.error.message));
      else if (frame.kind === "event") for (const listener of [...listeners]) listener(frame);
    },
    gone(why) {
      end = why.kind === "lost" ? (told ?? why) : why;
      for (const id of [...calls.keys()]) take(id)?.reject(hostGone(end));
      settleClosed(end);
    },
  });
  return {
    call: (method, params, options = {}) =>
      new Promise((resolve, reject) => {
        options.signal?.throwIfAborted();
        if (end !== undefined) throw hostGone(end);
        if (calls.size >= CALLS_MAX) throw tooManyCalls(method);
        const id = `c${++lastId}`;
        const stop = (error: Error): void => take(id)?.reject(error);
        const forget = watchEnd({ clock, method, ...options }, stop);
        calls.set(id, { method, resolve, reject, forget });
        wire.send(requestFrame({ id, method, params }));
      }),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    closed,
    close: () => wire.close(),
  };
}

/** The two ways a call ends without the host: its time is over, or nobody wants the answer any more. */
function watchEnd(
  limit: CallOptions & { readonly clock: Clock; readonly method: string },
  stop: (error: Error) => void,
): () => void {
  const { clock, method, signal, timeoutMs = CALL_TIME_MS } = limit;
  const abort = (): void => stop(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
  const forget = clock.after(timeoutMs, () => stop(hostSlow(method, timeoutMs)));
  signal?.addEventListener("abort", abort, { once: true });
  return () => {
    forget();
    signal?.removeEventListener("abort", abort);
  };
}

function hostGone(end: LineEnd): OperationalError {
  const why = end.kind === "closed" ? "the line to the host was closed" : `the line to the host ended: ${end.message}`;
  return new OperationalError("host-gone", "after-delay", `${why}. What the host had stored is kept.`);
}

function hostSlow(method: string, timeoutMs: number): OperationalError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new OperationalError("host-slow", "after-delay", `the host did not answer ${method} within ${seconds} s.`);
}

function tooManyCalls(method: string): OperationalError {
  return new OperationalError(
    "host-slow",
    "after-delay",
    `${method} was not sent: ${CALLS_MAX} calls have no answer yet.`,
  );
}
