/** One Telegram adapter at work against the fake, with a short patience and its log at hand. */
import { type Clock, systemClock } from "../../../src/base/clock.js";
import type { LogFields, Logger } from "../../../src/base/log.js";
import { type RecordingReceiver, recordingReceiver } from "../../../src/platform/contract/recording.js";
import type { PeerChat } from "../../../src/platform/contract/scene.js";
import type { Outgoing, Platform, SendOutcome } from "../../../src/platform/platform.js";
import { telegram } from "../../../src/platform/telegram/kind.js";
import { type FakeTelegram, startFakeTelegram } from "./fake-telegram.js";
import { placeOf } from "./scene.js";

export interface Bench {
  readonly fake: FakeTelegram;
  readonly platform: Platform;
  readonly receiver: RecordingReceiver;
  readonly logged: readonly string[];
  /** Starts to receive; the promise is the run's own. */
  run(): Promise<void>;
  /** Ends the run alone. */
  end(): Promise<void>;
  stop(): Promise<void>;
  /** Until the signal, or under a limit for what hangs. */
  send(chat: PeerChat, message: string | Partial<Outgoing>, signal?: AbortSignal): Promise<SendOutcome>;
}

export interface BenchSettings {
  readonly settings?: object;
  readonly clock?: Clock;
  readonly fake?: FakeTelegram;
}

const SEND_LIMIT_MS = 30_000;

export async function openBench(wish: BenchSettings = {}): Promise<Bench> {
  const fake = wish.fake ?? (await startFakeTelegram());
  const receiver = recordingReceiver();
  const logged: string[] = [];
  const settings = telegram.settings.parse({
    token: fake.token,
    api_root: fake.apiRoot,
    poll_seconds: 1,
    ...wish.settings,
  });
  const platform = await telegram.open(settings, {
    account: "main",
    clock: wish.clock ?? impatient(),
    log: logTo(logged),
    receiver,
    cursors: async () => new Map(),
  });
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let sends = 0;
  const end = async (): Promise<void> => {
    ending.abort();
    await running.catch(() => undefined);
  };
  return {
    fake,
    platform,
    receiver,
    logged,
    run() {
      running = platform.run(ending.signal);
      running.catch(() => undefined);
      return running;
    },
    end,
    async stop() {
      await end();
      if (wish.fake === undefined) await fake.stop();
    },
    send(chat, message, signal = AbortSignal.timeout(SEND_LIMIT_MS)) {
      const said = typeof message === "string" ? { text: message } : message;
      const outgoing = { id: `d${sends++}`, place: placeOf(chat), text: "", ...said };
      return platform.send(outgoing, signal);
    },
  };
}

/** Time limits are a part of what they are, pauses are short. */
export function impatient(share = 1): Clock {
  return {
    ...systemClock,
    after: (delayMs, act) => systemClock.after(delayMs * share, act),
    sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 20), signal),
  };
}

function logTo(lines: string[]): Logger {
  const write = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const log: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => log,
    droppedCount: () => 0,
  };
  return log;
}
