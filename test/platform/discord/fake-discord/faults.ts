/** How the next sends fare. */
import type { ServerResponse } from "node:http";
import type { PeerFault } from "../../../../src/platform/contract/scene.js";

export type Fault =
  | PeerFault
  /** All of us has to wait, not only this channel. */
  | { readonly kind: "rate-limited-everywhere"; readonly afterMs: number }
  /** Half of the answer, then the end of the line. */
  | { readonly kind: "cut-during" }
  /** A particular answer instead of taking it; without a code it is not the API that speaks. */
  | { readonly kind: "answer"; readonly status: number; readonly code?: number; readonly message?: string }
  /** Taken, and answered with something that is no receipt. */
  | { readonly kind: "odd-receipt"; readonly body: unknown };

export class Faults {
  readonly #next: Fault[] = [];

  add(fault: Fault, times: number): void {
    for (let time = 0; time < times; time++) this.#next.push(fault);
  }

  take(): Fault | undefined {
    return this.#next.shift();
  }
}

/** Plays a fault that keeps the request from being taken; false when it has to be taken first. */
export function refuse(fault: Fault, response: ServerResponse): boolean {
  switch (fault.kind) {
    case "rate-limited":
      tooMany(response, fault.afterMs, false);
      return true;
    case "rate-limited-everywhere":
      tooMany(response, fault.afterMs, true);
      return true;
    case "server-error":
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
      return true;
    case "cut-before":
      response.destroy();
      return true;
    case "gone":
      answerJson(response, 404, { message: "Unknown Channel", code: 10003 });
      return true;
    case "answer":
      playAnswer(fault, response);
      return true;
    default:
      return false;
  }
}

/** Plays what becomes of the answer to a request that was taken. */
export function answerFaulty(fault: Fault, body: unknown, response: ServerResponse): void {
  const text = JSON.stringify(body);
  if (fault.kind === "cut-after") response.destroy();
  if (fault.kind === "odd-receipt") answerJson(response, 200, fault.body);
  if (fault.kind === "cut-during") {
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
  if (fault.kind === "slow") trickle(text, response);
  // `silent` says nothing.
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  if (status === 204) response.writeHead(204).end();
  else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function tooMany(response: ServerResponse, afterMs: number, isGlobal: boolean): void {
  response.writeHead(429, {
    "content-type": "application/json",
    "retry-after": String(afterMs / 1000),
    "x-ratelimit-scope": isGlobal ? "global" : "user",
    ...(isGlobal ? { "x-ratelimit-global": "true" } : {}),
  });
  const body = { message: "You are being rate limited.", retry_after: afterMs / 1000, global: isGlobal };
  response.end(JSON.stringify(body));
}

function playAnswer(fault: Extract<Fault, { kind: "answer" }>, response: ServerResponse): void {
  if (fault.code === undefined) {
    response.writeHead(fault.status, { "content-type": "text/html" }).end("<h1>no</h1>");
  } else answerJson(response, fault.status, { message: fault.message ?? "refused", code: fault.code });
}

const TRICKLE_EVERY_MS = 100;

function trickle(text: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  let at = 0;
  const timer = setInterval(() => response.write(text[at++] ?? " "), TRICKLE_EVERY_MS);
  response.on("close", () => clearInterval(timer));
}
