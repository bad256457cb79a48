import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "#base/clock.js";
import type { EventParams } from "#protocol/frame.js";
import { until } from "../../test/wire/support/socket-pair.js";
import { type ToyHost, toyHost } from "../../test/wire/support/toy-host.js";
import { connect } from "./connect.js";
import { type ConversationWatcher, followConversation, type Picture } from "./follow.js";
import type { HostEvent } from "./host-line.js";
import { type KeptLine, keepLine } from "./kept-line.js";

/** A conversation as a host keeps it: numbered tellings, of which it can repeat the last `kept`. */
class Feed {
  readonly host: ToyHost;
  readonly told: EventParams[][] = [];
  readonly #kept: number;
  #subscribers = new Set<unknown>();

  constructor(host: ToyHost, kept: number) {
    this.host = host;
    this.#kept = kept;
    host.answering = ({ method, params, wire }) => {
      if (method !== "events.subscribe") return {};
      this.#subscribers.add(wire);
      const seq = this.told.length;
      const after = params["after"];
      if (typeof after === "number" && after >= seq - this.#kept) {
        return { seq, state: "idle", events: this.told.slice(after).flat() };
      }
      return { seq, state: "idle", events: [], reset: { messages: [], has_older: seq > 0 } };
    };
  }

  /** `sent` is how many of its two events still leave before the line is cut. */
  happen(sent = 2): void {
    const seq = this.told.length + 1;
    const telling: EventParams[] = [
      { type: "message.start", session_id: "c" },
      { type: "message.delta", session_id: "c", payload: { text: `${seq} ` }, seq },
    ];
    this.told.push(telling);
    for (const wire of this.host.wires) {
      if (this.#subscribers.has(wire))
        for (const event of telling.slice(0, sent)) wire.send(JSON.stringify({ method: "event", params: event }));
    }
  }
}

let host: ToyHost;
let kept: KeptLine;
let seen: HostEvent[];
let pictures: Picture[];
let lost: number;
const watcher: ConversationWatcher = {
  reset(picture) {
    pictures.push(picture);
    seen = [];
  },
  event: (event) => void seen.push(event),
  lineLost: () => void lost++,
};

beforeEach(async () => {
  host = await toyHost();
  kept = keepLine({ open: (onEvent) => connect({ to: host, onEvent }), clock, random: () => 0 });
  seen = [];
  pictures = [];
  lost = 0;
});
afterEach(async () => {
  kept.close();
  await host.remove();
});

const numbers = (): (number | undefined)[] => seen.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

describe("following a conversation", () => {
  it("[WI-12] hands on every event once and in order, however often the line is cut", async () => {
    const feed = new Feed(host, 1_000);
    followConversation(kept, "c", watcher, { after: 0 });
    for (let cut = 0; cut < 100; cut++) {
      await until(() => host.wires.size > 0, "a line");
      for (let count = 0; count < cut % 4; count++) feed.happen();
      if (cut % 2 === 0) feed.happen(1);
      for (const wire of host.wires) wire.end("done");
      if (cut % 3 === 0) feed.happen();
      await until(() => lost > cut, "the cut");
      if (cut % 5 === 0) feed.happen();
    }
    await until(() => numbers().at(-1) === feed.told.length, "the last event");
    expect(numbers()).toEqual(upTo(feed.told.length));
    expect(seen.map(({ type }) => type)).toEqual(feed.told.flat().map(({ type }) => type));
    expect(pictures).toEqual([]);
  });

  it("[WI-12] starts over from a picture when the host does not know what was missed", async () => {
    const feed = new Feed(host, 2);
    for (let count = 0; count < 5; count++) feed.happen();
    const following = followConversation(kept, "c", watcher);
    await until(() => pictures.length === 1, "the first picture");
    expect(following.seq).toBe(5);
    feed.happen();
    await until(() => seen.length === 2, "an event");
    await host.stop();
    await until(() => lost > 0, "the loss");
    for (let count = 0; count < 5; count++) feed.happen();
    await host.start();
    await until(() => pictures.length === 2, "the second picture");
    feed.happen();
    await until(() => seen.length === 2, "the next event");
    expect(numbers()).toEqual([12]);
  });

  it("ignores other conversations, and stops when it is told to", async () => {
    const feed = new Feed(host, 100);
    const following = followConversation(kept, "c", watcher, { after: 0 });
    feed.happen();
    await until(() => host.calls.length > 0, "the subscription");
    host.tell({ type: "message.delta", session_id: "other", payload: { text: "x" }, seq: 99 });
    feed.happen();
    await until(() => numbers().length === 2, "both");
    following.stop();
    feed.happen();
    await until(() => host.calls.some(({ method }) => method === "events.unsubscribe"), "the goodbye");
    expect(numbers()).toEqual([1, 2]);
  });

  it("says so when the host knows no such conversation", async () => {
    host.answering = () => ({ error: { code: 4007, message: "no such session" } });
    const told = await new Promise((resolve) => followConversation(kept, "c", { ...watcher, unknown: resolve }));
    expect(told).toMatchObject({ code: 4007 });
  });
});

describe("a line that comes back", () => {
  it("makes calls wait for it, within their deadline", async () => {
    host.answering = () => ({ n: 1 });
    await kept.call("host.status", {});
    await host.stop();
    await expect(kept.call("host.status", {}, { timeoutMs: 500 })).rejects.toMatchObject({ code: /host-gone|no-host/ });
    const waiting = kept.call("host.status", {});
    await host.start();
    expect(await waiting).toEqual({ n: 1 });
  });

  it("never repeats a call by itself", async () => {
    host.answering = () => "silence";
    const call = kept.call("prompt.submit", { session_id: "c", text: "hi" });
    await until(() => host.calls.length === 1, "the call");
    for (const wire of host.wires) wire.end("done");
    await expect(call).rejects.toMatchObject({ code: "host-gone" });
    host.answering = () => ({ n: 1 });
    await kept.call("host.status", {});
    expect(host.calls.map(({ method }) => method)).toEqual(["prompt.submit", "host.status"]);
  });

  it("refuses calls once it is closed", async () => {
    kept.close();
    await expect(kept.call("host.status", {})).rejects.toMatchObject({ code: "host-gone" });
  });
});
