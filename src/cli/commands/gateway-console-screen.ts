/** What a person at the console sees: messages when they rest, broken between words, and buttons as numbers to type. */
import type { Clock } from "#base/clock.js";
import { visibleLines } from "#base/text-width.js";
import { createWordWrap } from "../chat/word-wrap.js";
import type { ConsoleButton } from "./gateway-console-line.js";

/** An answer that still grows is shown when it rests for so long. */
const SETTLE_MS = 600;
const BUTTONS_MAX = 20;

export interface ConsolePaper {
  readonly clock: Clock;
  /** Undefined: nobody sees them, and lines are not broken. */
  columns(): number | undefined;
  write(text: string): void;
}

export interface ShownMessage {
  /** The same for a message and its edits. */
  readonly name: string;
  readonly text: string;
  readonly buttons?: readonly ConsoleButton[] | undefined;
}

export class ConsoleScreen {
  #buttons: { readonly of: string; readonly all: readonly ConsoleButton[] } = { of: "", all: [] };
  /** What is shown of each message: of one that has grown, the rest is. */
  readonly #shown = new Map<string, string>();
  readonly #settling = new Map<string, { put(): void; forget(): void }>();

  constructor(
    private readonly paper: ConsolePaper,
    private readonly onPut: () => void = () => undefined,
  ) {}

  /** A remark, on lines of its own. */
  remark(text: string): void {
    this.#line(`· ${text}`);
  }

  message(message: ShownMessage): void {
    const { name } = message;
    this.#settling.get(name)?.forget();
    const put = (): void => this.#put(message);
    this.#settling.set(name, { put, forget: this.paper.clock.after(SETTLE_MS, put) });
  }

  /** What was told and still rests is shown: we said that it was. */
  flush(): void {
    for (const { put, forget } of [...this.#settling.values()]) {
      forget();
      put();
    }
  }

  /** The button that this number stands for. */
  button(typed: string): ConsoleButton | undefined {
    return /^\d{1,2}$/.test(typed.trim()) ? this.#buttons.all[Number(typed.trim()) - 1] : undefined;
  }

  /** A number that is typed later answers another question. */
  forgetButtons(): void {
    this.#buttons = { of: "", all: [] };
  }

  #put({ name, text, buttons }: ShownMessage): void {
    this.#settling.delete(name);
    this.onPut();
    const before = this.#shown.get(name);
    this.#shown.set(name, text);
    const hadButtons = this.#buttons.of === name;
    if (hadButtons) this.forgetButtons();
    // The same message once more, perhaps with a mark that says so: it stands above already.
    if (before !== undefined && (text === before || text.endsWith(`\n${before}`))) return;
    if (before === undefined) this.#line(`talaria: ${text}`);
    else if (text.startsWith(before)) this.#line(text.slice(before.length).trimStart());
    else this.#line(isChangedAtEnd(before, text) ? (text.split("\n").at(-1) ?? "") : `talaria: ${text}`);
    if (buttons === undefined) return;
    this.#buttons = { of: name, all: buttons.slice(0, BUTTONS_MAX) };
    for (const [at, { label }] of this.#buttons.all.entries()) this.#line(`  ${at + 1}. ${label}`);
  }

  #line(text: string): void {
    const words = visibleLines(text);
    const columns = this.paper.columns();
    // A pipe gets lines as they were said.
    const flow = createWordWrap((piece) => this.paper.write(piece), columns ?? Number.POSITIVE_INFINITY);
    flow.add(words);
    flow.endLine();
  }
}

/** A question that was answered: its last line is another one, and the rest stands above. */
function isChangedAtEnd(before: string, text: string): boolean {
  const kept = text.split("\n").slice(0, -1).join("\n").trimEnd();
  return kept !== "" && before.startsWith(kept);
}
