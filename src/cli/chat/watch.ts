/**
 * Watches a conversation until what was asked of it is done: a message is answered, or nothing is left to do, or a person
 * is needed and nobody here can say more. Shows everything on the way. The turn runs in the host: whatever happens to
 * this process, it goes on there, and whatever happens to the host, the next one finishes it.
 */
import { type OperationalError, UserError } from "#base/errors.js";
import type { Result } from "#protocol/methods.js";
import type { CliContext } from "../command.js";
import type { Ask } from "./ask.js";
import type { ChatDisplay } from "./display.js";
import { type Exchange, exchangeReport, tellUnknown } from "./exchange.js";
import { type Glimpse, NOTHING_SPENT, type PendingQuestion, type Spent, type TurnReport } from "./glimpse.js";
import type { HostLink } from "./link.js";
import type { Seat, SeatEvent } from "./seat.js";
import { pendingOf } from "./told.js";

/** A tool gets 3 s to obey an interrupt; storing the outcome takes a moment more. */
export const CHAT_GRACE_MS = 5_000;

/** How long an event may be behind an answer that was sent after it. */
const LOOK_AGAIN_MS = 5;
/** Nothing is heard of a turn that should run for this long: the host is asked whether it runs any. */
const SILENCE_MS = 3_000;

/** How long the news of an answer may be behind the answer. */
const DECIDED_MS = 1_000;

export interface WatchParts {
  readonly context: CliContext;
  readonly link: HostLink;
  readonly display: ChatDisplay;
}

export interface WatchWish {
  /** Undefined: until nothing is left to do. */
  readonly message: SentMessage | undefined;
  /** Undefined: nobody can be asked here. */
  readonly ask: Ask | undefined;
  /** Questions that were told before, and are still open. */
  readonly open: PendingQuestion | undefined;
  /** What its turn said before, and nobody here was shown. */
  readonly missed: readonly Glimpse[];
  /** The tip, as far as it is known. */
  readonly session: string;
  /** Aborted when nobody wants to see more of it; nothing is ended by that. */
  readonly left: AbortSignal;
  /** Whether a command of this chat is under way: it may be what answers. */
  isCommanding(): boolean;
  /** Whether this chat said it. */
  isMine(input: string | undefined): boolean;
}

/** A message whose answer is waited for. */
export interface SentMessage {
  readonly status: Result<"prompt.submit">["status"];
  readonly input: string | undefined;
  /** Sends it once more, which changes nothing: answers what became of it, undefined while it has no end. */
  becameOf(): Promise<Exchange | undefined>;
}

export interface Watched {
  readonly reports: readonly TurnReport[];
  /** What waits, told and unanswered. */
  readonly open: PendingQuestion | undefined;
}

export async function watch(parts: WatchParts, seat: Seat, wish: WatchWish): Promise<Watched> {
  const { context, link, display } = parts;
  const watching = new Watching(parts, seat, wish);
  const releaseLine = link.need();
  const forgetBroken = link.onBroken((why) => watching.fail(why));
  const release = context.takeInterrupts(() => {
    display.interrupting();
    return watching.interrupt();
  }, CHAT_GRACE_MS);
  const leave = (): void => watching.leave();
  wish.left.addEventListener("abort", leave, { once: true });
  try {
    display.running();
    for (const glimpse of wish.missed) display.glimpse(glimpse);
    return await watching.done();
  } finally {
    release();
    forgetBroken();
    releaseLine();
    seat.hear(undefined);
  }
}

interface RunningTurn {
  readonly turn: string;
  readonly input: string | undefined;
  steps: number;
  spent: Spent;
  model: string | null;
}

class Watching {
  readonly #parts: WatchParts;
  readonly #seat: Seat;
  readonly #wish: WatchWish;
  readonly #reports: TurnReport[] = [];
  #turn: RunningTurn | undefined;
  #asked: { readonly pending: PendingQuestion; readonly over: AbortController } | undefined;
  #open: PendingQuestion | undefined;
  /** The question that is being answered from here. */
  #answering: string | undefined;
  #isDone = false;
  #isInterrupted = false;
  #heard = 0;
  #forgetSilence: () => void = () => undefined;
  #resolve: (watched: Watched) => void = () => undefined;
  #reject: (why: unknown) => void = () => undefined;

  constructor(parts: WatchParts, seat: Seat, wish: WatchWish) {
    this.#parts = parts;
    this.#seat = seat;
    this.#wish = wish;
  }

