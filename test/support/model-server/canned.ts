/**
 * Answers without thinking, for measuring somebody else: text is encoded once, a request is read only as far as it
 * takes to tell which step of a turn it is, and nothing of it is kept.
 */
import type { ServerResponse } from "node:http";
import type { Dialect } from "../../../src/model/model.js";
import { encode } from "./encode.js";
import type { Ledger } from "./ledger.js";
import type { Reply, Script } from "./reply.js";
import { isList, scriptFunction } from "./rules.js";
import { readRequest, type SeenRequest } from "./seen.js";
import { STREAM_HEADERS } from "./send.js";

export type CannedAnswer = (dialect: Dialect, path: string, raw: Buffer, response: ServerResponse) => void;

export function cannedAnswer(script: Script, ledger: Ledger): CannedAnswer {
  if (typeof script === "function") throw new Error("a canned script holds replies, not a function");
  const replies: readonly Reply[] = isList(script) ? script : [script];
  const prepared = new Map<string, Buffer>();
  return (dialect, path, raw, response) => {
    ledger.tally();
    const step = Math.min(replies.length > 1 ? stepOf(dialect, path, raw) : 0, replies.length - 1);
    const reply = replies[step] ?? {};
    response.writeHead(200, STREAM_HEADERS);
    response.end(bytesOf(reply, step, { dialect, path, raw }));
  };
  function bytesOf(reply: Reply, step: number, asked: { dialect: Dialect; path: string; raw: Buffer }): Buffer {
    const blank = blankRequest(asked);
    // Ids of calls must differ from turn to turn, so they are made from each request.
    if (reply.calls?.some(({ id }) => id === undefined)) {
      return Buffer.concat(encode(reply, { ...blank, raw: asked.raw }));
    }
    const key = `${step} ${asked.dialect} ${blank.isOpenRouter}`;
    let bytes = prepared.get(key);
    if (bytes === undefined) {
      bytes = Buffer.concat(encode(reply, blank));
      prepared.set(key, bytes);
    }
    return bytes;
  }
}

function blankRequest({ dialect, path }: { dialect: Dialect; path: string }): SeenRequest {
  const isOpenRouter = path.startsWith("/api/v1/");
  const raw = Buffer.alloc(0);
  return { dialect, isOpenRouter, path, headers: {}, raw, body: {}, model: "canned", system: "", items: [], tools: [] };
}

/** In OpenAI's chat dialect roles are found in the bytes: inside a string their quotes would be escaped. */
function stepOf(dialect: Dialect, path: string, raw: Buffer): number {
  if (dialect !== "openai-chat") return parsedStep(readRequest(dialect, path, {}, raw));
  let steps = 0;
  let at = raw.lastIndexOf('"role":"user"');
  for (;;) {
    at = raw.indexOf('"role":"assistant"', at + 1);
    if (at < 0) return steps;
    steps++;
  }
}

function parsedStep(seen: SeenRequest): number {
  const numbered = Array.from({ length: seen.items.length + 1 }, (_, step) => ({ text: String(step) }));
  const reply = scriptFunction(numbered)(seen, 0) as Reply;
  return Number(reply.text);
}
