/**
 * The one way a step's bytes go and come. It watches the clock (to the headers, between two chunks), counts what
 * comes, and refuses what is not the protocol before a package reads it as an empty answer.
 */
import { invariant } from "#base/errors.js";
import { refusal, StepFailure } from "../failure/failure.js";
import { ERROR_BODY_BYTES_MAX, RESPONSE_BYTES_MAX } from "../limits.js";
import type { ModelFailure } from "../model.js";

export type Fetch = typeof globalThis.fetch;

/** What the fetch tells the step it works for. */
export interface LineWatch {
  onSent(): void;
  /** Headers or bytes came: the line lives. */
  onSign(): void;
  /** The answer broke off for this reason; the package is shown an end, so that nothing that came is lost. */
  onBreak(error: unknown): void;
  nowMs(): number;
}

/**
 * The fetch of a model, for all its steps. A package is opened once, since each opening builds its schemas anew; it
 * hands on the step's own signal, and by that the step is known again.
 */
export function routedFetch(fetch: Fetch): RoutedFetch {
  const watches = new WeakMap<AbortSignal, LineWatch>();
  return {
    attach(signal, watch) {
      watches.set(signal, watch);
      return () => void watches.delete(signal);
    },
    async fetch(input, init) {
      // A package that was left behind may ask for a step that is over.
      init?.signal?.throwIfAborted();
      const watch = init?.signal ? watches.get(init.signal) : undefined;
      invariant(watch !== undefined, "every request of a package belongs to a step");
      return watchedFetch(fetch, watch)(input, init);
    },
  };
}

export interface RoutedFetch {
  readonly fetch: Fetch;
  /**
   * Requests that carry this signal belong to this step, until the answer is called. Node holds on to the signal for
   * long after that, and would hold on to the whole step with it.
   */
  attach(signal: AbortSignal, watch: LineWatch): () => void;
}

function watchedFetch(fetch: Fetch, watch: LineWatch): Fetch {
  return async (input, init) => {
    const pending = fetch(input, asBytes(init));
    watch.onSent();
    const response = await pending;
    watch.onSign();
    if (response.body === null) return response;
    const reader = response.body.getReader();
    const chunks = chunksOf(reader, watch);
    const bytes = response.ok ? guarded(chunks, response.status, watch) : firstBytes(chunks);
    return new Response(toStream(bytes, reader, watch), {
      status: response.status,
      statusText: response.statusText,
      headers: plainHeaders(response.headers),
    });
  };
}

/**
 * Node keeps a request's text until its next full collection, and a conversation's requests are its whole history:
 * kept as bytes they stay out of the heap, which would otherwise grow by every one of them.
 */
function asBytes(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === "string" ? { ...init, body: Buffer.from(init.body) } : init;
}

type Bytes = AsyncGenerator<Uint8Array, void, undefined>;

/** The body of an answer: bounded, and only if it begins like a stream of events. */
async function* guarded(chunks: Bytes, status: number, watch: LineWatch): Bytes {
  let head: Uint8Array = new Uint8Array(0);
  while (firstSign(head) === undefined) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = joined(head, next.value);
    if (head.byteLength > RESPONSE_BYTES_MAX) throw new StepFailure(TOO_LONG);
  }
  if (/^[<{[]/.test(firstSign(head) ?? "")) throw new StepFailure(await notEvents(head, chunks, status, watch));
  yield head;
  let total = head.byteLength;
  for await (const chunk of chunks) {
    total += chunk.byteLength;
    if (total > RESPONSE_BYTES_MAX) throw new StepFailure(TOO_LONG);
    yield chunk;
  }
}

const TOO_LONG: ModelFailure = {
  cause: "malformed",
  message: `the answer is longer than ${RESPONSE_BYTES_MAX} bytes`,
};

/** A page or a plain object in place of events: read a little of it, since it says what is wrong. */
async function notEvents(head: Uint8Array, rest: Bytes, status: number, watch: LineWatch): Promise<ModelFailure> {
  let all = head;
  while (all.byteLength < ERROR_BODY_BYTES_MAX) {
    const next = await rest.next();
    if (next.done === true) break;
    all = joined(all, next.value);
  }
  const text = new TextDecoder().decode(all.subarray(0, ERROR_BODY_BYTES_MAX));
  return refusal({ status, body: text, headers: {}, nowMs: watch.nowMs() });
}

/** The beginning of a refusal's body; nobody needs more of it. */
async function* firstBytes(chunks: Bytes): Bytes {
  let left = ERROR_BODY_BYTES_MAX;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.byteLength;
    if (left <= 0) return;
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function* chunksOf(reader: Reader, watch: LineWatch): Bytes {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    watch.onSign();
    yield value;
  }
}

/**
 * However it ends, the line is let go of. A break is told to the step and looks like an end to the package: a stream
 * that errs throws away what is still on its way through it, and one package leaves a rejection nobody can catch when
 * such a stream is cancelled.
 */
function toStream(bytes: Bytes, reader: Reader, watch: LineWatch): ReadableStream<Uint8Array> {
  const letGo = (): void => void reader.cancel().catch(ignoreClosed);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await bytes.next();
        if (next.done !== true) return controller.enqueue(next.value);
      } catch (error) {
        watch.onBreak(error);
      }
      controller.close();
      letGo();
    },
    cancel: letGo,
  });
}

/** The first character that is neither a byte order mark nor white space. */
function firstSign(bytes: Uint8Array): string | undefined {
  for (const byte of bytes) {
    const isBlank = byte === 0xef || byte === 0xbb || byte === 0xbf || byte === 0x20 || (byte >= 9 && byte <= 13);
    if (!isBlank) return String.fromCharCode(byte);
  }
  return undefined;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.byteLength === 0) return b;
  const both = new Uint8Array(a.byteLength + b.byteLength);
  both.set(a);
  both.set(b, a.byteLength);
  return both;
}

/** The body was decoded by `fetch`: what described it on the line no longer does. */
function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete("content-encoding");
  plain.delete("content-length");
  return plain;
}

/** Cancelling a body that has already ended or broken is what a cancel is for; there is nothing left to free. */
function ignoreClosed(): undefined {
  return undefined;
}
