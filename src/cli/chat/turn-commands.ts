/**
 * Commands that are typed while a turn runs: they are sent to the host at once, one after the other, and what it answers
 * is shown above what comes. One that leads elsewhere ends the watching, not the turn.
 */
import { OperationalError, UserError } from "#base/errors.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import type { CliContext } from "../command.js";
import type { LineInput } from "./input/line-input.js";
import type { HostLink } from "./link.js";
import type { Screen } from "./screen.js";
import { isCommandLine, runSlash } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import type { Talk } from "./talk.js";
import { CHAT_GRACE_MS } from "./watch.js";

/** Typed faster than the host answers; what is beyond is kept for after the turn, as any line is. */
const WAITING_MAX = 100;

export interface TurnCommandParts {
  readonly context: CliContext;
  readonly link: HostLink;
  readonly screen: Screen;
  readonly surface: ChatSurface;
}

export class TurnCommands {
  readonly #parts: TurnCommandParts;
  readonly #talk: Talk;
  readonly #input: LineInput;
  readonly #waiting: string[] = [];
  /** What is to be done when the turn is over, or not watched any more. */
  #next: SlashNextWire[] = [];
  /** Undefined while nothing runs: a command is a line like any other then. */
  #stored: Promise<unknown> | undefined;
  #sending: Promise<void> | undefined;
  #failure: unknown;

  constructor(parts: TurnCommandParts, talk: Talk, input: LineInput) {
    this.#parts = parts;
    this.#talk = talk;
    this.#input = input;
  }

  /** Takes commands while `act` runs; where what it is about is stored first, they wait for that. */
  async during<T>(act: () => Promise<T>, stored: Promise<unknown> = Promise.resolve()): Promise<T> {
    this.#stored = stored;
    try {
      return await act();
    } finally {
      this.#stored = undefined;
      await this.#rest();
    }
  }

  /** False: it is no command, or none for now. */
  take(line: string): boolean {
    const isNow = this.#stored !== undefined && !this.#isLeaving && this.#waiting.length < WAITING_MAX;
    if (!isNow || !isCommandLine(line.trimEnd())) return false;
    this.#waiting.push(line.trimEnd());
    this.#sending ??= this.#send(this.#stored).finally(() => {
      this.#sending = undefined;
    });
    return true;
  }

  get hasNext(): boolean {
    return this.#next.length > 0;
  }

  /** Throws what went wrong with a command and cannot be told like an answer. */
  takeNext(): SlashNextWire | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    return this.#next.shift();
  }

  /** Sends one at a question, where lines are answers otherwise. */
  async sendOne(line: string): Promise<void> {
    if (this.take(line)) await this.#sending;
  }

  get #isLeaving(): boolean {
    return this.#next.some(leads);
  }

  async #send(stored: Promise<unknown> | undefined): Promise<void> {
    // Whoever said it is told why it could not be stored; what was typed after it is kept.
    const isStored = await Promise.resolve(stored).then(
      () => true,
      () => false,
    );
    while (isStored && !this.#isLeaving && this.#waiting.length > 0) {
      const line = this.#waiting.shift() ?? "";
      await this.#run(line).catch((error: unknown) => this.#tell(line, error));
    }
    this.#input.unread(this.#waiting.splice(0));
  }

  async #run(line: string, signal = this.#parts.context.signal): Promise<void> {
    const { link, screen, surface } = this.#parts;
    const { paint, columns } = surface;
    const { id } = await this.#talk.seated();
    const say = (lines: readonly string[]): void => screen.aside([`> ${line}`, ...lines].map(paint.dim));
    const { next } = await this.#talk.commanding(() => runSlash(line, id, { link, columns, signal, say }));
    if (next.kind === "stay" || next.kind === "prefill") return;
    if (leads(next)) this.#next = [];
    this.#next.push(next);
    if (leads(next)) this.#talk.stopWatching();
  }

  #tell(line: string, error: unknown): void {
    const { screen, surface } = this.#parts;
    if (error instanceof UserError || error instanceof OperationalError) {
      screen.aside([surface.paint.dim(`> ${line}`), surface.paint.yellow(error.message)]);
    } else this.#failure ??= error;
  }

  /** A command whose answer is not there yet keeps the prompt from coming; Ctrl-C does not wait for it. */
  async #rest(): Promise<void> {
    if (this.#sending === undefined) return;
    let release: () => void = () => undefined;
    const interrupted = new Promise<void>((resolve) => {
      release = this.#parts.context.takeInterrupts(resolve, CHAT_GRACE_MS);
    });
    await Promise.race([this.#sending, interrupted]);
    release();
  }
}

/** It leads away from the turn that runs. */
function leads({ kind }: SlashNextWire): boolean {
  return kind === "leave" || kind === "move" || kind === "resume";
}
