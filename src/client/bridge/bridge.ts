/**
 * Joins a terminal client's pipes with a host, for as long as the client lives. The client speaks and listens as if the
 * host were its child; that the host is a process of its own, starts late, dies and comes back is kept from it as far
 * as that is honest: a request whose host died is answered with an error that says so.
 *
 * - Nothing but frames leaves, `gateway.ready` first and once.
 * - What is not taken is not read: neither side can make this process grow.
 * - Leaving takes less than LEAVE_TIME_MS, whatever the host does.
 */
import type { Readable, Writable } from "node:stream";
import type { Clock } from "#base/clock.js";
import { LineSplitter } from "#base/line-splitter.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import { errorFrame, type FrameId, type JsonObject, parseAnswer, parseFrame, requestFrame } from "#protocol/frame.js";
import type { Result } from "#protocol/methods.js";
import type { Wish } from "../host-line.js";
import { type ClientWire, closingReason, type LineEnd } from "../wire.js";
import { type Asked, BridgeSessions } from "./sessions.js";

/** A client's frame may be as long as a host takes. */
const FRAME_CHARS_MAX = 4_000_000;
/** What a client may say before a host is there; then it is not read until one is. */
export const QUEUE_CHARS_MAX = 4_000_000;
export const QUEUE_FRAMES_MAX = 10_000;
/** Requests without an answer; below what a host refuses. */
export const OPEN_MAX = 200;
const WIRE_BACKLOG_BYTES_MAX = 1_000_000;
/** Everything that leaving may take. */
export const LEAVE_TIME_MS = 700;
const LAST_ANSWERS_MS = 500;
const BYE_MS = 150;
const REST_MS_FIRST = 250;
const REST_MS_MAX = 30_000;

const HOST_DIED = "the host ended before it answered; nothing that was stored is lost. Another one is being started.";
const CLIENT_LEFT = "the client left before the host answered; nothing that was stored is lost";

export interface BridgeParts {
  readonly input: Readable;
  readonly output: Writable;
  /** Sees to it that a host runs, and opens a line to it. */
  readonly open: (signal: AbortSignal) => Promise<ClientWire>;
  readonly clock: Clock;
  /** What the bridge says of itself on every line before anything else. */
  readonly hello: Wish<"host.hello">;
  /** For people: never on the output. */
  readonly note: (text: string) => void;
}

export type Leaving =
  /** Nothing more is said; what was said is still answered. */
  | "input-ended"
  /** The client is gone or wants us gone. */
  | "told";

interface OpenRequest extends Asked {
  readonly id: FrameId;
}

type State =
  | { readonly phase: "opening" }
  /** Until it has caught up, the host may not know the sessions that the client speaks of. */
  | { readonly phase: "joined"; readonly wire: ClientWire; readonly isCaughtUp: boolean }
  /** No host could be had; until somebody asks again after a rest. */
  | { readonly phase: "resting"; readonly why: string };

export class Bridge {
  readonly #parts: BridgeParts;
  readonly #splitter = new LineSplitter(FRAME_CHARS_MAX);
  readonly #sessions = new BridgeSessions();
  readonly #stopping = new AbortController();
  /** By the id as it was written: 1 and "1" are two. */
  readonly #open = new Map<string, OpenRequest>();
  /** Our own requests on the client's line. */
  readonly #own = new Map<string, (result: unknown) => void>();
  readonly #idPrefix: string;
  #queue: string[] = [];
  #queueChars = 0;
  #state: State = { phase: "opening" };
  #leaving: Promise<void> | undefined;
  #isReady = false;
  #ownCount = 0;
  #changed: () => void = () => undefined;

  constructor(parts: BridgeParts, { idPrefix }: { readonly idPrefix: string }) {
    this.#parts = parts;
    this.#idPrefix = idPrefix;
  }

