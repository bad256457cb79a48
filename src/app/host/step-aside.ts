/**
 * Work that needs a home for itself (an import, a restore, a new search index) asks a running host to step aside. A host
 * that has nothing to do stops and keeps what is open; whoever needs one afterwards starts it again. One that works is
 * not disturbed: the person decides.
 */
import { UserError } from "#base/errors.js";
import { type FindWish, findHost, silentText, waitUntilFree } from "./find-host.js";

/** A stop without a drain takes a moment; the rest is for slow machines. */
const ASIDE_MS = 8_000;
const LOCKED = 4;

/** True when a host was there and has gone; false when there was none. A UserError says why it stays. */
export async function askAside(wish: FindWish): Promise<boolean> {
  const found = await findHost(wish);
  if (found.kind === "none") return false;
  // What is no host is waited for by whoever takes the lock.
  if (found.kind === "other") return false;
  if (found.kind === "silent") {
    const { text, hint } = silentText(found, wish.home);
    throw new UserError(`${text}; nothing was changed`, hint, LOCKED);
  }
  const { line } = found.greeted;
  const {
    stopping,
    working = 0,
    processes = 0,
    gateway = false,
  } = await line
    .call("host.stop", { reason: "maintenance", if_idle: true, keep_openings: true, drain_ms: 0 })
    .finally(() => line.close());
  if (!stopping) throw gateway ? hasGateway() : busy({ working, processes });
  return waitUntilFree(wish, ASIDE_MS);
}

/** Whoever runs a gateway wants it up: it does not go away for somebody else's command. */
function hasGateway(): UserError {
  return new UserError(
    "this needs the home for itself, and the gateway runs in it; nothing was changed",
    "stop it for that time: talaria gateway stop (messages wait with their platforms)",
    LOCKED,
  );
}

function busy({ working, processes }: { readonly working: number; readonly processes: number }): UserError {
  const what = [
    ...(working > 0 ? [working === 1 ? "a turn is running" : `${working} turns are running`] : []),
    ...(processes > 0
      ? [processes === 1 ? "a background command is running" : `${processes} background commands are running`]
      : []),
  ];
  return new UserError(
    `this needs the home for itself, and ${what.join(" and ")}; nothing was changed`,
    "wait until it is done, or stop the host: talaria host stop (what is cut goes on later)",
    LOCKED,
  );
}
