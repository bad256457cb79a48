/** One Slack account at work against the fake, its log kept, and its orderly end. */
import { type Clock, systemClock } from "../../../src/base/clock.js";
import type { Logger } from "../../../src/base/log.js";
import {
  eventually,
  type RecordingReceiver,
  recordingReceiver,
} from "../../../src/platform/contract/platform.contract.js";
import type { Platform } from "../../../src/platform/platform.js";
import { slack } from "../../../src/platform/slack/kind.js";
import { type FakeSlack, startFakeSlack } from "./fake-slack/fake-slack.js";

export { eventually };

export interface SlackStage {
  readonly fake: FakeSlack;
  readonly platform: Platform;
  readonly receiver: RecordingReceiver;
  readonly log: readonly string[];
  /** Resolves when messages come in. */
  start(): Promise<void>;
  end(): Promise<void>;
}

export interface StageOptions {
  readonly settings?: object;
  readonly mode?: "socket" | "http";
  readonly cursors?: ReadonlyMap<string, string>;
  readonly isStarted?: boolean;
  readonly clock?: Clock;
  /** Before anything is opened. */
  prepare?(fake: FakeSlack): void;
}

export async function onSlack(options: StageOptions, play: (stage: SlackStage) => Promise<void>): Promise<void> {
  const fake = await startFakeSlack();
  options.prepare?.(fake);
  const receiver = recordingReceiver();
  const { log, lines } = recordingLog();
  const base = options.mode === "http" ? fake.httpSettings : fake.settings;
  const platform = await slack.open(slack.settings.parse({ ...base, ...options.settings }), {
    account: "main",
    clock: options.clock ?? systemClock,
    log,
    receiver,
    cursors: async () => new Map([...(options.cursors ?? []), ...receiver.cursors]),
  });
  let ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const stage: SlackStage = {
    fake,
    platform,
    receiver,
    log: lines,
    async start() {
      ending = new AbortController();
      const before = receiver.ups;
      let failure: unknown;
      running = platform.run(ending.signal).catch((error: unknown) => {
        failure = error;
      });
      await eventually("it is up", () => {
        if (failure !== undefined) throw failure;
        return receiver.ups > before;
      });
    },
    async end() {
      ending.abort();
      await running;
    },
  };
  try {
    if (options.isStarted !== false) await stage.start();
    await play(stage);
  } finally {
    await stage.end();
    await fake.stop();
  }
}

function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  };
  const log: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => log,
    droppedCount: () => 0,
  };
  return { log, lines };
}
