/**
 * A bot at work against the fake, with a clock that hurries: a minute of waiting is a second. Limits are as long as they
 * are, for a busy machine needs them, except where a test waits for one.
 */
import { type Clock, systemClock } from "../../../src/base/clock.js";
import type { Logger } from "../../../src/base/log.js";
import { type RecordingReceiver, recordingReceiver } from "../../../src/platform/contract/recording.js";
import type { PeerChat } from "../../../src/platform/contract/scene.js";
import { discord } from "../../../src/platform/discord/kind.js";
import type { Outgoing, Platform, SendOutcome } from "../../../src/platform/platform.js";
import { FAKE_TOKEN, type FakeDiscord, startFakeDiscord } from "./fake-discord/server.js";

const HURRY = 50;
const SEND_LIMIT_MS = 30_000;

export const hurriedClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * HURRY,
  after: (delayMs, act) => systemClock.after(delayMs, act),
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / HURRY, signal),
};

/** The same, for a test of what happens when a limit is over. */
export const hastyClock: Clock = {
  ...hurriedClock,
  after: (delayMs, act) => systemClock.after(delayMs / HURRY, act),
};

export interface Bot {
  readonly fake: FakeDiscord;
  readonly platform: Platform;
  readonly receiver: RecordingReceiver;
  readonly logged: readonly string[];
  /** Begins a run; what became of it is in `ended`. */
  run(): Promise<unknown>;
  /** Begins a run and waits until it is up. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Until the signal, or under a limit for what hangs. */
  send(chat: PeerChat, message: string | Partial<Outgoing>, signal?: AbortSignal): Promise<SendOutcome>;
  texts(): readonly string[];
}

export interface BotOptions {
  readonly settings?: Record<string, unknown>;
  readonly clock?: Clock;
  /** What an earlier life has stored. */
  readonly cursors?: Readonly<Record<string, string>>;
}

/** Plays with one bot, and leaves nothing behind. */
export async function withBot(play: (bot: Bot) => Promise<void>, options: BotOptions = {}): Promise<void> {
  const fake = await startFakeDiscord();
  try {
    await withBotAt(fake, play, options);
  } finally {
    await fake.stop();
  }
}

/** Another life of the same bot, at a Discord that is there already. */
export async function withBotAt(
  fake: FakeDiscord,
  play: (bot: Bot) => Promise<void>,
  options: BotOptions = {},
): Promise<void> {
  const receiver = recordingReceiver();
  const logged: string[] = [];
  const settings = discord.settings.parse({ token: FAKE_TOKEN, api_root: fake.apiRoot, ...options.settings });
  const platform = await discord.open(settings, {
    ...{ account: "main", clock: options.clock ?? hurriedClock, log: logTo(logged), receiver },
    cursors: async () => new Map([...Object.entries(options.cursors ?? {}), ...receiver.cursors]),
  });
  let ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const run = (): Promise<unknown> => {
    ending = new AbortController();
    running = platform.run(ending.signal).catch((error: unknown) => error);
    return running;
  };
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  let sends = 0;
  const bot: Bot = {
    ...{ fake, platform, receiver, logged, run, stop },
    async start() {
      const before = receiver.ups;
      let early: unknown = "not over";
      void run().then((how) => {
        early = how;
      });
      while (receiver.ups === before) {
        if (early !== "not over") throw new Error(`the run is over: ${String(early)}`);
        await systemClock.sleep(5);
      }
    },
    send(chat, message, signal = AbortSignal.timeout(SEND_LIMIT_MS)) {
      const id = fake.channelId(chat);
      const place = { chat: { type: chat, id, ...(chat === "thread" ? { threadId: id } : {}) } } as const;
      const said = typeof message === "string" ? { text: message } : message;
      return platform.send({ id: `d${sends++}`, place, text: "", ...said }, signal);
    },
    texts: () => receiver.kept.map((one) => one.text),
  };
  try {
    await play(bot);
  } finally {
    await stop();
  }
}

function logTo(lines: string[]): Logger {
  const at = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  return { debug: at, info: at, warn: at, error: at, child: () => logTo(lines), droppedCount: () => 0 };
}
