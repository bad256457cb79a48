/**
 * Socket mode: one connection after the other, until we are told to end. Bolt's receiver has the wire (envelopes, pings);
 * its app is left out, because that acknowledges an event before anybody has heard it. Its reconnecting is off as
 * well: a failed attempt of it ends in a rejection that nobody handles.
 */
import { type App, type ReceiverEvent, SocketModeReceiver } from "@slack/bolt";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { quietLogger } from "./bolt-log.js";
import { faultOf, SlackFault, type Trace } from "./fault.js";
import { refusalOf } from "./outcome.js";
import { oneAttempt, tracedFetch } from "./web.js";

/** From the first request to Slack's hello. */
const HELLO_LIMIT_MS = 30_000;
/** A connection that shook hands for its end and got no answer is dropped after this. */
const CLOSE_LIMIT_MS = 500;
/** The library pings and drops a line that is silent for as long; half-open ones end within ten seconds. */
const PING_TIMEOUT_MS = 5_000;
const SERVER_PING_TIMEOUT_MS = 30_000;

export interface SocketParts {
  readonly appToken: string;
  readonly root: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Acknowledged when it resolves; what it answers is done afterwards. */
  take(body: unknown): Promise<(() => Promise<void>) | undefined>;
}

/** One connection: said hello, and not yet gone. */
export interface SocketLine {
  /** Resolves with the reason when the line is gone. */
  readonly gone: Promise<LineEnd>;
  close(): Promise<void>;
}

/** `refresh`: Slack moves us to another server, as it does every few hours. */
export interface LineEnd {
  readonly kind: "refresh" | "lost";
  readonly why: string;
}

/** Rejects with a PlatformRefusal or a SlackFault. */
export async function openSocket(parts: SocketParts, signal: AbortSignal): Promise<SocketLine> {
  const { clock } = parts;
  const trace: Trace = { isStarted: false };
  const receiver = receiverFor(parts, tracedFetch(signal, trace));
  const { client } = receiver;
  let end: LineEnd = { kind: "lost", why: "the connection was lost" };
  watchFrames(client, parts.log, (reason) => {
    const isRefresh = reason === "warning" || reason === "refresh_requested";
    end = { kind: isRefresh ? "refresh" : "lost", why: `Slack ends the connection: ${reason}` };
  });
  const gone = new Promise<LineEnd>((resolve) => client.on("disconnected", () => resolve(end)));
  const close = async (): Promise<void> => {
    const closed = client.disconnect();
    const limit = new AbortController();
    // Asked a second time it does not wait for the other side any more.
    const force = clock.sleep(CLOSE_LIMIT_MS, limit.signal).then(
      () => client.disconnect(),
      () => undefined,
    );
    await Promise.race([closed, force]);
    limit.abort();
  };
  const failed = await shakeHands({ receiver, gone, clock, signal }).catch((error: unknown) => ({ error }));
  if (failed === undefined) return { gone, close };
  await close();
  throw asFault(failed.error, trace);
}

function receiverFor(parts: SocketParts, fetchOnce: typeof fetch): SocketModeReceiver {
  const receiver = new SocketModeReceiver({
    appToken: parts.appToken,
    logger: quietLogger(parts.log),
    autoReconnectEnabled: false,
    clientPingTimeout: PING_TIMEOUT_MS,
    serverPingTimeout: SERVER_PING_TIMEOUT_MS,
    installerOptions: { clientOptions: oneAttempt(parts.root, fetchOnce) },
    // Not kept means not acknowledged: Slack gives it again.
    processEventErrorHandler: async () => false,
  });
  const app = { processEvent: (event: ReceiverEvent) => processEvent(event, parts) };
  receiver.init(app as unknown as App);
  return receiver;
}

/** [CT-1] First kept, then acknowledged. */
async function processEvent({ body, ack }: ReceiverEvent, { take, log }: SocketParts): Promise<void> {
  let afterwards: (() => Promise<void>) | undefined;
  try {
    afterwards = await take(body);
  } catch (error) {
    log.warn("slack: an event was not kept and is left with Slack", { why: wordsOf(error) });
    throw error;
  }
  await ack();
  await afterwards?.();
}

interface HandShake {
  readonly receiver: SocketModeReceiver;
  readonly gone: Promise<LineEnd>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function shakeHands({ receiver, gone, clock, signal }: HandShake): Promise<undefined> {
  const limit = new AbortController();
  const lost = async (): Promise<never> => {
    const { why } = await gone;
    throw new SlackFault("socket", { kind: "lost", why });
  };
  const late = async (): Promise<never> => {
    await clock.sleep(HELLO_LIMIT_MS, AbortSignal.any([signal, limit.signal]));
    throw new SlackFault("socket", { kind: "lost", why: "Slack did not say hello" });
  };
  const attempts = [receiver.start(), lost(), late()];
  // The ones that lose the race may still fail, later and unheard.
  for (const attempt of attempts) attempt.catch(() => undefined);
  try {
    await Promise.race(attempts);
  } finally {
    limit.abort();
  }
  return undefined;
}

type Client = SocketModeReceiver["client"];

/**
 * The library's own listener throws on a frame it does not expect, in a promise that nobody holds, which would end the
 * process: here such a frame is left. Also tells why Slack ends a connection, which the library keeps to itself.
 */
function watchFrames(client: Client, log: Logger, onEnding: (reason: string) => void): void {
  const inner = client as unknown as { onWebSocketMessage(frame: unknown, isBinary: boolean): Promise<void> };
  client.removeAllListeners("ws_message");
  client.on("ws_message", (frame: unknown, isBinary: boolean) => {
    const reason = endingOf(frame);
    if (reason !== undefined) onEnding(reason);
    inner.onWebSocketMessage(frame, isBinary).catch((error: unknown) => {
      log.warn("slack: a frame that cannot be read is left", { why: wordsOf(error) });
    });
  });
}

const ENDING_CHARS_MAX = 2_000;

function endingOf(frame: unknown): string | undefined {
  if (typeof frame !== "string" || frame.length > ENDING_CHARS_MAX || !frame.includes('"disconnect"')) return undefined;
  try {
    const { type, reason } = JSON.parse(frame) as { type?: unknown; reason?: unknown };
    return type === "disconnect" ? String(reason) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function asFault(error: unknown, trace: Trace): Error {
  const fault = faultOf(error, trace);
  return refusalOf(fault, "app_token") ?? new SlackFault("apps.connections.open", fault);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
