/**
 * A kind of platform whose words are clean: whatever a library puts into an error (an address with a token in it, a header)
 * is taken out before anybody logs, stores or shows it. Redaction knows the values of this account by then.
 */
import { redact } from "#base/redact.js";
import {
  type Platform,
  type PlatformKind,
  PlatformRefusal,
  type Receiver,
  type SendOutcome,
} from "#platform/platform.js";

export function maskedKind(kind: PlatformKind): PlatformKind {
  return {
    ...kind,
    open: (settings, parts) =>
      clean(async () =>
        maskedPlatform(await kind.open(settings, { ...parts, receiver: maskedReceiver(parts.receiver) })),
      ),
  };
}

function maskedReceiver(receiver: Receiver): Receiver {
  return {
    message: (incoming) => receiver.message(incoming),
    press: (press) => receiver.press(press),
    up: () => receiver.up(),
    down: (why) => receiver.down(redact(why)),
  };
}

/** Everything it can do, and no more: what a platform lacks decides what the gateway offers there. */
function maskedPlatform(platform: Platform): Platform {
  const { edit, findSent, typing, react, setMenu, http } = platform;
  return {
    run: (signal) => clean(() => platform.run(signal)),
    send: async (outgoing, signal) => cleanOutcome(await platform.send(outgoing, signal)),
    ...(edit && {
      edit: async (place, receipt, outgoing, signal) =>
        cleanOutcome(await edit.call(platform, place, receipt, outgoing, signal)),
    }),
    ...(findSent && { findSent: (...args) => clean(() => findSent.apply(platform, args)) }),
    ...(typing && { typing: (...args) => clean(() => typing.apply(platform, args)) }),
    ...(react && { react: (...args) => clean(() => react.apply(platform, args)) }),
    ...(setMenu && { setMenu: (...args) => clean(() => setMenu.apply(platform, args)) }),
    ...(http && { http: (request) => clean(() => http.call(platform, request)) }),
  };
}

function cleanOutcome(outcome: SendOutcome): SendOutcome {
  return "why" in outcome ? { ...outcome, why: redact(outcome.why) } : outcome;
}

async function clean<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw cleanError(error);
  }
}

/** The causes stay behind: they hold whole requests. */
function cleanError(error: unknown): Error {
  if (error instanceof PlatformRefusal) {
    return new PlatformRefusal(redact(error.message), error.hint === undefined ? undefined : redact(error.hint));
  }
  const known = error instanceof Error ? error : new Error(String(error));
  const copy = new Error(redact(known.message));
  copy.name = known.name;
  if (known.stack !== undefined) copy.stack = redact(known.stack);
  return copy;
}
