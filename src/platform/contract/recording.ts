/** A receiver that writes down what it is told, and fails or waits when asked to: the gateway, for tests of adapters. */
import { systemClock } from "#base/clock.js";
import type { Incoming, Press, Receiver } from "../platform.js";

/** How long a test waits for something that comes in its own time. */
export const PATIENCE_MS = 40_000;
const LOOK_EVERY_MS = 10;

export interface RecordingReceiver extends Receiver {
  /** Every message handed over, also those that were not kept. */
  readonly heard: readonly Incoming[];
  /** Those that `message` resolved for. */
  readonly kept: readonly Incoming[];
  readonly presses: readonly Press[];
  readonly ups: number;
  readonly downs: readonly string[];
  /** The cursors of kept messages, as the store would give them back. */
  readonly cursors: ReadonlyMap<string, string>;
  /** From now on messages wait; the returned function lets them, and all later ones, through. */
  hold(): () => void;
  /** The next `times` messages cannot be kept. */
  rejectNext(times: number): void;
  /** What whoever presses a button is shown. */
  answerPresses(words: string): void;
  /** The first message with this text, once it is there. */
  hears(text: string): Promise<Incoming>;
}

export function recordingReceiver(): RecordingReceiver {
  const heard: Incoming[] = [];
  const kept: Incoming[] = [];
  const presses: Press[] = [];
  const downs: string[] = [];
  const cursors = new Map<string, string>();
  let ups = 0;
  let held: Promise<void> | undefined;
  let rejections = 0;
  let answer = "noted";
  return {
    heard,
    kept,
    presses,
    downs,
    cursors,
    get ups() {
      return ups;
    },
    async message(incoming) {
      heard.push(incoming);
      if (rejections > 0) {
        rejections--;
        throw new Error("the disk is full");
      }
      await held;
      kept.push(incoming);
      if (incoming.cursor !== undefined) cursors.set(incoming.cursor.name, incoming.cursor.value);
    },
    async press(press) {
      presses.push(press);
      return answer;
    },
    up: () => void ups++,
    down: (why) => void downs.push(why),
    hold() {
      let release = (): void => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    rejectNext(times) {
      rejections = times;
    },
    answerPresses(words) {
      answer = words;
    },
    hears: (text) =>
      eventually(
        `"${text.slice(0, 40)}" is heard (so far: ${JSON.stringify(heard.map((one) => one.text.slice(0, 40)))})`,
        () => heard.find((one) => one.text === text),
      ),
  };
}

/** A limit that no clock sets: aborted when the other side has come so far, however long a busy machine takes for it. */
export function abortedOnce(what: string, look: () => boolean | Promise<boolean>): AbortSignal {
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  void eventually(what, look).then(abort, abort);
  return limit.signal;
}

/** Looks again and again until `look` answers something other than undefined or false; throws what was awaited otherwise. */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const endMs = systemClock.monotonicMs() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false && found !== null) return found as NonNullable<T>;
    if (systemClock.monotonicMs() > endMs) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}
