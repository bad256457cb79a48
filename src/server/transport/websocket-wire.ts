/**
 * A WebSocket as a wire: one frame, one message. Text is what is meant; a binary message that holds UTF-8 is taken as
 * the text it is. Half a message cannot stand for ever: while it stands, no answer to a ping can pass it.
 */
import { isUtf8 } from "node:buffer";
import type { WebSocket } from "ws";
import type { Clock } from "#base/clock.js";
import {
  BACKLOG_BYTES_SOFT,
  FRAME_CHARS_MAX,
  FRAME_TIME_MS,
  type Wire,
  type WireEnd,
  type WireListener,
} from "../wire.js";
import { Backlog } from "./backlog.js";
import { letGo } from "./last-words.js";

export const PING_EVERY_MS = FRAME_TIME_MS;

/** Numbers of RFC 6455 where it has one; the reason is our own word. */
const CLOSE_CODES: Readonly<Record<WireEnd, number>> = {
  "too-slow": 1013,
  "bad-frame": 1009,
  "too-many": 1013,
  "shutting-down": 1001,
  done: 1000,
};

type State =
  | { readonly phase: "waiting" }
  | { readonly phase: "open"; readonly listener: WireListener }
  | { readonly phase: "ended" };

export class WebSocketWire implements Wire {
  readonly kind = "websocket";
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #backlog = new Backlog();
  #state: State = { phase: "waiting" };
  /** Messages that were on their way when reading stopped. */
  #early: string[] = [];
  #isFlowing = false;
  #isHeld = false;
  #isAwaitingPong = false;
  #forgetPing: (() => void) | undefined;

  constructor(socket: WebSocket, { clock }: { readonly clock: Clock }) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on("message", (message: Buffer, isBinary) => this.#take(message, isBinary));
    socket.on("pong", () => this.#alive());
    socket.on("close", () => this.#leave("left"));
    // Too large, not UTF-8, not masked: the library has sent the close frame that says so; `close` follows.
    socket.on("error", () => undefined);
    socket.pause();
    this.#schedulePing();
  }

  listen(listener: WireListener): void {
    if (this.#state.phase === "waiting") this.#state = { phase: "open", listener };
    else if (this.#state.phase === "ended") queueMicrotask(() => listener.gone("left"));
    this.#flow();
  }

  send(frame: string): void {
    if (this.#state.phase === "ended") return;
    if (!this.#backlog.admits(this.backlogBytes(), Buffer.byteLength(frame))) {
      this.end("too-slow");
      return;
    }
    this.#socket.send(frame, () => this.#flow());
    if (this.backlogBytes() > BACKLOG_BYTES_SOFT) this.#flow();
  }

  backlogBytes(): number {
    return this.#socket.bufferedAmount;
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#flow();
  }

  end(reason: WireEnd): void {
    if (this.#state.phase === "ended") return;
    this.#close(CLOSE_CODES[reason], reason);
    this.#leave(reason);
  }

  #close(code: number, reason: string): void {
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  #leave(why: WireEnd | "left"): void {
    const state = this.#state;
    if (state.phase === "ended") return;
    this.#state = { phase: "ended" };
    this.#early = [];
    this.#forgetPing?.();
    const forget = letGo({
      clock: this.#clock,
      unsentBytes: () => this.backlogBytes(),
      cut: () => this.#socket.terminate(),
    });
    if (this.#socket.readyState === this.#socket.CLOSED) forget();
    else this.#socket.once("close", forget);
    if (state.phase === "open") queueMicrotask(() => state.listener.gone(why));
  }

  #take(message: Buffer, isBinary: boolean): void {
    if (this.#state.phase === "ended") return;
    this.#alive();
    if (isBinary && !isUtf8(message)) {
      this.#close(1007, "a frame is UTF-8 text");
      this.#leave("bad-frame");
      return;
    }
    const text = message.toString("utf8");
    if (text.length > FRAME_CHARS_MAX) {
      this.end("bad-frame");
      return;
    }
    this.#early.push(text);
    this.#flow();
  }

  /** Hands on what may be handed on, then reads more or waits. */
  #flow(): void {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    let at = 0;
    for (; at < this.#early.length && this.#wantsMore(); at++) this.#handOn(this.#early[at] ?? "");
    this.#early = this.#early.slice(at);
    this.#isFlowing = false;
    if (this.#state.phase === "ended") return;
    if (this.#wantsMore()) this.#socket.resume();
    else this.#socket.pause();
  }

  #handOn(text: string): void {
    if (this.#state.phase === "open") this.#state.listener.frame(text);
  }

  #wantsMore(): boolean {
    return this.#state.phase === "open" && !this.#isHeld && this.backlogBytes() <= BACKLOG_BYTES_SOFT;
  }

  #alive(): void {
    this.#isAwaitingPong = false;
  }

  #schedulePing(): void {
    this.#forgetPing = this.#clock.after(PING_EVERY_MS, () => {
      // While we do not read, an answer cannot have come.
      if (this.#isAwaitingPong && this.#wantsMore()) {
        this.#leave("bad-frame");
        return this.#socket.terminate();
      }
      this.#isAwaitingPong = true;
      this.#socket.ping();
      this.#schedulePing();
    });
  }
}