  /** Resolves when the bridge has been left. */
  async run(): Promise<void> {
    const { input, output } = this.#parts;
    const left = new Promise<void>((resolve) => this.#stopping.signal.addEventListener("abort", () => resolve()));
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.once("end", () => {
      this.#say(this.#splitter.finish());
      void this.leave("input-ended");
    });
    input.once("error", () => void this.leave("told"));
    output.once("error", () => void this.leave("told"));
    output.on("drain", () => this.#balance());
    void this.#keepJoined();
    await left;
    await this.#leaving;
  }

  /** Says goodbye and resolves when nothing is left to do, soon in any case. */
  leave(how: Leaving): Promise<void> {
    this.#leaving ??= this.#leave(how).finally(() => this.#stopping.abort());
    return this.#leaving;
  }

  // --- the client's side

  #take(chunk: Buffer): void {
    const lines = this.#splitter.push(chunk);
    if (lines === "too-long") {
      this.#write(errorFrame(null, { code: ERROR_CODES.badFrame, message: "a frame is too long; this line ends" }));
      void this.leave("told");
      return;
    }
    for (const line of lines) this.#say(line);
    this.#balance();
  }

  #say(line: string): void {
    if (line.trim() === "") return;
    this.#queue.push(line);
    this.#queueChars += line.length;
    this.#flushQueue();
    if (this.#state.phase === "resting") this.#refuseQueue(this.#state.why);
    this.#changed();
  }

  #forward(line: string, wire: ClientWire): void {
    const incoming = parseFrame(line);
    if (incoming.id !== null) {
      const asked = incoming.kind === "request" ? incoming : { method: "", params: {} };
      this.#open.set(JSON.stringify(incoming.id), { id: incoming.id, method: asked.method, params: asked.params });
    }
    // Also what is no request: the host's answer to it is the client's.
    wire.send(line);
  }

  #flushQueue(): void {
    if (this.#state.phase !== "joined" || !this.#state.isCaughtUp) return;
    let at = 0;
    for (; at < this.#queue.length && this.#open.size < OPEN_MAX; at++) {
      const line = this.#queue[at] ?? "";
      this.#queueChars -= line.length;
      this.#forward(line, this.#state.wire);
    }
    if (at > 0) this.#queue = this.#queue.slice(at);
  }

