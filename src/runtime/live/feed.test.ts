import { describe, expect, it } from "vitest";
import type { ToolCallId } from "#base/ids.js";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { Feed, FLUSH_MS, KEPT_EVENTS_MAX, KEPT_WEIGHT_MAX } from "./feed.js";
import type { FeedEvent, NumberedEvent } from "./feed-event.js";
import { RESULT_CHARS_MAX } from "./weight.js";

function open(): { feed: Feed; clock: ManualClock; seen: NumberedEvent[] } {
  const clock = new ManualClock();
  let count = 0;
  const feed = new Feed(clock, () => ++count);
  const seen: NumberedEvent[] = [];
  feed.watch({ event: (event) => void seen.push(event) });
  return { feed, clock, seen };
}

const text = (delta: string): FeedEvent => ({ type: "text", delta });
const notice = (words: string): FeedEvent => ({ type: "notice", text: words });
const textOf = (events: readonly NumberedEvent[]): string =>
  events.map(({ event }) => (event.type === "text" ? event.delta : "")).join("");

describe("a feed", () => {
  it("hands the first piece of text on at once and draws together what follows", () => {
    const { feed, clock, seen } = open();
    feed.publish(text("a"));
    expect(textOf(seen)).toBe("a");
    feed.publish(text("b"));
    feed.publish(text("c"));
    expect(seen).toHaveLength(1);
    clock.advance(FLUSH_MS);
    expect(seen.map(({ event }) => event)).toEqual([text("a"), text("bc")]);
    clock.advance(FLUSH_MS);
    feed.publish(text("d"));
    expect(seen.at(-1)?.event).toEqual(text("d"));
  });

  it("keeps the order of what streams and what does not", () => {
    const { feed, seen } = open();
    for (const event of [
      text("a"),
      text("b"),
      notice("between"),
      text("c"),
      { type: "reasoning", delta: "hm" } as const,
    ])
      feed.publish(event);
    feed.last();
    expect(seen.map(({ event }) => event.type)).toEqual(["text", "text", "notice", "text", "reasoning"]);
    expect(textOf(seen)).toBe("abc");
  });

  it("tells what came after a number, and says when that is too long ago", () => {
    const { feed, seen } = open();
    for (let n = 0; n < 10; n++) feed.publish(notice(String(n)));
    const fifth = seen[4]?.seq ?? 0;
    expect(feed.since(fifth)).toEqual(seen.slice(5));
    expect(feed.since(feed.last())).toEqual([]);
    expect(feed.since(feed.last() + 1)).toBeUndefined();
    feed.stored(undefined);
    for (let n = 0; n < KEPT_EVENTS_MAX; n++) feed.publish(notice(String(n)));
    feed.stored(undefined);
    for (let n = 0; n < KEPT_EVENTS_MAX; n++) feed.publish(notice(String(n)));
    expect(feed.since(fifth)).toBeUndefined();
  });

  it("keeps everything after the mark, drawn together, however much it streams", () => {
    const { feed, clock } = open();
    feed.publish(notice("before"));
    feed.stored(7);
    let said = "";
    for (let n = 0; n < 3 * KEPT_EVENTS_MAX; n++) {
      said += `${n} `;
      feed.publish(text(`${n} `));
      clock.advance(FLUSH_MS);
    }
    const { seq, messageSeq } = feed.mark();
    expect(messageSeq).toBe(7);
    const after = feed.since(seq);
    // Drawn together: whoever stands at the mark gets all of it, in fewer pieces.
    expect(textOf(after ?? []) === said).toBe(true);
    expect(after?.length).toBeLessThanOrEqual(KEPT_EVENTS_MAX + 1);
  });

  it("stays bounded when results are large", () => {
    const { feed } = open();
    const result = "x".repeat(RESULT_CHARS_MAX * 5);
    for (let n = 0; n < 1_000; n++) {
      const call = `c${n}` as ToolCallId;
      feed.publish({ type: "call-finished", call, name: "big", summary: "big", outcome: "ok", text: result });
      feed.stored(n);
    }
    const kept = feed.since(feed.mark().seq - 1) ?? [];
    const weight = (feed.since(0) ?? kept).reduce(
      (sum, { event }) => sum + (event.type === "call-finished" ? event.text.length : 0),
      0,
    );
    expect(weight).toBeLessThan(KEPT_WEIGHT_MAX * 1.1);
  });
});
