/**
 * One conversation as it lives in this process: its feed, its questions and its one run. A run goes on until nothing is
 * left to do; whoever wakes it meanwhile makes it look once more. When it is over the store alone knows the rest, and
 * this object may be forgotten.
 */
import type { Glimpse } from "#agent/glimpse.js";
import { OperationalError } from "#base/errors.js";
import type { ConversationId, InputId, TurnId } from "#base/ids.js";
import type { Face, TurnBegun, TurnReport } from "../face.js";
import type { LiveParts } from "./create-live.js";
import { Feed } from "./feed.js";
import { createGate, type Gate } from "./gate.js";
import type { LiveState } from "./port.js";
import { createQuestions, type Questions } from "./questions.js";
import type { Slots } from "./slots.js";

/**
 * How long an outage of the store keeps a run from being tried again. After the last, a turn that each time got under way
 * is woken by a message or a restart.
 */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/** What all conversations of a host share. */
export interface Shared extends LiveParts {
  readonly slots: Slots;
  nextSeq(): number;
  isStopping(): boolean;
  /** A run is over, and the object may be forgotten. */
  onRest(): void;
}

/** What work that outlived the drain finds: the turn is released, and the store is closed. The next host goes on. */
const CUT_BY_STOPPING: ReadonlySet<string> = new Set(["closed", "fenced"]);

export class LiveConversation {
  readonly feed: Feed;
  readonly questions: Questions;
  readonly #shared: Shared;
  /** Somebody wants it to look for work; undefined: nobody does. */
  #wanted: { readonly isAsked: boolean } | undefined;
  #run: Promise<void> | undefined;
  #interrupt = new AbortController();
  #turn: TurnId | undefined;
  /** What that turn took. */
  #input: InputId | undefined;
  #isWaiting = false;
  /** A run holds a slot: from here on it may take a turn at any moment. */
  #isActive = false;
  #began: Gate = createGate();
  /** Of the step under way. */
  #streamed = "";
  #failures = 0;

  constructor(
    readonly id: ConversationId,
    shared: Shared,
  ) {
    this.#shared = shared;
    this.feed = new Feed(shared.clock, shared.nextSeq);
    this.questions = createQuestions((event) => this.feed.publish(event));
  }