  #refuseQueue(why: string): void {
    const refused = this.#queue;
    this.#queue = [];
    this.#queueChars = 0;
    for (const line of refused) {
      const incoming = parseFrame(line);
      if (incoming.kind === "refused") this.#write(errorFrame(incoming.id, incoming.error));
      else this.#write(errorFrame(incoming.id, { code: ERROR_CODES.handlerFailed, message: why }));
    }
  }

  #write(frame: string): void {
    const { output } = this.#parts;
    if (output.destroyed || output.writableEnded) return;
    output.write(`${frame}\n`);
  }

  /** What one side does not take, the other is not asked for. */
  #balance(): void {
    const { input, output } = this.#parts;
    this.#flushQueue();
    const isFull =
      this.#queueChars > QUEUE_CHARS_MAX ||
      this.#queue.length > QUEUE_FRAMES_MAX ||
      (this.#state.phase === "joined" && this.#state.wire.backlogBytes() > WIRE_BACKLOG_BYTES_MAX);
    if (isFull && this.#leaving === undefined) input.pause();
    else if (this.#leaving === undefined) input.resume();
    if (this.#state.phase === "joined") this.#state.wire.hold(output.writableNeedDrain);
  }

  // --- the host's side

  async #keepJoined(): Promise<void> {
    const { clock, note } = this.#parts;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const end = await this.#join(await this.#parts.open(signal));
        failures = 0;
        if (signal.aborted || end.kind === "closed") return;
        note(`the line to the host ended (${end.message}); opening another`);
        await clock.sleep(REST_MS_FIRST, signal).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        const why = error instanceof Error ? error.message : String(error);
        note(`no host: ${why}`);
        await this.#rest(why, Math.min(REST_MS_MAX, REST_MS_FIRST * 2 ** failures));
      }
    }
  }

  /** Resolves when the line ends. */
  #join(wire: ClientWire): Promise<LineEnd> {
    return new Promise((resolve) => {
      let told: LineEnd | undefined;
      wire.listen({
        frame: (text) => {
          told ??= this.#hear(text);
        },
        drained: () => this.#balance(),
        gone: (why) => {
          this.#part();
          resolve(why.kind === "lost" ? (told ?? why) : why);
        },
      });
      this.#state = { phase: "joined", wire, isCaughtUp: false };
      void this.#ask(wire, "host.hello", this.#parts.hello);
      void this.#catchUp(wire);
    });
  }

  #part(): void {
    this.#state = { phase: "opening" };
    this.#own.clear();
    const open = [...this.#open.values()];
    this.#open.clear();
    const message = this.#leaving === undefined ? HOST_DIED : CLIENT_LEFT;
    for (const { id } of open) this.#write(errorFrame(id, { code: ERROR_CODES.handlerFailed, message }));
    this.#changed();
  }

  /** Answers why the host ends the line, when this is its last word. */
  #hear(text: string): LineEnd | undefined {
    const frame = parseAnswer(text);
    const last = closingReason(frame);
    if (last !== undefined) return last;
    if (frame.kind === "event") {
      if (this.#passes(frame)) this.#write(text);
    } else if (frame.kind === "result" || frame.kind === "error") {
      const result = frame.kind === "result" ? frame.result : undefined;
      if (!this.#answerOwn(String(frame.id), result)) {
        this.#settle(frame.id, result);
        this.#write(text);
      }
    }
    this.#balance();
    return undefined;
  }

  /** A client takes `gateway.ready` for a new backend, so it hears it once. */
  #passes(event: Extract<ReturnType<typeof parseAnswer>, { kind: "event" }>): boolean {
    if (event.type !== "gateway.ready") return this.#sessions.admit(event);
    const isFirst = !this.#isReady;
    this.#isReady = true;
    return isFirst;
  }

  #settle(id: FrameId | null, result: OpenRequest["params"] | undefined): void {
    const key = JSON.stringify(id);
    const request = this.#open.get(key);
    this.#open.delete(key);
    if (request !== undefined && result !== undefined) this.#sessions.noteAnswer(request, result);
    this.#changed();
  }

  /** Never comes to its end when the line ends first. */
  async #catchUp(wire: ClientWire): Promise<void> {
    await Promise.all(this.#sessions.ids().map((id) => this.#goOn(wire, id)));
    if (this.#state.phase === "joined" && this.#state.wire === wire) this.#state = { ...this.#state, isCaughtUp: true };
    this.#balance();
    this.#changed();
  }

  async #goOn(wire: ClientWire, id: string): Promise<void> {
    this.#sessions.asking(id);
    const after = this.#sessions.seqOf(id);
    const known = await this.#ask(wire, "events.subscribe", { session_id: id, after });
    if (known !== undefined) {
      for (const frame of this.#sessions.resumed(id, known as Result<"events.subscribe">)) this.#write(frame);
      return;
    }
    const draft = this.#sessions.draftOf(id);
    if (draft !== undefined && (await this.#ask(wire, "session.create", draft)) !== undefined)
      this.#sessions.reopened(id);
    else this.#sessions.forget(id);
  }

  /** Undefined when it was refused. Never settles when the line ends first. */
  #ask(wire: ClientWire, method: string, params: JsonObject): Promise<unknown> {
    const id = `${this.#idPrefix}${++this.#ownCount}`;
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      wire.send(requestFrame({ id, method, params }));
    });
  }

  #answerOwn(id: string, result: unknown): boolean {
    const settle = this.#own.get(id);
    this.#own.delete(id);
    settle?.(result);
    return settle !== undefined;
  }

  /** Whoever asks meanwhile is refused with the reason; the first who does makes the next try worth it. */
  async #rest(why: string, restMs: number): Promise<void> {
    const { signal } = this.#stopping;
    this.#state = { phase: "resting", why };
    const asked = new Promise<void>((resolve) => {
      this.#changed = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const isWaiting = this.#queue.length > 0;
    this.#refuseQueue(why);
    await this.#parts.clock.sleep(restMs, signal).catch(() => undefined);
    if (!isWaiting) await asked;
    this.#changed = () => undefined;
    this.#state = { phase: "opening" };
  }

  // --- the end

  async #leave(how: Leaving): Promise<void> {
    const { input, clock } = this.#parts;
    input.pause();
    const give = (ms: number): Promise<void> => clock.sleep(ms, this.#stopping.signal).catch(() => undefined);
    if (how === "input-ended") await Promise.race([this.#answered(), give(LAST_ANSWERS_MS)]);
    this.#refuseQueue(CLIENT_LEFT);
    if (this.#state.phase !== "joined") return;
    const { wire } = this.#state;
    await Promise.race([this.#ask(wire, "connection.bye", {}), give(BYE_MS)]);
    wire.close();
  }

  /** Everything that was said has its answer. */
  async #answered(): Promise<void> {
    while (this.#queue.length > 0 || this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      this.#flushQueue();
    }
  }
}
