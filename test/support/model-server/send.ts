/** How bytes leave: whole, in pieces, slowly, or not to their end. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { encode, errorBody } from "./encode.js";
import type { CutKind, Fault, Reply } from "./reply.js";
import type { SeenRequest } from "./seen.js";

export const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Answers one request as the reply says; resolves when nothing more will be sent. `go`: when a stream that is held may go on. */
export async function send(reply: Reply, seen: SeenRequest, response: ServerResponse, go: Go): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  const { fault } = reply;
  switch (fault?.kind) {
    case "status":
      return refuse(fault, seen, response);
    case "body":
      response.writeHead(200, { "content-type": fault.contentType });
      response.end(fault.text);
      return;
    case "hang-up":
      response.socket?.resetAndDestroy();
      return;
    case "stall":
      return stall(fault.at, () => Buffer.concat(encode(reply, seen)), response);
    case "cut":
      open(response);
      return cut(Buffer.concat(encode(reply, seen)).subarray(0, fault.atByte), fault.how, response);
    case "trickle":
      return slices(equal(Buffer.concat(encode(reply, seen)), fault.bytes), fault.everyMs, response);
    case "chunked": {
      const bytes = Buffer.concat(encode(reply, seen));
      return slices("seed" in fault ? drawn(bytes, fault.seed) : equal(bytes, fault.bytes), undefined, response);
    }
    default: {
      const events = encode(reply, seen);
      const { chunkDelayMs, holdAfter } = reply;
      if (holdAfter !== undefined) return held(events, { holdAfter, chunkDelayMs, go }, response);
      if (chunkDelayMs !== undefined) return slices(events, chunkDelayMs, response);
      open(response);
      response.end(Buffer.concat(events));
    }
  }
}

export interface Go {
  /** Whatever comes goes on at once. */
  readonly isOpen: boolean;
  passed(): Promise<void>;
}

interface Hold {
  readonly holdAfter: number;
  readonly chunkDelayMs: number | undefined;
  readonly go: Go;
}

async function held(events: readonly Buffer[], hold: Hold, response: ServerResponse): Promise<void> {
  open(response);
  for (const event of events.slice(0, hold.holdAfter)) {
    await pour([event], hold.go.isOpen ? undefined : hold.chunkDelayMs, response);
  }
  await hold.go.passed();
  await pour(events.slice(hold.holdAfter), undefined, response);
  if (!response.destroyed) response.end();
}

function open(response: ServerResponse): void {
  // Always in chunks: a stream that tells its length would betray a cut to any client.
  response.writeHead(200, { ...STREAM_HEADERS, "transfer-encoding": "chunked" });
}

function refuse(fault: Extract<Fault, { kind: "status" }>, seen: SeenRequest, response: ServerResponse): void {
  response.writeHead(fault.status, {
    "content-type": fault.contentType ?? "application/json",
    ...(fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter }),
    ...fault.headers,
  });
  response.end(fault.body ?? errorBody(seen, fault.status, fault.message ?? `scripted ${fault.status}`, fault.type));
}

/** Holds the connection open; only the client ends it. */
async function stall(at: "headers" | number, bytes: () => Buffer, response: ServerResponse): Promise<void> {
  if (at === "headers") return;
  open(response);
  await write(response, bytes().subarray(0, at));
}

async function cut(bytes: Buffer, how: CutKind, response: ServerResponse): Promise<void> {
  await write(response, bytes);
  if (how === "eof") response.end();
  else if (how === "reset") response.socket?.resetAndDestroy();
  else response.socket?.destroySoon();
}

/** Every write is a chunk of its own for HTTP, whatever TCP makes of it. */
async function slices(parts: readonly Buffer[], everyMs: number | undefined, response: ServerResponse): Promise<void> {
  open(response);
  await pour(parts, everyMs, response);
  if (!response.destroyed) response.end();
}

async function pour(parts: readonly Buffer[], everyMs: number | undefined, response: ServerResponse): Promise<void> {
  for (const part of parts) {
    if (response.destroyed) return;
    await write(response, part);
    if (everyMs !== undefined) await sleep(everyMs);
  }
}

function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0) {
    response.flushHeaders();
    return new Promise((resolve) => setImmediate(resolve));
  }
  // A client that is gone reports an error here; the server's own record of the close says so too.
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function equal(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const DRAWN_BYTES_MAX = 40;

function drawn(bytes: Buffer, seed: number): Buffer[] {
  const parts: Buffer[] = [];
  let state = seed >>> 0;
  let from = 0;
  while (from < bytes.length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const size = 1 + ((state >>> 16) % DRAWN_BYTES_MAX);
    parts.push(bytes.subarray(from, from + size));
    from += size;
  }
  return parts;
}
