/** A small JSON document over HTTP: bounded in time and size, and never a reason to throw. */
import type { Clock } from "#base/clock.js";
import { failureOf, refusal } from "./failure/failure.js";
import type { ModelFailure } from "./model.js";
import type { Fetch } from "./stream/step-fetch.js";

export const LIST_BYTES_MAX = 8 * 1024 * 1024;
export const LIST_MS = 10_000;

export interface JsonWish {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
}

export interface HttpParts {
  readonly clock: Clock;
  readonly fetch?: Fetch;
}

export type JsonAnswer =
  | { readonly kind: "ok"; readonly value: unknown; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

export async function getJson(wish: JsonWish, { clock, fetch = globalThis.fetch }: HttpParts): Promise<JsonAnswer> {
  const timeMs = wish.timeMs ?? LIST_MS;
  const stop = new AbortController();
  const forget = clock.after(timeMs, () => stop.abort(LATE));
  const abort = (): void => stop.abort(wish.signal?.reason);
  if (wish.signal?.aborted === true) abort();
  wish.signal?.addEventListener("abort", abort, { once: true });
  try {
    const response = await fetch(wish.url, {
      headers: { accept: "application/json", ...wish.headers },
      signal: stop.signal,
      // A key is not carried to wherever a redirect points.
      redirect: "error",
    });
    const headers = Object.fromEntries(response.headers);
    const body = await readText(response);
    if (!response.ok) return failed(refusal({ status: response.status, body, headers, nowMs: clock.nowMs() }));
    return { kind: "ok", value: JSON.parse(body), headers };
  } catch (error) {
    if (stop.signal.reason === LATE) return failed({ cause: "stalled", message: `no answer within ${timeMs} ms` });
    if (error instanceof SyntaxError) return failed({ cause: "malformed", message: "the answer is not JSON" });
    return failed(failureOf(error, clock.nowMs()));
  } finally {
    forget();
    wish.signal?.removeEventListener("abort", abort);
  }
}

const LATE = Symbol("the time is up");

function failed(failure: ModelFailure): JsonAnswer {
  return { kind: "failed", failure };
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > LIST_BYTES_MAX) throw new SyntaxError("too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
