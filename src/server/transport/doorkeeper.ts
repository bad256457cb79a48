/**
 * Who may open a WebSocket, decided before the upgrade from the request alone [WI-5]. A stranger learns a status code
 * and nothing else. The token is what counts; `Host` and `Origin` keep a web page that a person happens to visit from
 * using a token it should not have.
 */
import { isToken, offeredToken } from "./token.js";

export const WEBSOCKET_PATH = "/api/ws";
export const HEALTH_PATH = "/health";

export interface DoorRules {
  readonly token: string;
  /** Origins besides this machine's own, as a browser writes them: `https://talaria.example`. */
  readonly allowedOrigins?: readonly string[];
  /** Names besides this machine's own that a request may be addressed to: `talaria.example`. */
  readonly allowedHosts?: readonly string[];
}

export interface Knock {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type Verdict = { readonly kind: "welcome" } | { readonly kind: "refused"; readonly status: 401 | 403 | 404 };

/** Pure. */
export function judgeKnock({ method, url, headers }: Knock, rules: DoorRules): Verdict {
  // A name that a stranger's DNS points at this machine is still the stranger's name.
  if (!isOwnHost(headers["host"], rules.allowedHosts)) return refused(403);
  const { path, query } = placeOf(url);
  if (path !== WEBSOCKET_PATH || method !== "GET") return refused(404);
  if (!isOwnOrigin(headers["origin"], rules.allowedOrigins)) return refused(403);
  const offered = offeredToken(headers, query);
  return offered !== undefined && isToken(offered, rules.token) ? { kind: "welcome" } : refused(401);
}

/** A request names its host, once; HTTP/1.0 may not, and then it is no client of ours. */
export function isOwnHost(host: string | string[] | undefined, allowed: readonly string[] = []): boolean {
  if (typeof host !== "string") return false;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, "");
  return LOOPBACK_NAMES.has(name) || allowed.some((one) => one.toLowerCase() === name);
}

/** A program sends none, a browser always does. */
function isOwnOrigin(origin: string | string[] | undefined, allowed: readonly string[] = []): boolean {
  if (origin === undefined) return true;
  if (typeof origin !== "string") return false;
  if (allowed.includes(origin)) return true;
  const [, name] = /^https?:\/\/(\[[0-9a-f:]+\]|[^:/@?#\s]+)(?::\d{1,5})?$/i.exec(origin) ?? [];
  return name !== undefined && LOOPBACK_NAMES.has(name.toLowerCase());
}

export function placeOf(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf("?");
  return at === -1
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at)) };
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

function refused(status: 401 | 403 | 404): Verdict {
  return { kind: "refused", status };
}
