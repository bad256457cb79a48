/**
 * Requests of platforms that call us, each led to its account. Who comes before an account is open, or after the
 * platforms have left, is told to come back: nobody is told that something is kept which is not [CT-1].
 */
import type { Clock } from "#base/clock.js";
import type { HttpAnswer, HttpRequest } from "#platform/platform.js";
import type { AccountLine } from "./account-line.js";

/** For whoever comes at a time when nothing can be kept. */
export const COME_BACK: HttpAnswer = { status: 503, headers: { "retry-after": "5" }, body: "not ready: come back\n" };

export interface HttpDoor {
  answer(platform: string, request: HttpRequest): Promise<HttpAnswer>;
  /** Takes nothing more. Resolves when what is under way is answered, or after `limitMs`. */
  leave(limitMs: number): Promise<void>;
}

export function createHttpDoor(lines: readonly AccountLine[], clock: Clock): HttpDoor {
  const underWay = new Set<Promise<HttpAnswer>>();
  let hasLeft = false;
  return {
    async answer(platform, request) {
      if (hasLeft) return COME_BACK;
      const answering = ledTo(lines, platform, request);
      underWay.add(answering);
      return answering.finally(() => underWay.delete(answering));
    },
    async leave(limitMs) {
      hasLeft = true;
      if (underWay.size > 0) await Promise.race([Promise.allSettled(underWay), clock.sleep(limitMs)]);
    },
  };
}

/** `/platforms/<platform>/…`, or with several accounts `/platforms/<platform>/<account>/…`. */
async function ledTo(lines: readonly AccountLine[], platform: string, request: HttpRequest): Promise<HttpAnswer> {
  const candidates = lines.filter(({ account }) => account.kind.name === platform);
  const named = candidates.find(({ account }) => candidates.length > 1 && isUnder(request.path, account.name));
  const line = named ?? (candidates.length === 1 ? candidates[0] : undefined);
  const door = line?.door();
  if (line === undefined || (door !== undefined && door.http === undefined)) {
    return { status: 404, body: "nobody listens here\n" };
  }
  if (door?.http === undefined) return COME_BACK;
  const path = named === undefined ? request.path : request.path.slice(named.account.name.length + 1) || "/";
  return door.http({ ...request, path });
}

function isUnder(path: string, account: string): boolean {
  return path === `/${account}` || path.startsWith(`/${account}/`);
}
