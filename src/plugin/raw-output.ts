/**
 * What reaches the plugin host's stdout and stderr past its own capture: children of plugins, raw writes, and the last
 * words of Node itself. Some of it goes to the log, the rest is counted, and a flood is told.
 */
import type { Readable } from "node:stream";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { LINE_CHARS_MAX, LINES_PER_SECOND, RAW_FLOOD_BYTES } from "./limits.js";
import { createFlow } from "./wire/flow.js";

export interface RawOutput {
  /** Node said that its heap is full. */
  isOutOfMemory(): boolean;
}

/** Pieces of a stream, not lines: what is dropped is not even looked at. */
export function keepRawOutput(
  streams: readonly Readable[],
  { clock, log, onFlood }: { readonly clock: Clock; readonly log: Logger; onFlood(): void },
): RawOutput {
  let isOutOfMemory = false;
  const limits = { keptPerSecond: LINES_PER_SECOND, floodCount: Number.POSITIVE_INFINITY, floodSize: RAW_FLOOD_BYTES };
  const flow = createFlow(clock, limits);
  const take = (chunk: Buffer): void => {
    const verdict = flow.take(chunk.length);
    if (verdict === "flood") onFlood();
    if (verdict !== "keep") return;
    const text = chunk.toString("utf8");
    isOutOfMemory ||= OUT_OF_MEMORY.test(text);
    const dropped = flow.takeDropped();
    log.info(text.slice(0, LINE_CHARS_MAX).trimEnd(), dropped === 0 ? {} : { droppedPieces: dropped });
  };
  // A pipe that breaks belongs to a process that ends, which is noticed elsewhere.
  for (const stream of streams) stream.on("data", take).on("error", () => undefined);
  return { isOutOfMemory: () => isOutOfMemory };
}

const OUT_OF_MEMORY = /heap out of memory|Reached heap limit/;
