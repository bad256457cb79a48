/**
 * One conversation at a terminal, kept by the host: what is said is stored there before it is answered, and once however
 * often it has to be sent. An id that was printed can be resumed, an answer that was printed is history.
 */
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { randomIds } from "#base/ids.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { Ask } from "./ask.js";
import { isDemoLabel } from "./display.js";
import { type Card, type Exchange, recalledOf, tellUnknown } from "./exchange.js";
import type { PendingQuestion, TurnReport } from "./glimpse.js";
import { Missed } from "./missed.js";
import { isUnknown } from "./refused.js";
import { type Seat, type SeatListener, takeSeat } from "./seat.js";
import { defaultModel } from "./target.js";
import { type SentMessage, type WatchParts, watch } from "./watch.js";

/** A host that dies with what is said again and again is not asked for ever. */
const SEATS_MAX = 5;
/** Messages of this chat that are known as its own. */
const OWN_MAX = 1_000;

export interface ChatParts extends WatchParts {
  readonly start: ChatStart;
  /** Told where this chat is: nowhere, a blank place, or a conversation. */
  readonly onSeat: (id: string | undefined) => void;
  /** Told of a conversation that a person opens or speaks in. */
  readonly onUse: (id: string) => void;
  /** Resolves when what `onUse` was told is remembered. */
  readonly whenRemembered: () => Promise<void>;
}

/** What a new conversation begins with. */
export interface ChatStart {
  readonly cwd: string;
  readonly model?: string;
  readonly isYolo: boolean;
}

export interface Said {
  readonly text: string;
  readonly messageId?: string;
  readonly title?: string;
}

export class Talk {
  readonly #parts: ChatParts;
  readonly #own = new Set<string>();
  /** Of the turn that runs here, while nothing is asked of it. */
  readonly missed = new Missed();
  #seat: Seat | undefined;
  /** Nothing was said there yet: it is a promise of the host that runs, and of no other. */
  #isBlank = false;
  #model: string | undefined;
  #session = "";
  #title: string | undefined;
  #isTold = false;
  #open: PendingQuestion | undefined;
  #isWaiting = false;
  #message: (SentMessage & { readonly exchange: Exchange | undefined }) | undefined;
  /** What runs next was asked for here, though nobody here knows its number. */
  #ownsNext = false;
  #watched: AbortController | undefined;
  /** Under way. */
  #commands = 0;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** Undefined before the first message. */
  get conversation(): string | undefined {
    return this.#isBlank ? undefined : this.#seat?.id;
  }

  /** Its turn waits for a person. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** What the last `say` became when it had been said before, and was over. */
  get exchange(): Exchange | undefined {
    return this.#message?.exchange;
  }

