/**
 * A model provider on loopback. It speaks the streams of OpenAI (chat and responses), Anthropic and Google, answers
 * as its script says, and keeps what it was asked. No timer and no state decides an answer: the script does.
 *
 *   const server = await startModelServer({ script: [{ calls: [{ name: "look", arguments: {} }] }, { text: "done" }] });
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Dialect } from "../../../src/model/model.js";
import { cannedAnswer } from "./canned.js";
import { type Ending, type Exchange, Ledger } from "./ledger.js";
import { modelList } from "./model-list.js";
import type { Reply, Script, ScriptFunction } from "./reply.js";
import { scriptFunction } from "./rules.js";
import { dialectOf, readRequest } from "./seen.js";
import { send } from "./send.js";

export const REQUEST_BYTES_MAX = 128 * 1024 * 1024;
/** Longer than any test waits between two requests, so that no connection dies under a request. */
const KEEP_ALIVE_MS = 600_000;

export interface ModelServerOptions {
  readonly script: Script;
  /** 0: any free port. */
  readonly port?: number;
  readonly models?: readonly string[];
  /** Answers prepared bytes and keeps nothing but a count. The script holds replies without rules or faults. */
  readonly isCanned?: boolean;
}

export interface ModelServer {
  readonly url: string;
  /** Where a provider package of this dialect should be pointed. */
  baseUrl(dialect: Dialect | "openrouter"): string;
  /** What was asked, oldest first; the oldest are forgotten beyond a bound. */
  readonly exchanges: readonly Exchange[];
  /** All requests for an answer, forgotten ones too. */
  readonly count: number;
  answerWith(script: Script): void;
  /** Streams with `holdAfter` wait there from now on; so they do from the beginning. */
  hold(): void;
  /** Whatever waits goes on, and nothing waits any more. */
  go(): void;
  /** Resolves when a stream waits. */
  held(): Promise<void>;
  /** The number of the next request is 0 again. */
  forget(): void;
  close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const ledger = new Ledger();
  const gate = new Gate();
  let script = scriptFunction(options.script);
  const canned = options.isCanned === true ? cannedAnswer(options.script, ledger) : undefined;
  const models = options.models ?? ["model-a", "model-b"];
  const server = createServer((request, response) => {
    request.socket.setNoDelay(true);
    answer(request, response).catch((error: unknown) => giveUp(response, error));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const dialect = request.method === "POST" ? dialectOf(path.split("?")[0] ?? "") : undefined;
    if (dialect === undefined) return sideDoor(request, response);
    const raw = await bodyOf(request);
    if (canned !== undefined) return canned(dialect, path, raw, response);
    await exchange({ dialect, path, raw }, request, response);
  }
  async function exchange(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = readRequest(asked.dialect, asked.path, request.headers, asked.raw);
    const entry = ledger.open(seen);
    let reply: Reply = {};
    response.on("close", () => entry.end(endingOf(response, reply)));
    reply = await script(seen, entry.exchange.index);
    await send(reply, seen, response, gate);
  }
  async function sideDoor(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const body = (await tellTest(path)) ?? modelList(path, request.headers, models);
    request.resume();
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? { error: { message: `nothing is at ${path}`, type: "not_found" } }));
  }
  /** For a test in another process. */
  async function tellTest(path: string): Promise<object | undefined> {
    if (path === "/__hold") gate.shut();
    if (path === "/__go") gate.open();
    if (path === "/__held") await gate.held();
    if (GATE_PATHS.has(path)) return {};
    return path.startsWith("/__requests") ? ledger.report(path.includes("bodies")) : undefined;
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseUrl: (dialect) => url + BASE_PATHS[dialect],
    get exchanges() {
      return ledger.exchanges;
    },
    get count() {
      return ledger.count;
    },
    answerWith: (next) => {
      script = scriptFunction(next);
    },
    hold: () => gate.shut(),
    go: () => gate.open(),
    held: () => gate.held(),
    forget: () => ledger.forget(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const GATE_PATHS: ReadonlySet<string> = new Set(["/__hold", "/__go", "/__held"]);

/** Where streams wait for the test. */
class Gate {
  isOpen = false;
  readonly #waiting: (() => void)[] = [];
  readonly #watching: (() => void)[] = [];

  /** What waited before it does so for nobody: its client is gone. */
  shut(): void {
    this.isOpen = false;
    this.#waiting.length = 0;
  }

  open(): void {
    this.isOpen = true;
    for (const pass of this.#waiting.splice(0)) pass();
  }

  async held(): Promise<void> {
    if (this.#waiting.length === 0) await new Promise<void>((resolve) => this.#watching.push(resolve));
  }

  async passed(): Promise<void> {
    if (this.isOpen) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      for (const tell of this.#watching.splice(0)) tell();
    });
  }
}

const BASE_PATHS: Record<Dialect | "openrouter", string> = {
  "openai-chat": "/v1",
  "openai-responses": "/v1",
  anthropic: "/v1",
  google: "/v1beta",
  openrouter: "/api/v1",
};

interface Asked {
  readonly dialect: Dialect;
  readonly path: string;
  readonly raw: Buffer;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > REQUEST_BYTES_MAX) throw new Error(`a request of more than ${REQUEST_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

function endingOf(response: ServerResponse, { fault }: Reply): Ending {
  if (response.writableFinished) return fault?.kind === "cut" ? "cut" : "whole";
  return fault?.kind === "cut" || fault?.kind === "hang-up" ? "cut" : "closed-early";
}

/** A script that throws, or a request that is no JSON, must not look like a provider's outage. */
function giveUp(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(418, { "content-type": "text/plain" });
  response.end(`the model server cannot answer: ${error instanceof Error ? error.stack : String(error)}`);
}

export type { Exchange, ScriptFunction };
