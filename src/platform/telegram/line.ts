/**
 * How bytes go to Telegram: the `fetch` that grammY is given. It does what the library's own would do and knows one
 * thing more, without which a send cannot be judged: whether a byte of the request may have left before it failed [CT-4].
 * Errors never carry the address, because the token is in it.
 */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import type { Readable } from "node:stream";
import type { Api } from "grammy";

/** An answer is read whole into memory; a hundred updates are far smaller. */
export const ANSWER_BYTES_MAX = 32_000_000;

/**
 * How long an idle connection is kept. The other side drops one after a while, and a send that meets that moment ends
 * with an unknown outcome; one that was used this recently is still there.
 */
const IDLE_MS_MAX = 4_000;

/** The line failed. `nothing` of the request has left, or some of its `bytes` may have. */
export class LineError extends Error {
  override readonly name = "LineError";
  constructor(
    readonly reached: "nothing" | "bytes",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An answer came that is none of Telegram's: a front end, a proxy or a portal spoke. */
export class ForeignAnswer extends Error {
  override readonly name = "ForeignAnswer";
  constructor(
    readonly status: number,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(`an answer that is not Telegram's, with status ${status}`);
  }
}

export interface LineRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
}

export interface LineAnswer {
  json(): Promise<unknown>;
}

export interface Line {
  fetch(url: string | URL, init: LineRequest): Promise<LineAnswer>;
  /** The answer's head; its body is the caller's to read or to destroy. */
  open(url: string | URL, init: LineRequest): Promise<IncomingMessage>;
}

export function createLine(): Line {
  const agents = {
    plain: new PlainAgent({ keepAlive: true, timeout: IDLE_MS_MAX }),
    tls: new TlsAgent({ keepAlive: true, timeout: IDLE_MS_MAX }),
  };
  const open: Line["open"] = (url, init) => exchange(new URL(url), init, agents);
  return {
    open,
    async fetch(url, init) {
      const answer = await open(url, init);
      const body = await readWhole(answer, init.signal);
      return { json: async () => parse(answer, body) };
    },
  };
}

/** The library's types name a signal of an older package; Node's own does all that one does. */
export function forLibrary(signal: AbortSignal): NonNullable<Parameters<Api["getMe"]>[0]> {
  return signal as unknown as NonNullable<Parameters<Api["getMe"]>[0]>;
}

type Agents = { readonly plain: PlainAgent; readonly tls: TlsAgent };

function exchange(url: URL, init: LineRequest, agents: Agents): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body, signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new LineError("nothing", "it was called off before it began"));
    const isTls = url.protocol === "https:";
    const length = typeof body === "string" ? { "content-length": String(Buffer.byteLength(body)) } : {};
    const options = { method, headers: { ...headers, ...length } };
    const request = isTls
      ? tlsRequest(url, { ...options, agent: agents.tls })
      : plainRequest(url, { ...options, agent: agents.plain });
    const reached = watchReach(request, isTls);
    const callOff = () => request.destroy(new Error("no answer in time"));
    signal?.addEventListener("abort", callOff, { once: true });
    request.once("close", () => signal?.removeEventListener("abort", callOff));
    request.once("response", resolve);
    request.on("error", (cause) => reject(new LineError(reached(), cause.message || "the line failed", { cause })));
    if (body === undefined || typeof body === "string") request.end(body);
    else body.pipe(request);
  });
}

/** Before a connection stands nothing of a request can have left; from then on Node writes without asking. */
function watchReach(request: ClientRequest, isTls: boolean): () => "nothing" | "bytes" {
  let reached: "nothing" | "bytes" = "nothing";
  request.once("socket", (socket) => {
    if (request.reusedSocket || (!isTls && !socket.connecting)) reached = "bytes";
    else
      socket.once(isTls ? "secureConnect" : "connect", () => {
        reached = "bytes";
      });
  });
  return () => reached;
}

async function readWhole(answer: IncomingMessage, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const callOff = () => answer.destroy(new Error("no whole answer in time"));
  signal?.addEventListener("abort", callOff, { once: true });
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANSWER_BYTES_MAX) throw new Error(`an answer of more than ${ANSWER_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new LineError("bytes", cause instanceof Error ? cause.message : String(cause), { cause });
  } finally {
    signal?.removeEventListener("abort", callOff);
  }
  return Buffer.concat(chunks);
}

function parse(answer: IncomingMessage, body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && "ok" in value) return value;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  const wait = Number(answer.headers["retry-after"]);
  throw new ForeignAnswer(answer.statusCode ?? 0, Number.isFinite(wait) && wait > 0 ? wait : undefined);
}
