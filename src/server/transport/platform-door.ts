/**
 * Requests of platforms that call us, under `/platforms/NAME/`. There is no token: who calls is proven by the
 * platform's own signature, which its adapter checks over the raw bytes. So the body is read here, within limits of
 * size, time and number, and nothing about it is believed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "#base/clock.js";

export const PLATFORMS_PREFIX = "/platforms/";
export const PLATFORM_BODY_BYTES_MAX = 1_000_000;
/** A message is stored before it is answered for; a disk that takes longer is given up on, and the platform asks again. */
export const PLATFORM_ANSWER_MS = 15_000;
export const PLATFORM_REQUESTS_MAX = 100;

export interface PlatformRequest {
  readonly method: string;
  /** Behind the platform's own prefix, with a slash in front; the query stays. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ServePlatform = (platform: string, request: PlatformRequest) => Promise<PlatformAnswer>;

export interface PlatformDoor {
  /** False: it is no platform's request. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
}

export function createPlatformDoor(serve: ServePlatform | undefined, clock: Clock): PlatformDoor {
  let underWay = 0;
  return {
    answer(request, response) {
      const place = placeIn(request.url ?? "");
      if (place === undefined || serve === undefined) return false;
      if (underWay >= PLATFORM_REQUESTS_MAX) {
        reply(request, response, { status: 503, headers: { "Retry-After": "5" } });
        return true;
      }
      underWay++;
      void answered(request, place, { serve, clock })
        .then((answer) => reply(request, response, answer))
        .finally(() => {
          underWay--;
        });
      return true;
    },
  };
}

interface Place {
  readonly platform: string;
  readonly path: string;
}

function placeIn(url: string): Place | undefined {
  if (!url.startsWith(PLATFORMS_PREFIX)) return undefined;
  const [, platform, path = ""] = /^\/platforms\/([a-z][\w-]{0,63})((?:[/?].*)?)$/s.exec(url) ?? [];
  if (platform === undefined) return undefined;
  return { platform, path: path.startsWith("/") ? path : `/${path}` };
}

interface Serving {
  readonly serve: ServePlatform;
  readonly clock: Clock;
}

/** Never rejects: whatever an adapter throws, the platform gets a status and tries again. */
async function answered(request: IncomingMessage, place: Place, { serve, clock }: Serving): Promise<PlatformAnswer> {
  let forget: () => void = () => undefined;
  const late = new Promise<PlatformAnswer>((resolve) => {
    forget = clock.after(PLATFORM_ANSWER_MS, () => resolve({ status: 504 }));
  });
  try {
    const body = await bodyOf(request);
    if (body === undefined) return { status: 413 };
    const { method = "", headers } = request;
    return await Promise.race([
      serve(place.platform, { method, path: place.path, headers: single(headers), body }),
      late,
    ]);
  } catch {
    // The adapter's own failure is in the log; who calls learns that it did not work.
    return { status: 500 };
  } finally {
    forget();
  }
}

/** Undefined when there is more than allowed; the rest is not read. By hand: an iterator that is left would hang up. */
function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > PLATFORM_BODY_BYTES_MAX) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes <= PLATFORM_BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      request.off("data", take);
      request.pause();
      resolve(undefined);
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the caller hung up")));
  });
}

function single(headers: IncomingMessage["headers"]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function reply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body = "" }: PlatformAnswer,
): void {
  response.writeHead(status, {
    ...headers,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  // Gone already when the caller has hung up.
  const socket: Socket | null = request.socket;
  response.end(body, () => socket?.destroySoon());
}
