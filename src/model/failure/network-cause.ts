/** What a broken line means, by the code of the system, of TLS or of Node's HTTP client. */

import { field, isText } from "../json-field.js";
import type { FailureCause } from "../model.js";

export interface NetworkFailure {
  readonly cause: FailureCause;
  readonly message: string;
}

export function networkCause(chain: readonly unknown[]): NetworkFailure | undefined {
  const links = chain.flatMap(withParts);
  for (const link of links) {
    const cause = causeOfLink(link);
    if (cause !== undefined) return told(link, cause);
  }
  // Fetch's own words for everything that went wrong before an answer; what it was stands behind them.
  const at = links.findIndex((link) => field(link, "message") === "fetch failed");
  return at < 0 ? undefined : told(links[at + 1] ?? links[at], "unreachable");
}

function told(link: unknown, cause: FailureCause): NetworkFailure {
  const message = field(link, "message");
  return { cause, message: isText(message) ? message : String(field(link, "code") ?? cause) };
}

/** Happy eyeballs: every address that was tried has its own error. */
function withParts(link: unknown): readonly unknown[] {
  const parts = field(link, "errors");
  return Array.isArray(parts) && parts.length > 0 ? [...parts.slice(0, 8), link] : [link];
}

function causeOfLink(link: unknown): FailureCause | undefined {
  const code = field(link, "code");
  if (isText(code)) {
    const known = CODES[code];
    if (known !== undefined) return known;
    if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(code))
      return "unreachable";
    if (code.startsWith("HPE_")) return "malformed";
  }
  const message = field(link, "message");
  if (!isText(message)) return undefined;
  return MESSAGES.find(({ pattern }) => pattern.test(message))?.cause;
}

/** Undici's words, where it has no code. */
const MESSAGES: readonly { readonly pattern: RegExp; readonly cause: FailureCause }[] = [
  // A body whose connection went away.
  { pattern: /^(?:terminated|other side closed|socket hang up|premature close)$/i, cause: "cut" },
  // Refused on this side, before anything was sent.
  {
    pattern: /^(?:bad port|unknown scheme|URL scheme must be|Failed to parse URL|invalid url$)/i,
    cause: "unreachable",
  },
  { pattern: /^Request cannot be constructed from a URL/i, cause: "unreachable" },
  // The API is not there: what answers sends everybody elsewhere, and a key does not follow.
  { pattern: /^(?:unexpected redirect|redirect count exceeded)$/i, cause: "malformed" },
];

const CODES: Readonly<Record<string, FailureCause>> = {
  ECONNREFUSED: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EAI_FAIL: "unreachable",
  EHOSTUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ETIMEDOUT: "unreachable",
  EPROTO: "unreachable",
  ERR_INVALID_URL: "unreachable",
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  ECONNRESET: "cut",
  ECONNABORTED: "cut",
  EPIPE: "cut",
  UND_ERR_SOCKET: "cut",
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: "cut",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "cut",
  ERR_STREAM_PREMATURE_CLOSE: "cut",
  Z_BUF_ERROR: "cut",
  Z_DATA_ERROR: "malformed",
  UND_ERR_HEADERS_TIMEOUT: "stalled",
  UND_ERR_BODY_TIMEOUT: "stalled",
  UND_ERR_HEADERS_OVERFLOW: "malformed",
};
