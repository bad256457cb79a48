/**
 * The one way a step's bytes go and come. It watches the clock (to the headers, between two chunks), counts what
 * comes, and refuses what is not the protocol before a package reads it as an empty answer.
 */
import { refusal, StepFailure } from "./failure.js";
import { ERROR_BODY_BYTES_MAX, RESPONSE_BYTES_MAX } from "./limits.js";
import type { ModelFailure } from "./model.js";

export type Fetch = typeof globalThis.fetch;

/** What the fetch tells the step it works for. */
export interface LineWatch {
  onSent(): void;
  /** Headers or bytes came: the line lives. */
  onSign(): void;
  nowMs(): number;
}

/** A fetch for one step. */
export function stepFetch(fetch: Fetch, watch: LineWatch): Fetch {
  return async (input, init) => {
    const pending = fetch(input, init);
    watch.onSent();
    const response = await pending;
    watch.onSign();
    if (response.body === null) return response;
    const { body } = response;
    const pull = response.ok ? guarded(body, response.status, watch) : firstBytes(body, watch);
    return new Response(
      toStream(pull, () => void body.cancel().catch(ignoreClosed)),
      {
        status: response.status,
        statusText: response.statusText,
        headers: plainHeaders(response.headers),
      },
    );
  };
}

type Bytes = AsyncGenerator<Uint8Array, void, undefined>;

/** The body of an answer: bounded, and only if it begins like a stream of events. */
async function* guarded(body: ReadableStream<Uint8Array>, status: number, watch: LineWatch): Bytes {
  let total = 0;
  let isJudged = false;
  let head: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunksOf(body, watch)) {
    total += chunk.byteLength;
    if (total > RESPONSE_BYTES_MAX) throw new StepFailure(tooLong());
    if (isJudged) {
      yield chunk;
      continue;
    }
    head = joined(head, chunk);
    const start = firstSign(head);
    if (start === undefined) continue;
    isJudged = true;
    if (start === "<" || start === "{" || start === "[")
      throw new StepFailure(await notEvents(head, body, status, watch));
    yield head;
  }
  if (!isJudged && head.byteLength > 0) yield head;
}

/** A page or a plain object in place of events: read a little of it, since it says what is wrong. */
async function notEvents(
  head: Uint8Array,
  body: ReadableStream<Uint8Array>,
  status: number,
  watch: LineWatch,
): Promise<ModelFailure> {
  let all = head;
  for await (const chunk of chunksOf(body, watch)) {
    all = joined(all, chunk);
    if (all.byteLength >= ERROR_BODY_BYTES_MAX) break;
  }
  const text = new TextDecoder().decode(all.subarray(0, ERROR_BODY_BYTES_MAX));
  return refusal({ status, body: text, headers: {}, nowMs: watch.nowMs() });
}

/** The beginning of a refusal's body; nobody needs more of it. */
async function* firstBytes(body: ReadableStream<Uint8Array>, watch: LineWatch): Bytes {
  let left = ERROR_BODY_BYTES_MAX;
  for await (const chunk of chunksOf(body, watch)) {
    yield chunk.subarray(0, left);
    left -= chunk.byteLength;
    if (left <= 0) return;
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>, watch: LineWatch): Bytes {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.onSign();
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

function toStream(bytes: Bytes, onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await bytes.next();
        if (next.done === true) {
          controller.close();
          onCancel();
        } else controller.enqueue(next.value);
      } catch (error) {
        controller.error(error);
        onCancel();
      }
    },
    async cancel() {
      onCancel();
      await bytes.return();
    },
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

function tooLong(): ModelFailure {
  return { cause: "malformed", message: `the answer is longer than ${RESPONSE_BYTES_MAX} bytes` };
}

/** Cancelling a body that has already ended or broken is what a cancel is for; there is nothing left to free. */
function ignoreClosed(): undefined {
  return undefined;
}
