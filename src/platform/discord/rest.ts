/**
 * Requests to Discord, one attempt each. The library would try again after a 5xx or a cut line, and would sleep on a rate
 * limit; all of that is off, so that what became of a request is told to whoever has to know.
 */
import type { RawFile, REST, RouteLike } from "@discordjs/rest";
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { type RestFailure, RestTrouble } from "./rest-failure.js";

/** Until the head of an answer is there; the caller's own signal is usually shorter. */
const HEAD_LIMIT_MS = 30_000;
/** Until the whole answer is there, for requests that nobody else limits. */
const CALL_LIMIT_MS = 60_000;

export interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly route: string;
  readonly body?: unknown;
  readonly files?: RawFile[];
  readonly query?: Readonly<Record<string, string>>;
  /** The address itself is the permission. */
  readonly isAnonymous?: boolean;
}

/** Rejects with a RestTrouble and nothing else. */
export type Call = (request: RestRequest, signal: AbortSignal) => Promise<unknown>;

export interface RestLine {
  readonly call: Call;
  /** For the gateway, which asks for its own address. */
  readonly rest: REST;
}

export async function openRest(where: { token: string; api_root: string; clock: Clock }): Promise<RestLine> {
  const library = await import("@discordjs/rest");
  const rest = new library.REST({
    api: where.api_root,
    version: "10",
    retries: 0,
    rejectOnRateLimit: () => true,
    timeout: HEAD_LIMIT_MS,
  }).setToken(where.token);

  const request = async (asked: RestRequest, signal: AbortSignal): Promise<unknown> => {
    // A single 401 makes the library forget the token, and every later request fail without being sent.
    rest.setToken(where.token);
    return rest.request({
      method: asked.method as never,
      fullRoute: asked.route as RouteLike,
      auth: asked.isAnonymous !== true,
      signal,
      ...(asked.body === undefined ? {} : { body: asked.body }),
      ...(asked.files === undefined ? {} : { files: asked.files }),
      ...(asked.query === undefined ? {} : { query: new URLSearchParams(asked.query) }),
    });
  };

  const call: Call = async (asked, signal) => {
    if (signal.aborted) throw new RestTrouble({ kind: "unsent", why: "its time was up before it began" });
    try {
      return await withDeadline({ clock: where.clock, timeMs: CALL_LIMIT_MS, signal }, (limit) =>
        request(asked, limit),
      );
    } catch (error) {
      throw new RestTrouble(failureOf(error, library));
    }
  };
  return { call, rest };
}

type Library = typeof import("@discordjs/rest");

function failureOf(error: unknown, library: Library): RestFailure {
  if (error instanceof library.RateLimitError) {
    // Without a header of its own the time to the bucket's reset is the best there is.
    const afterMs = Math.max(error.retryAfter, error.timeToReset, error.sublimitTimeout);
    return { kind: "rate-limited", afterMs, isGlobal: error.global };
  }
  if (error instanceof library.DiscordAPIError) {
    const code = typeof error.code === "number" ? error.code : undefined;
    return { kind: "refused", status: error.status, ...(code === undefined ? {} : { code }), why: error.message };
  }
  if (error instanceof library.HTTPError) return { kind: "server-error", status: error.status };
  if (!(error instanceof Error)) return { kind: "cut", why: String(error) };
  return isUnsent(error) ? { kind: "unsent", why: describe(error) } : { kind: "cut", why: describe(error) };
}

/** No connection came about, or the request was still waiting for its turn. */
function isUnsent(error: Error & { syscall?: unknown; code?: unknown; errors?: unknown }): boolean {
  if (Array.isArray(error.errors)) return error.errors.every((one) => one instanceof Error && isUnsent(one));
  if (error.syscall === "connect" || error.syscall === "getaddrinfo") return true;
  return error.code === "UND_ERR_CONNECT_TIMEOUT" || error.message === "Request aborted manually";
}

/** Of an error that stands for several, the first says what happened; its own message may be empty. */
function describe(error: Error & { errors?: unknown }): string {
  const first: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined;
  return error.message || (first instanceof Error ? first.message : "") || error.name;
}
