/** What can go wrong with a request to the fake Telegram, and how it is made to. */
import type { ServerResponse } from "node:http";
import type { PeerFault } from "../../../src/platform/contract/scene.js";

export type TelegramFault =
  | PeerFault
  /** This answer, as it stands; `isTaken` when the request has its effect all the same. */
  | { readonly kind: "answer"; readonly status: number; readonly body: string; readonly isTaken?: boolean }
  /** Taken, and cut in the middle of the answer. */
  | { readonly kind: "cut-within" }
  /** The line is open and nothing ever happens on it: half-open. */
  | { readonly kind: "half-open" };

interface Planned {
  readonly methods: (method: string) => boolean;
  readonly fault: TelegramFault;
  times: number;
}

const SLOW_BYTE_MS = 100;

export class FaultPlan {
  #planned: Planned[] = [];

  add(methods: (method: string) => boolean, fault: TelegramFault, times: number): void {
    this.#planned.push({ methods, fault, times });
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that this request meets, used up by it. */
  next(method: string): TelegramFault | undefined {
    const found = this.#planned.find((one) => one.methods(method) && one.times > 0);
    if (found === undefined) return undefined;
    found.times -= 1;
    if (found.times === 0) this.#planned = this.#planned.filter((one) => one !== found);
    return found.fault;
  }
}

export function isTaken(fault: TelegramFault): boolean {
  if (fault.kind === "answer") return fault.isTaken === true;
  return ["cut-after", "cut-within", "silent", "slow"].includes(fault.kind);
}

/** Faults that are refusals in Telegram's own words. */
export function refusalOf(fault: TelegramFault): object | undefined {
  switch (fault.kind) {
    case "rate-limited": {
      const seconds = Math.ceil(fault.afterMs / 1000);
      return refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
    }
    case "gone":
      return refusal(403, "Forbidden: bot was blocked by the user");
    case "markup-refused":
      return refusal(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0');
    default:
      return undefined;
  }
}

export function refusal(code: number, description: string, parameters?: object): object {
  return { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) };
}

/** Plays a fault that is no refusal; the result is what the request would have answered. */
export function playFault(fault: TelegramFault, response: ServerResponse, result: object | undefined): void {
  const whole = JSON.stringify(result ?? {});
  switch (fault.kind) {
    case "server-error":
      response.writeHead(502, { "content-type": "text/html" }).end("<html><h1>502 Bad Gateway</h1></html>");
      return;
    case "answer":
      response.writeHead(fault.status, { "content-type": "application/json" }).end(fault.body);
      return;
    case "cut-before":
    case "cut-after":
      response.socket?.destroy();
      return;
    case "cut-within":
      response.writeHead(200, { "content-length": String(whole.length) });
      response.write(whole.slice(0, whole.length / 2), () => response.socket?.destroy());
      return;
    case "slow":
      trickle(response, whole);
      return;
    default:
      return;
  }
}

function trickle(response: ServerResponse, whole: string): void {
  response.writeHead(200, { "content-length": String(whole.length) });
  let at = 0;
  const timer = setInterval(() => response.write(whole[at++] ?? " "), SLOW_BYTE_MS);
  response.once("close", () => clearInterval(timer));
}
