/** What a broken line means, by the code of the system, of TLS or of Node's HTTP client. */

import { field, isText } from "../json-field.js";
import type { FailureCause } from "../model.js";

export interface NetworkFailure {
  readonly cause: FailureCause;
  readonly message: string;
}

export function networkCause(chain: readonly unknown[]): NetworkFailure | undefined {
  for (const link of chain.flatMap(withParts)) {
    const cause = causeOfLink(link);
    if (cause === undefined) continue;
    const message = field(link, "message");
    return { cause, message: isText(message) ? message : String(field(link, "code") ?? cause) };
  }
  return undefined;
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
  // Undici's words for a body whose connection went away.
  return /^(?:terminated|other side closed|socket hang up|premature close)$/i.test(message) ? "cut" : undefined;
}

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