  /** Goes on in one that exists; what is left to do there begins. */
  async sitDown(card: Card): Promise<Awaited<Seat["opened"]>> {
    this.leave();
    this.#session = card.tip_session_id;
    this.#title = card.title ?? undefined;
    this.#isWaiting = card.live_turn?.phase === "waiting";
    const seat = this.#take(card.id, true);
    const [own, opened] = await Promise.all([this.#modelOf(card), seat.opened]);
    this.#model = own;
    this.#parts.onUse(card.id);
    this.#tellOpened();
    return opened;
  }

  /** The seat for the next message or command: a blank one where nothing was said yet. */
  async seated(): Promise<Seat> {
    for (let seats = 1; ; seats++) {
      const seat = this.#seat ?? (await this.#takeBlank());
      try {
        await seat.opened;
        return seat;
      } catch (error) {
        this.#giveUpBlank(error, seats);
      }
    }
  }

  async #takeBlank(): Promise<Seat> {
    const { link, start } = this.#parts;
    const { cwd, model, isYolo } = start;
    const { session_id, info } = await link.call("session.create", {
      cwd,
      ...(model === undefined ? {} : { model }),
      ...(isYolo ? { yolo: true } : {}),
    });
    this.#isBlank = true;
    this.#model = info.model;
    this.#title = undefined;
    return this.#take(session_id, false);
  }

  /** The host that had promised it is gone, and the next one knows nothing of it. Anything else is told. */
  #giveUpBlank(error: unknown, seats: number): void {
    if (!this.#isBlank || !isUnknown(error) || seats >= SEATS_MAX) throw error;
    this.leave();
  }

  /** Stored when it resolves. Answers whether it is new. */
  async say({ text, messageId, title }: Said): Promise<"admitted" | "duplicate"> {
    const params = {
      text,
      client_message_id: messageId ?? randomIds<string>(),
      ...(title === undefined ? {} : { title }),
    };
    const { link, display } = this.#parts;
    const answer = await this.#submit(params);
    faultPoint("chat.submitted");
    const { status, input_id: input, exchange } = answer;
    if (answer.session_id !== this.#seat?.id) await this.#moveSeat(answer.session_id);
    this.#isBlank = false;
    if (input !== undefined && this.#own.size < OWN_MAX) this.#own.add(input);
    this.#session = answer.tip_session_id ?? exchange?.tip_session_id ?? this.#session;
    this.#message = {
      status,
      input,
      exchange,
      becameOf: async () => (await link.call("prompt.submit", { ...params, session_id: answer.session_id })).exchange,
    };
    this.#parts.onUse(answer.session_id);
    this.#tellOpened();
    if (answer.title_dropped !== undefined) display.note(answer.title_dropped);
    return status === "duplicate" ? "duplicate" : "admitted";
  }

  /** What the host does next was asked for here: a command that asks again, or goes on. */
  expect(): void {
    this.#ownsNext = true;
  }

  /** What happens meanwhile may be this chat's own doing. */
  async commanding<T>(act: () => Promise<T>): Promise<T> {
    this.#commands++;
    try {
      return await act();
    } finally {
      this.#commands--;
    }
  }

  /** `run` answers at once, and nothing is shown any more. What runs goes on in the host. */
  stopWatching(): void {
    this.#watched?.abort();
  }

  /** Watches until what was said is answered, or nothing is left to do. */
  async run(ask: Ask | undefined): Promise<readonly TurnReport[]> {
    const seat = this.#seat;
    const message = this.#message;
    this.#message = undefined;
    if (seat === undefined || this.#isBlank) return [];
    const isMine = (input: string | undefined): boolean => this.#ownsNext || this.isMine(input);
    const isCommanding = (): boolean => this.#commands > 0;
    const left = new AbortController();
    this.#watched = left;
    const known = { open: this.#open, missed: this.missed.take(), session: this.#session };
    const wish = { message, ask, ...known, isMine, isCommanding, left: left.signal };
    const { reports, open } = await watch(this.#parts, seat, wish).catch((error: unknown) => {
      if (error instanceof OperationalError) {
        this.#parts.display.note(`What was said is kept; talaria chat -r ${seat.id} goes on.`);
      }
      throw error;
    });
    this.#ownsNext = false;
    this.#watched = undefined;
    this.#open = open;
    if (left.signal.aborted) return [];
    faultPoint("chat.turn-over");
    const last = reports.at(-1);
    this.#isWaiting = last?.outcome === "waiting";
    this.#session = last?.session ?? this.#session;
    if (reports.length > 0) this.#parts.display.ended(reports);
    return reports;
  }

  /** Shows the last exchange instead of running anything. */
  async showLast(because: "idle" | "resumed"): Promise<ExitCode> {
    const { link, display } = this.#parts;
    const { conversation } = this;
    if (conversation === undefined) return EXIT.ok;
    const found = await link.call("session.find", { text: conversation });
    if (found.kind !== "found") return EXIT["not-found"];
    const { last_exchange: last, tip_session_id, model } = found.card;
    const recalled = recalledOf(conversation, last, because);
    tellUnknown(display, last);
    display.recalled({ ...recalled, session: tip_session_id, model: recalled.model ?? model });
    return EXIT.ok;
  }

  /** From here on this one is talked to; undefined: the next message begins it. */
  async moveTo(conversation: string | undefined): Promise<Awaited<Seat["opened"]> | undefined> {
    this.leave();
    if (conversation === undefined) return undefined;
    const { link } = this.#parts;
    const found = await link.call("session.find", { text: conversation });
    return found.kind === "found" ? this.sitDown(found.card) : undefined;
  }

  /** Hands what happens here to somebody, while nothing is asked of it. */
  hear(listener: SeatListener | undefined): void {
    this.#seat?.hear(listener);
  }

  isMine(input: string | undefined): boolean {
    return input !== undefined && this.#own.has(input);
  }

  /** A question that was told while nothing was watched, or its end. */
  noteQuestion(pending: PendingQuestion | undefined): void {
    this.#open = pending;
    this.#isWaiting = pending !== undefined;
  }

  leave(): void {
    this.#seat?.stop();
    this.#seat = undefined;
    this.#parts.onSeat(undefined);
    this.#isBlank = false;
    this.#message = undefined;
    this.#open = undefined;
    this.missed.forget();
    this.#isWaiting = false;
    this.#isTold = false;
    this.#title = undefined;
  }

  async #submit(params: { readonly text: string; readonly client_message_id: string; readonly title?: string }) {
    const { link } = this.#parts;
    for (let seats = 1; ; seats++) {
      const seat = await this.seated();
      try {
        return await link.call("prompt.submit", { ...params, session_id: seat.id });
      } catch (error) {
        this.#giveUpBlank(error, seats);
      }
    }
  }

  /** A message that had been said before belongs where it was said. */
  async #moveSeat(id: string): Promise<void> {
    this.#seat?.stop();
    await this.#take(id, true).opened;
  }

  #take(id: string, isWaking: boolean): Seat {
    this.#seat = takeSeat(this.#parts.link, id, { isWaking });
    this.#parts.onSeat(id);
    return this.#seat;
  }

  /** The model that was chosen for it, else the one that would answer anybody. */
  async #modelOf({ settings }: Card): Promise<string> {
    const own = settings["model"];
    return typeof own === "string" ? own : (await defaultModel(this.#parts.link)).label;
  }

  #tellOpened(): void {
    const { conversation } = this;
    if (this.#isTold || conversation === undefined) return;
    this.#isTold = true;
    const model = this.#model ?? "";
    const named = this.#title === undefined ? {} : { title: this.#title };
    this.#parts.display.opened({ conversation, session: this.#session, model, isDemo: isDemoLabel(model), ...named });
  }
}

export function exitCodeOf(reports: readonly Pick<TurnReport, "outcome">[]): ExitCode {
  const last = reports.at(-1);
  return last === undefined ? EXIT.ok : EXIT_OF[last.outcome];
}

const EXIT_OF: Readonly<Record<TurnReport["outcome"], ExitCode>> = {
  completed: EXIT.ok,
  failed: EXIT.failed,
  "interrupted-by-crash": EXIT.failed,
  "interrupted-by-user": EXIT.interrupted,
  waiting: EXIT.waiting,
};