  done(): Promise<Watched> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#seat.hear((event) => this.#hear(event));
      if (this.#wish.open !== undefined && this.#asked === undefined) this.#ask(this.#wish.open);
      const { message } = this.#wish;
      if (message?.status === "queued") this.#doing(this.#askWaiting());
      else if (message?.status !== "streaming") this.#look();
    });
  }

  fail(why: OperationalError): void {
    this.#isDone = true;
    this.#forgetSilence();
    this.#asked?.over.abort();
    this.#reject(why);
  }

  leave(): void {
    this.#finish();
  }

  /** Resolves once the host has heard it. */
  interrupt(): Promise<unknown> {
    this.#isInterrupted = true;
    const heard = this.#parts.link.call("session.interrupt", { session_id: this.#seat.id });
    this.#doing(heard);
    return heard;
  }

  #hear(event: SeatEvent): void {
    if (this.#isDone) return;
    this.#heard++;
    const { display } = this.#parts;
    switch (event.kind) {
      case "turn":
        // What ended before is told where it ended.
        for (const report of this.#reports) display.passed(report);
        this.#turn = { turn: event.turn, input: event.input, steps: 0, spent: NOTHING_SPENT, model: null };
        if (!this.#wish.isMine(event.input)) display.said({ text: event.text, isRecovered: event.isRecovered });
        break;
      case "glimpse":
        if (event.glimpse.type === "step") this.#count(event.glimpse);
        display.glimpse(event.glimpse);
        break;
      case "question":
        this.#ask(event);
        break;
      case "answered":
        this.#answered(event);
        break;
      case "ended":
        this.#ended(event.report);
        break;
      case "background":
        display.background(event);
        break;
      case "waits":
        if (this.#asked === undefined) this.#doing(this.#waits());
        break;
      case "line-lost":
        display.note("The line to the host is lost; what was stored is kept. Going on…");
        break;
      case "line-back":
        break;
      case "picture":
        // Whatever was shown of a step that was not over is told again.
        display.glimpse({ type: "retracted" });
        this.#look();
        break;
      case "unknown":
        this.#finish();
        break;
    }
  }

  #count({ model, usage }: Extract<Glimpse, { type: "step" }>): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const { spent } = turn;
    turn.steps++;
    turn.model = model;
    turn.spent = {
      inputTokens: spent.inputTokens + usage.inputTokens,
      outputTokens: spent.outputTokens + usage.outputTokens,
      costMicros: spent.costMicros + (usage.costMicros ?? 0),
      unpricedCalls: spent.unpricedCalls + (usage.costMicros === undefined ? 1 : 0),
    };
  }

  #ended(report: TurnReport): void {
    this.#reports.push(report);
    this.#asked?.over.abort();
    this.#asked = undefined;
    this.#open = undefined;
    const { message } = this.#wish;
    const took = this.#turn?.turn === report.turn ? this.#turn?.input : undefined;
    this.#turn = undefined;
    if (message !== undefined && took !== undefined && took === message.input) this.#finish();
    else this.#look();
  }

  /** Asks the host whether there is anything left to wait for. */
  #look(): void {
    const { message } = this.#wish;
    this.#doing(message === undefined ? this.#lookForRest() : this.#lookForEnd(message));
  }

  async #lookForRest(): Promise<void> {
    const { clock } = this.#parts.context;
    const { state, seq } = await this.#state();
    // What is still on its way may be the end of a turn, and is told first.
    while (seq > this.#seat.seq && !this.#isDone) await clock.sleep(LOOK_AGAIN_MS);
    if (this.#isDone) return;
    if (state === "idle") this.#finish();
    else if (state === "waiting" && this.#asked === undefined) await this.#askOldest();
    else this.#watchForSilence();
  }

  #state(): Promise<Result<"events.since">> {
    return this.#parts.link.call("events.since", { session_id: this.#seat.id, after: this.#seat.seq });
  }

  /** A host that crashed too often answers and runs nothing: whoever waits for a turn there is told. */
  #watchForSilence(): void {
    const { clock } = this.#parts.context;
    const heard = this.#heard;
    this.#forgetSilence();
    this.#forgetSilence = clock.after(SILENCE_MS, () => {
      if (!this.#isDone && heard === this.#heard) this.#doing(this.#tellSafeMode());
    });
  }

  async #tellSafeMode(): Promise<void> {
    const { safe_mode: safe } = await this.#parts.link.call("host.status", {});
    if (safe === undefined || safe === null) return;
    throw new UserError(
      `the host crashed ${safe.crashes} times within a few minutes and runs no turns for now; everything is kept`,
      "talaria logs may tell why; talaria host restart --reset tries again at once",
    );
  }

  async #lookForEnd(message: SentMessage): Promise<void> {
    const exchange = await message.becameOf();
    if (this.#isDone) return;
    if (exchange === undefined) return this.#askWaiting();
    const isTold = this.#reports.some(({ turn }) => turn === exchange.turn_id);
    if (!isTold) {
      tellUnknown(this.#parts.display, exchange);
      this.#reports.push(exchangeReport(this.#seat.id, exchange));
    }
    this.#finish();
  }

  /** A question may have been told before we came. */
  async #askWaiting(): Promise<void> {
    const { state } = await this.#state();
    if (state === "waiting" && this.#asked === undefined && !this.#isDone) await this.#askOldest();
  }

  async #askOldest(): Promise<void> {
    const [first] = await this.#pending();
    if (first !== undefined && this.#asked === undefined && !this.#isDone) this.#ask(first);
  }

  #ask(pending: PendingQuestion): void {
    if (this.#asked?.pending.approval === pending.approval) return;
    this.#asked?.over.abort();
    const over = new AbortController();
    this.#asked = { pending, over };
    this.#open = pending;
    this.#parts.display.glimpse({ type: "asking", approval: pending.approval, question: pending.question });
    this.#doing(this.#putQuestion(pending, over.signal));
  }

  async #putQuestion({ approval, question }: PendingQuestion, signal: AbortSignal): Promise<void> {
    const { link, display } = this.#parts;
    const answer = await this.#wish.ask?.(approval, question, signal);
    // Who interrupts in a question wants the turn's end, and that is told.
    if (signal.aborted || this.#isDone || (answer === undefined && this.#isInterrupted)) return;
    if (answer === undefined) return this.#waits();
    this.#answering = approval;
    const { resolved, decided } = await link.call("approval.respond", {
      session_id: this.#seat.id,
      choice: answer.answer,
      approval_id: approval,
      ...(answer.reply === undefined ? {} : { reply: answer.reply }),
    });
    if (resolved === 0 && decided !== undefined && decided !== answer.answer) {
      display.note(`Somebody else answered first: ${decided}.`);
    }
  }

  #answered({ approval, answer }: Extract<SeatEvent, { kind: "answered" }>): void {
    this.#parts.display.glimpse({ type: "answered", approval, answer });
    if (this.#open?.approval === approval) this.#open = undefined;
    if (this.#asked?.pending.approval !== approval) return;
    this.#asked.over.abort();
    this.#asked = undefined;
    if (this.#answering !== approval && !this.#wish.isCommanding()) this.#parts.display.answeredElsewhere(answer);
    this.#parts.display.running();
  }

  /** Nobody here can say more: the turn is left waiting. */
  async #waits(): Promise<void> {
    const known = this.#open;
    let questions = await this.#pending();
    if (questions.length === 0) {
      // Somebody was faster, and that is told in a moment.
      await this.#parts.context.clock.sleep(DECIDED_MS);
      if (known === undefined || known !== this.#open) return;
      questions = [known];
    }
    if (this.#isDone) return;
    this.#reports.push(this.#waitingReport(questions));
    this.#open = questions[0];
    this.#finish();
  }

  #waitingReport(questions: readonly PendingQuestion[]): TurnReport {
    const { turn = null, model = null, steps = 0, spent = NOTHING_SPENT } = this.#turn ?? {};
    const { id: conversation } = this.#seat;
    const { session } = this.#wish;
    const base = { conversation, session, turn, outcome: "waiting", text: "" } as const;
    return { ...base, model, steps, spent, isRecovered: this.#turn === undefined, questions };
  }

  async #pending(): Promise<readonly PendingQuestion[]> {
    const answer: Result<"session.questions"> = await this.#parts.link.call("session.questions", {
      session_id: this.#seat.id,
    });
    return answer.questions.map(pendingOf);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // What comes from here on, be it at once, is for whoever listens next.
    this.#seat.hear(undefined);
    this.#forgetSilence();
    this.#asked?.over.abort();
    this.#resolve({ reports: this.#reports, open: this.#open });
  }

  #doing(act: Promise<unknown>): void {
    act.catch((error: unknown) => {
      this.#isDone = true;
      this.#forgetSilence();
      this.#reject(error);
    });
  }
}
