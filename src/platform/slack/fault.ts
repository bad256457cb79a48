/**
 * What can become of a call to Slack's Web API when it is no success, told by how far the bytes came. Errors of the
 * library end here; everything else in this folder speaks of faults.
 */
import { webApi } from "@slack/bolt";

export type Fault =
  /** Nothing was taken; come back later. */
  | { readonly kind: "limited"; readonly afterMs: number }
  /** Slack read it and says no. */
  | { readonly kind: "answered"; readonly code: string; readonly needed?: string }
  /** An answer that is not Slack's own. */
  | { readonly kind: "status"; readonly status: number }
  /** No byte of the request left this machine. */
  | { readonly kind: "unreached"; readonly why: string }
  /** The request left and no whole answer came. */
  | { readonly kind: "lost"; readonly why: string };

export class SlackFault extends Error {
  override readonly name = "SlackFault";
  constructor(
    method: string,
    readonly fault: Fault,
  ) {
    super(`${method}: ${describeFault(fault)}`);
  }
}

/** How far a request came, as seen from outside the library. */
export interface Trace {
  isStarted: boolean;
  status?: number;
}

/** Where Slack asks us to wait and does not say how long. */
export const LIMITED_DEFAULT_MS = 30_000;
const LIMITED_MAX_MS = 3_600_000;

export function faultOf(error: unknown, trace: Trace): Fault {
  if (error instanceof SlackFault) return error.fault;
  if (!trace.isStarted) return { kind: "unreached", why: words(error) };
  if (error instanceof webApi.WebAPIRateLimitedError) return limited(error.retryAfter * 1_000);
  if (trace.status === 429) return limited(LIMITED_DEFAULT_MS);
  if (error instanceof webApi.WebAPIPlatformError) return answered(error.data);
  if (error instanceof webApi.WebAPIHTTPError) return refusedStatus(error.statusCode, error.body);
  // A connection that was never made carried nothing. Whatever happens later may have.
  if (trace.status === undefined && isUnconnected(error)) return { kind: "unreached", why: words(error) };
  return { kind: "lost", why: words(error) };
}

export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case "limited":
      return `Slack asks to wait ${Math.ceil(fault.afterMs / 1_000)} s`;
    case "answered":
      return fault.needed === undefined ? fault.code : `${fault.code} (it needs the scope ${fault.needed})`;
    case "status":
      return `HTTP status ${fault.status}`;
    case "unreached":
      return `Slack cannot be reached: ${fault.why}`;
    case "lost":
      return `no answer: ${fault.why}`;
  }
}

function limited(afterMs: number): Fault {
  return { kind: "limited", afterMs: Math.min(Math.max(afterMs, 1_000), LIMITED_MAX_MS) };
}

/** Slack's codes are one word; anything else in that place is a page of somebody in between. */
function answered(body: unknown): Fault {
  const { error, needed } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof error !== "string" || !/^[a-zA-Z0-9_.-]{1,80}$/.test(error))
    return { kind: "lost", why: "the answer cannot be read" };
  return { kind: "answered", code: error, ...(typeof needed === "string" ? { needed } : {}) };
}

function refusedStatus(status: number, body: unknown): Fault {
  const said = answered(body);
  return said.kind === "answered" && status < 500 ? said : { kind: "status", status };
}

const UNCONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function isUnconnected(error: unknown): boolean {
  for (const { code, syscall } of causes(error)) {
    if (code === undefined) continue;
    if (
      UNCONNECTED.has(code) ||
      syscall === "connect" ||
      /^(CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)
    )
      return true;
  }
  return false;
}

const CAUSES_MAX = 8;

function* causes(error: unknown): Generator<{ code?: string; syscall?: string; message?: string }> {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof at === "object" && at !== null; depth++) {
    yield at as { code?: string; syscall?: string; message?: string };
    const { original, cause } = at as { original?: unknown; cause?: unknown };
    at = original ?? cause;
  }
}

/** The innermost reason is the one that says something: around it stands "fetch failed". */
function words(error: unknown): string {
  let told = error instanceof Error ? error.message : String(error);
  for (const { message, code } of causes(error)) told = message || code || told;
  return told.slice(0, 300);
}
