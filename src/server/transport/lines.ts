/**
 * Frames as lines over any stream of bytes: one JSON text, one `\n`. The stream is read only while somebody listens,
 * the client takes its answers and the server wants more; so what a client sends waits in its own buffers, not here.
 */
import type { Duplex } from "node:stream";
import type { Clock } from "#base/clock.js";
import { LineSplitter } from "#base/line-splitter.js";
import {
  BACKLOG_BYTES_SOFT,
  FRAME_CHARS_MAX,
  FRAME_TIME_MS,
  type Wire,
  type WireEnd,
  type WireListener,
} from "../wire.js";
import { Backlog } from "./backlog.js";
import { farewell } from "./farewell.js";
import { letGo } from "./last-words.js";

type State =
  | { readonly phase: "waiting" }
  | { readonly phase: "open"; readonly listener: WireListener }
  | { readonly phase: "ended" };

export class LineWire implements Wire {
  readonly kind: Wire["kind"];
  readonly #stream: Duplex;
  readonly #clock: Clock;
  readonly #splitter = new LineSplitter(FRAME_CHARS_MAX);
  readonly #backlog = new Backlog();
  #state: State = { phase: "waiting" };
  /** Lines of the last chunk that are not handed on yet: never more than one chunk holds. */
  #lines: readonly string[] = [];
  #isFlowing = false;
  #isHeld = false;
  #forgetHalf: (() => void) | undefined;

  constructor(stream: Duplex, { kind, clock }: { readonly kind: Wire["kind"]; readonly clock: Clock }) {
    this.kind = kind;
    this.#stream = stream;
    this.#clock = clock;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("drain", () => this.#flow());
    stream.on("end", () => this.#leave("left"));
    stream.on("close", () => this.#leave("left"));
    // A line that breaks is a client that left; `close` follows.
    stream.on("error", () => this.#leave("left"));
    stream.pause();
  }

  listen(listener: WireListener): void {
    if (this.#state.phase === "waiting") this.#state = { phase: "open", listener };
    else if (this.#state.phase === "ended") queueMicrotask(() => listener.gone("left"));
    this.#flow();
  }

  send(frame: string): void {
    if (this.#state.phase === "ended") return;
    const line = `${frame}\n`;
    if (!this.#backlog.admits(this.backlogBytes(), Buffer.byteLength(line))) {
      this.end("too-slow");
      return;
    }
    this.#stream.write(line);
    if (this.backlogBytes() > BACKLOG_BYTES_SOFT) this.#flow();
  }

  backlogBytes(): number {
    return this.#stream.writableLength;
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#flow();
  }

  end(reason: WireEnd): void {
    if (this.#state.phase === "ended") return;
    const lastWords = farewell(reason);
    if (lastWords !== undefined) this.#stream.write(`${lastWords}\n`);
    this.#leave(reason);
  }

  /** What was sent may still be read for a moment; what comes is thrown away. */
  #leave(why: WireEnd | "left"): void {
    const state = this.#state;
    if (state.phase === "ended") return;
    this.#state = { phase: "ended" };
    this.#lines = [];
    this.#forgetHalf?.();
    this.#stream.end();
    this.#stream.resume();
    const forget = letGo({
      clock: this.#clock,
      unsentBytes: () => this.backlogBytes(),
      cut: () => void this.#stream.destroy(),
    });
    if (this.#stream.closed) forget();
    else this.#stream.once("close", forget);
    if (state.phase === "open") queueMicrotask(() => state.listener.gone(why));
  }

  #take(chunk: Buffer): void {
    if (this.#state.phase === "ended") return;
    const lines = this.#splitter.push(chunk);
    if (lines === "too-long") {
      this.end("bad-frame");
      return;
    }
    // Half a frame is measured from its own beginning: a new one starts after every end of a line.
    if (lines.length > 0) this.#stopHalf();
    if (this.#splitter.isMidLine) this.#watchHalf();
    this.#lines = this.#lines.length === 0 ? lines : [...this.#lines, ...lines];
    this.#flow();
  }

  /** Hands on what may be handed on, then reads more or waits. What a frame causes may lead here again: once is enough. */
  #flow(): void {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    let at = 0;
    for (; at < this.#lines.length && this.#wantsMore(); at++) this.#handOn(this.#lines[at] ?? "");
    this.#lines = this.#lines.slice(at);
    this.#isFlowing = false;
    if (this.#state.phase === "ended") return;
    if (this.#wantsMore() && this.#lines.length === 0) this.#stream.resume();
    else this.#stream.pause();
  }

  #handOn(line: string): void {
    if (this.#state.phase === "open" && line.trim() !== "") this.#state.listener.frame(line);
  }

  #wantsMore(): boolean {
    return this.#state.phase === "open" && !this.#isHeld && this.backlogBytes() <= BACKLOG_BYTES_SOFT;
  }

  #watchHalf(): void {
    this.#forgetHalf ??= this.#clock.after(FRAME_TIME_MS, () => {
      this.#forgetHalf = undefined;
      // While we do not read, the rest of the frame cannot have come: it gets its time again.
      if (this.#wantsMore()) this.end("bad-frame");
      else this.#watchHalf();
    });
  }

  #stopHalf(): void {
    this.#forgetHalf?.();
    this.#forgetHalf = undefined;
  }
}
