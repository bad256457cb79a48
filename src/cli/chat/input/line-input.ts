/**
 * Where lines come from: a person at a terminal, or a pipe (`piped-input.ts`). While a turn runs, what is typed is kept
 * and not shown, so that it tears no answer; whole lines are read next, in order, but for those that somebody takes at
 * once, and what was begun stands in the next prompt.
 */
import type { Clock } from "#base/clock.js";
import type { Completer } from "../complete.js";
import { createKeyboard, type TakeLine } from "./keyboard.js";

export type ReadLine =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-D, or the pipe's end. */
  | { readonly kind: "end" }
  /** Ctrl-C at the prompt; `hadText` when a line was being typed. */
  | { readonly kind: "interrupted"; readonly hadText: boolean };

export interface LineInput {
  readonly isTerminal: boolean;
  read(prompt: string, signal: AbortSignal): Promise<ReadLine>;
  /** As `read`, but nothing that was typed before the question was shown answers it. */
  ask(prompt: string, signal: AbortSignal): Promise<ReadLine>;
  /** Keeps what is typed from here on, but for lines that `take` wants, until the returned function is called; Ctrl-C is told. */
  listen(interrupt: () => void, take?: TakeLine): () => void;
  /** Lines that were taken and not used are read next. */
  unread(lines: readonly string[]): void;
  /** Lets `write` put lines above a prompt that is shown. */
  interject(write: () => void): void;
  /** Lines that were typed ahead are not sent: they stand in the next prompt. */
  holdBack(): void;
}

export function terminalInput(clock: Clock, complete: Completer): LineInput {
  const keyboard = createKeyboard(complete);
  const { ahead } = keyboard;
  return {
    isTerminal: true,
    async read(prompt, signal) {
      if (signal.aborted) return { kind: "end" };
      const next = ahead.shift();
      if (next !== undefined) {
        process.stderr.write(`${prompt}${next}\n`);
        return { kind: "line", text: next };
      }
      if (keyboard.isLeft()) return { kind: "end" };
      const read = await keyboard.prompt(prompt, signal);
      return read.kind === "line" ? { kind: "line", text: ahead.shift() ?? "" } : read;
    },
    async ask(prompt, signal) {
      const goOn = await keyboard.drain(clock);
      try {
        if (signal.aborted) return { kind: "interrupted", hadText: false };
        const before = ahead.splice(0);
        const begun = keyboard.takeUnfinished();
        const read = await keyboard.prompt(prompt, signal);
        const [answer = "", ...after] = ahead.splice(0);
        // Typed before the question, or pasted behind the answer: neither an answer nor lost.
        ahead.push(...before, ...after);
        keyboard.giveBack(begun);
        return read.kind === "line" ? { kind: "line", text: answer } : read;
      } finally {
        goOn();
      }
    },
    listen: (interrupt, take) => keyboard.listen(interrupt, take),
    unread: (lines) => void ahead.unshift(...lines),
    interject: (write) => keyboard.interject(write),
    holdBack: () =>
      keyboard.giveBack([...ahead.splice(0), keyboard.takeUnfinished()].filter((text) => text !== "").join(" ")),
  };
}