  state(): LiveState {
    if (this.#run === undefined) return this.#isWaiting ? "waiting" : "idle";
    return this.questions.oldest() === undefined ? "working" : "waiting";
  }

  /** Undefined while a run looks for work: whether there is any is the store's to say. */
  certainState(): LiveState | undefined {
    return this.#run !== undefined && this.#turn === undefined ? undefined : this.state();
  }

  /** The turn under way. */
  turn(): TurnId | undefined {
    return this.#turn;
  }

  wake(isAsked: boolean): void {
    this.#wanted = { isAsked: isAsked || this.#wanted?.isAsked === true };
    if (this.#run === undefined && !this.#shared.isStopping()) this.#begin(() => this.#work());
  }

  /** A run is under way, whether or not it has taken a turn. */
  isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** The turn under way ends as interrupted; false between turns: what is taken next was not meant. */
  interrupt(by?: InputId): boolean {
    // A message that wants to interrupt may be the one the turn has taken by now.
    if (this.#run === undefined || this.#turn === undefined || (by !== undefined && by === this.#input)) return false;
    this.#interrupt.abort(new Error("interrupted"));
    return true;
  }

  /** A turn that waits in the store is taken up once, already interrupted: it is settled as that. */
  async cancel(): Promise<void> {
    await this.rest();
    this.#begin(() => this.#attempt(true, AbortSignal.abort(new Error("interrupted"))));
    await this.rest();
  }

  /** Resolves when no run is under way. */
  async rest(): Promise<void> {
    while (this.#run !== undefined) await this.#run;
  }

  /** A run is under way, and it is not known which turn it takes. */
  isBetween(): boolean {
    return this.#isActive && this.#turn === undefined;
  }

  /** Resolves when it is known, or when there was none. */
  async known(): Promise<void> {
    if (this.isBetween()) await this.#began.isOpen;
  }

  #begin(act: () => Promise<void>): void {
    this.#run = act().finally(() => {
      this.#run = undefined;
      this.#shared.onRest();
      if (this.#wanted !== undefined && !this.#shared.isStopping()) this.#begin(() => this.#work());
    });
  }

  async #work(): Promise<void> {
    while (this.#wanted !== undefined && !this.#shared.isStopping()) {
      const { isAsked } = this.#wanted;
      this.#wanted = undefined;
      this.#interrupt = new AbortController();
      await this.#attempt(isAsked, this.#interrupt.signal);
    }
  }

  async #attempt(isAsked: boolean, signal: AbortSignal): Promise<void> {
    const { slots, runtime } = this.#shared;
    await slots.take();
    try {
      if (this.#shared.isStopping()) return;
      this.#isActive = true;
      const reports = await runtime.run(this.id, this.#face(isAsked, signal));
      this.#failures = 0;
      if (reports.some(({ outcome }) => outcome !== "waiting")) this.#shared.onTurnEnded?.(this.id);
      // What was queued behind an interrupted turn is not forgotten with it, also when that had just ended by itself.
      if (signal.aborted) this.#wanted ??= { isAsked: true };
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isActive = false;
      this.#openGate();
      slots.give();
    }
  }

  #failed(error: unknown): void {
    const { log, clock, onBug } = this.#shared;
    if (!(error instanceof OperationalError)) {
      // A bug ends the process, loudly; recovery takes over.
      onBug(error);
      return;
    }
    const { code, message } = error;
    if (this.#shared.isStopping() && CUT_BY_STOPPING.has(code)) {
      log.info("a conversation is left to the next host", { conversation: this.id, code });
      return;
    }
    log.error("a conversation cannot be worked on", { conversation: this.id, code, reason: message });
    const isBegun = this.#turn !== undefined;
    this.#turn = undefined;
    // Once for an outage, however often it is tried again.
    if (this.#failures === 0) this.feed.publish({ type: "halted", reason: message });
    // [CT-7] What was not even begun has cost nothing: it is tried for as long as the outage lasts.
    const waitMs = RETRY_MS[this.#failures++] ?? (isBegun ? undefined : RETRY_MS.at(-1));
    if (waitMs !== undefined && code !== "fenced") clock.after(waitMs, () => this.wake(false));
  }

  #face(isAsked: boolean, interrupt: AbortSignal): Face {
    const { slots } = this.#shared;
    return {
      platform: "host",
      isAsked,
      interrupt,
      takesMore: () => !this.#shared.isStopping(),
      onTurn: (begun) => this.#begun(begun),
      onGlimpse: (glimpse) => this.#glimpsed(glimpse),
      onStored: (seq) => this.feed.stored(seq),
      onReport: (report) => this.#reported(report),
      ask: async (approval, question, signal) => {
        slots.give();
        const answer = await this.questions.ask(approval, question, signal);
        await slots.take();
        return answer;
      },
    };
  }

  #glimpsed(glimpse: Glimpse): void {
    if (glimpse.type === "text") this.#streamed += glimpse.delta;
    else if (glimpse.type === "step" || glimpse.type === "retracted") this.#streamed = "";
    glimpsesTo(this.feed)(glimpse);
  }

  #begun({ turn, input, session, text, seq, address, isRecovered }: TurnBegun): void {
    const isNew = turn !== this.#turn;
    this.#turn = turn;
    this.#input = input;
    this.#isWaiting = false;
    if (isNew) {
      const to = address === undefined ? {} : { address };
      this.feed.publish({ type: "turn-started", turn, input, session, text, messageSeq: seq, ...to, isRecovered });
      this.feed.stored(seq);
    }
    this.#openGate();
  }

  #reported(report: TurnReport): void {
    this.#isWaiting = report.outcome === "waiting";
    if (this.#isWaiting) {
      for (const { approval, question } of report.questions) this.questions.remember(approval, question);
    }
    const partial = this.#streamed;
    if (!this.#isWaiting) {
      // Before it is told: whoever hears of the end may speak at once.
      this.#turn = undefined;
      this.#streamed = "";
    }
    this.feed.publish({ type: "turn-ended", report, partial });
    if (!this.#isWaiting) this.feed.stored(undefined);
  }

  #openGate(): void {
    this.#began.open();
    this.#began = createGate();
  }
}

/** Questions are told by their own way, one at a time. */
export function glimpsesTo(feed: Feed): (glimpse: Glimpse) => void {
  return (glimpse) => {
    if (glimpse.type !== "asking" && glimpse.type !== "answered") feed.publish(glimpse);
  };
}
