import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { linesAt, type SocketPair, socketPair, until } from "../../../test/wire/support/socket-pair.js";
import { BACKLOG_BYTES_MAX, BACKLOG_BYTES_SOFT, FRAME_CHARS_MAX, FRAME_TIME_MS, LAST_WORDS_MS } from "../wire.js";
import { LineWire } from "./lines.js";

let pair: SocketPair;
let clock: ManualClock;
let wire: LineWire;
let frames: string[];
let ends: string[];

beforeEach(async () => {
  pair = await socketPair();
  clock = new ManualClock();
  wire = new LineWire(pair.near, { kind: "socket", clock });
  frames = [];
  ends = [];
});
afterEach(() => pair.close());

function listen(onFrame: (text: string) => void = () => undefined): void {
  // This test's own: the end of a pair is told after the test.
  const [heard, told] = [frames, ends];
  wire.listen({
    frame(text) {
      heard.push(text);
      onFrame(text);
    },
    gone: (why) => void told.push(why),
  });
}

const reason = (lines: readonly string[]): unknown => JSON.parse(lines.at(-1) ?? "{}").params?.payload?.reason;

describe("a line of frames", () => {
  it("hands on what came before somebody listened", async () => {
    pair.far.write('{"a":1}\n{"b":2}\n');
    await new Promise((resolve) => pair.far.write("", resolve));
    listen();
    await until(() => frames.length === 2, "two frames");
    expect(frames).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("passes over blank lines", async () => {
    listen();
    pair.far.write("\n  \r\n1\n");
    await until(() => frames.length > 0, "a frame");
    expect(frames).toEqual(["1"]);
  });

  it("[WI-1] ends before a frame that is too long is held whole, and says why", async () => {
    listen();
    const heard = linesAt(pair.far);
    const piece = "x".repeat(1_000_000);
    for (let sent = 0; sent <= FRAME_CHARS_MAX; sent += piece.length) pair.far.write(piece);
    await until(() => ends.length > 0, "the end");
    expect(ends).toEqual(["bad-frame"]);
    expect(frames).toEqual([]);
    await until(() => pair.far.readableEnded, "the other side's end");
    expect(reason(heard)).toBe("bad-frame");
  });

  it("[WI-1] ends when half a frame stands too long, measured from its own beginning", async () => {
    listen();
    pair.far.write("1\n{");
    await until(() => frames.length === 1, "the first frame");
    clock.advance(FRAME_TIME_MS - 1);
    pair.far.write('"a":1}\n{');
    await until(() => frames.length === 2, "the second frame");
    clock.advance(FRAME_TIME_MS - 1);
    await Promise.resolve();
    expect(ends).toEqual([]);
    clock.advance(1);
    await until(() => ends.length > 0, "the end");
    expect(ends).toEqual(["bad-frame"]);
  });

  it("lets a line without a half frame stand for ever", async () => {
    listen();
    pair.far.write("1\n");
    await until(() => frames.length === 1, "the frame");
    clock.advance(FRAME_TIME_MS * 10);
    await until(() => true, "a moment");
    expect(ends).toEqual([]);
  });

  it("does not count the time in which it does not read itself", async () => {
    listen();
    pair.far.write("1\n{");
    await until(() => frames.length === 1, "the frame");
    wire.hold(true);
    clock.advance(FRAME_TIME_MS * 3);
    await Promise.resolve();
    expect(ends).toEqual([]);
    wire.hold(false);
    clock.advance(FRAME_TIME_MS);
    await until(() => ends.length > 0, "the end");
  });

  it("hands on nothing while it is held, and everything in order afterwards", async () => {
    listen((text) => text === "2" && wire.hold(true));
    pair.far.write("1\n2\n3\n4\n");
    await until(() => frames.length === 2, "two frames");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(frames).toEqual(["1", "2"]);
    wire.hold(false);
    expect(frames).toEqual(["1", "2", "3", "4"]);
  });

  it("[WI-4] does not read a client that does not take its answers", async () => {
    listen(() => wire.send("a".repeat(100_000)));
    pair.far.pause();
    const isAllSent = (): boolean => pair.far.writableLength === 0;
    for (let count = 0; count < 400_000; count++) pair.far.write("1\n");
    await until(() => wire.backlogBytes() > BACKLOG_BYTES_SOFT, "the backlog");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAllSent()).toBe(false);
    expect(wire.backlogBytes()).toBeLessThan(BACKLOG_BYTES_SOFT + 200_000);
    const answered = frames.length;
    pair.far.resume();
    await until(() => frames.length > answered + 10, "more frames");
    expect(ends).toEqual([]);
  });

  it("[WI-3] drops a client that reads too slowly, with the reason after everything it was sent", async () => {
    listen();
    pair.far.pause();
    let sent = 0;
    while (ends.length === 0 && sent < 1_000) {
      wire.send(`{"n":${sent++},"x":"${"y".repeat(100_000)}"}`);
      await Promise.resolve();
    }
    expect(ends).toEqual(["too-slow"]);
    expect(wire.backlogBytes()).toBeLessThan(BACKLOG_BYTES_MAX + 300_000);
    wire.send('{"late":true}');
    const heard = linesAt(pair.far);
    pair.far.resume();
    await until(() => pair.far.readableEnded, "the end");
    const numbers = heard.slice(0, -1).map((line) => JSON.parse(line).n);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(reason(heard)).toBe("too-slow");
  });

  it("[WI-3] is not too slow for one large answer and what follows it", async () => {
    listen();
    const heard = linesAt(pair.far);
    wire.send("z".repeat(BACKLOG_BYTES_MAX * 2));
    for (let count = 0; count < 100; count++) wire.send("1");
    await until(() => heard.length === 101, "everything");
    expect(ends).toEqual([]);
  });

  it("lets go of a client that never reads its last words", async () => {
    listen();
    pair.far.pause();
    while (ends.length === 0) {
      wire.send("y".repeat(100_000));
      await Promise.resolve();
    }
    expect(pair.near.destroyed).toBe(false);
    clock.advance(LAST_WORDS_MS);
    expect(pair.near.destroyed).toBe(true);
  });

  it("lets a slow client read to its last words as long as it reads at all", async () => {
    listen();
    pair.far.pause();
    while (ends.length === 0) {
      wire.send("y".repeat(100_000));
      await Promise.resolve();
    }
    const heard = linesAt(pair.far);
    for (let look = 0; look < 5; look++) {
      const before = wire.backlogBytes();
      pair.far.resume();
      await until(() => wire.backlogBytes() < before, "some reading");
      pair.far.pause();
      clock.advance(LAST_WORDS_MS);
      if (wire.backlogBytes() === 0) break;
      expect(pair.near.destroyed).toBe(false);
    }
    pair.far.resume();
    await until(() => pair.far.readableEnded, "the end");
    expect(reason(heard)).toBe("too-slow");
  });

  it("tells once that the client left", async () => {
    listen();
    pair.far.destroy();
    await until(() => ends.length > 0, "the end");
    wire.end("done");
    wire.send("1");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ends).toEqual(["left"]);
  });

  it("never calls back from inside send or end", async () => {
    listen();
    wire.end("done");
    expect(ends).toEqual([]);
    await Promise.resolve();
    expect(ends).toEqual(["done"]);
  });

  it("tells a listener that came too late", async () => {
    pair.far.destroy();
    pair.near.resume();
    await until(() => pair.near.closed, "the close");
    listen();
    await Promise.resolve();
    expect(ends).toEqual(["left"]);
  });
});
