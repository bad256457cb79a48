/**
 * From an update to the receiver, for both ways of receiving. An update is taken when the receiver has kept what it says,
 * or when it says nothing to us.
 */
import type { Update } from "grammy/types";
import { withDeadline } from "#base/deadline.js";
import { OperationalError } from "#base/errors.js";
import type { Press, Receiver } from "../platform.js";
import { type Arrival, arrivalOf } from "./incoming.js";
import { forLibrary } from "./line.js";
import type { FetchFile } from "./media.js";
import { inWords } from "./outcome.js";
import type { Mender } from "./poll.js";
import { answerButton, REQUEST_TIME_MS_MAX, type SignParts } from "./signs.js";
import type { Me } from "./words.js";

export interface Intake {
  /** Asks Telegram who we are, until it says so or the signal is aborted. */
  identify(mend: Mender, signal: AbortSignal): Promise<void>;
  /** Rejects when the update could not be kept. */
  take(update: Update): Promise<void>;
}

export interface IntakeParts extends SignParts {
  readonly receiver: Receiver;
  readonly fetchFile: FetchFile;
}

export function createIntake(parts: IntakeParts): Intake {
  const { api, clock, log, receiver, fetchFile } = parts;
  let me: Me | undefined;

  /** What cannot be read now never can be: it would hold up everything behind it for as long as Telegram keeps it. */
  function read(update: Update, self: Me): Arrival {
    try {
      return arrivalOf(update, self, fetchFile);
    } catch (error) {
      log.error("an update cannot be read and is left out", { update: update.update_id, why: inWords(error) });
      return { kind: "nothing" };
    }
  }

  async function follow(press: Press, queryId: string): Promise<void> {
    const words = await receiver.press(press).catch((error) => {
      log.error("a button could not be followed", { why: inWords(error) });
      return "That did not work. Please try again.";
    });
    await answerButton(parts, queryId, words);
  }

  return {
    async identify(mend, signal) {
      while (me === undefined && !signal.aborted) {
        try {
          const limit = { clock, timeMs: REQUEST_TIME_MS_MAX, signal };
          me = await withDeadline(limit, (limited) => api.getMe(forLibrary(limited)));
        } catch (error) {
          if (!signal.aborted) await mend.failed(error, signal);
        }
      }
    },
    async take(update) {
      if (me === undefined) throw new OperationalError("telegram.starting", "after-delay", "not connected yet");
      const arrival = read(update, me);
      if (arrival.kind === "message") await receiver.message(arrival.incoming);
      else if (arrival.kind === "press") await follow(arrival.press, arrival.queryId);
    },
  };
}
