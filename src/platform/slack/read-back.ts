/** Reads back everything that may have been missed, while a line is open; the present does not wait for it. */
import type { PlatformParts } from "../platform.js";
import { Backfill, planBackfill } from "./backfill.js";
import type { SlackMessage } from "./event.js";
import type { Intake, Self } from "./intake.js";
import type { SlackWeb } from "./web.js";

/** Channels whose past could not be read are tried again, at growing distances, so many times. */
const ROUNDS_MAX = 20;
const AGAIN_MS = 15_000;
const AGAIN_MAX_MS = 600_000;

export interface ReadBackParts {
  readonly web: SlackWeb;
  readonly parts: PlatformParts;
  readonly intake: Intake;
  readonly self: Self;
  readonly signal: AbortSignal;
}

/** Never rejects. */
export async function readBack(given: ReadBackParts): Promise<void> {
  const { parts, signal } = given;
  try {
    await readRounds(given);
  } catch (error) {
    if (!signal.aborted)
      parts.log.warn("slack: what was said meanwhile could not be read back", { why: String(error) });
  }
}

async function readRounds({ web, parts, intake, self, signal }: ReadBackParts): Promise<void> {
  const { clock, log } = parts;
  const { behind } = intake;
  let plans = planBackfill(await parts.cursors());
  behind.clear();
  for (const { channel } of plans) behind.add(channel);
  const hear = (message: SlackMessage) => intake.takeEntry(message, self, signal);
  const backfill = new Backfill({ web, clock, log, signal, hear });
  for (let round = 0; plans.length > 0 && round < ROUNDS_MAX; round++) {
    // What could not be had, or kept, may be later: a full disk is made room on, an outage ends.
    if (round > 0) await clock.sleep(Math.min(AGAIN_MS * 2 ** round, AGAIN_MAX_MS), signal);
    for (const plan of plans) if (await backfill.read(plan)) behind.delete(plan.channel);
    if (signal.aborted) return;
    plans = plans.filter(({ channel }) => behind.has(channel));
  }
}
