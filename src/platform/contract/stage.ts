/** One platform at work against its peer, with everything a promise of the contract needs, and its orderly end. */
import { systemClock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { type Outgoing, type Platform, PlatformRefusal, type SendOutcome } from "../platform.js";
import { eventually, type RecordingReceiver, recordingReceiver } from "./recording.js";
import type { PeerChat, PlatformScene, Shown } from "./scene.js";

export type OpenScene = () => Promise<PlatformScene>;

/** Beyond this a send of the suite is given up by its signal: for what hangs, not for what is slow. */
export const SEND_LIMIT_MS = 20_000;
/** A run that failed is started again after this, as the gateway would. */
const RERUN_MS = 50;

export interface Stage {
  readonly scene: PlatformScene;
  readonly platform: Platform;
  readonly receiver: RecordingReceiver;
  /** How often a run was rejected, and started again. */
  readonly failedRuns: () => number;
  /** Runs until `end`; resolves when messages come in. */
  start(): Promise<void>;
  /** Resolves when the run is over. */
  end(): Promise<void>;
  /** Sends a text (or more) to a chat, until the signal, or under a time limit. */
  send(chat: PeerChat, message: string | Partial<Outgoing>, signal?: AbortSignal): Promise<SendOutcome>;
  /** The same, again and again until it is sent; for a platform that comes back to its senses. */
  sendUntilSent(chat: PeerChat, text: string): Promise<string>;
  /** Everything in a chat whose text has these words. */
  shown(chat: PeerChat, words: string): Promise<readonly Shown[]>;
}

/** Opens a scene, plays on it and leaves nothing behind, whatever happens. */
export async function onStage(open: OpenScene, play: (stage: Stage) => Promise<void>, isStarted = true): Promise<void> {
  const scene = await open();
  try {
    const stage = await openStage(scene);
    try {
      if (isStarted) await stage.start();
      await play(stage);
    } finally {
      await stage.end();
    }
  } finally {
    await scene.peer.stop();
    await scene.close?.();
  }
}

async function openStage(scene: PlatformScene): Promise<Stage> {
  const receiver = recordingReceiver();
  const platform = await scene.kind.open(scene.settings, {
    account: "main",
    clock: systemClock,
    log: SILENT,
    receiver,
    cursors: async () => new Map(receiver.cursors),
  });
  const run = keepRunning(platform);
  let sends = 0;
  const send: Stage["send"] = (chat, message, signal = AbortSignal.timeout(SEND_LIMIT_MS)) => {
    const said = typeof message === "string" ? { text: message } : message;
    const outgoing = { id: `delivery${sends++}`, place: scene.place(chat), text: "", ...said };
    return platform.send(outgoing, signal);
  };
  return {
    scene,
    platform,
    receiver,
    failedRuns: run.failures,
    async start() {
      const before = receiver.ups;
      run.start();
      await eventually("it is up", () => run.check() && receiver.ups > before);
      await scene.peer.ready?.();
    },
    end: run.end,
    send,
    async sendUntilSent(chat, text) {
      const id = `delivery${sends++}`;
      return eventually(`"${text}" is sent`, async () => {
        const outcome = await send(chat, { id, text });
        return outcome.kind === "sent" ? outcome.receipt : undefined;
      });
    },
    async shown(chat, words) {
      return (await scene.peer.shown(chat)).filter((one) => one.text.includes(words));
    },
  };
}

/** Starts a rejected run again, unless the platform turned us away for good. */
function keepRunning(platform: Platform) {
  let ending = new AbortController();
  let running: Promise<void> | undefined;
  let refusal: unknown;
  let failures = 0;
  const loop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await platform.run(signal);
        return;
      } catch (error) {
        failures++;
        if (error instanceof PlatformRefusal) {
          refusal = error;
          return;
        }
        await systemClock.sleep(RERUN_MS);
      }
    }
  };
  return {
    failures: () => failures,
    /** True while nothing speaks against it. */
    check(): boolean {
      if (refusal !== undefined) throw refusal;
      return true;
    },
    start(): void {
      ending = new AbortController();
      running = loop(ending.signal);
    },
    async end(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

const nothing = (): void => undefined;
const SILENT: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => SILENT,
  droppedCount: () => 0,
};
