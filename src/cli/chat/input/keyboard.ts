/**
 * The terminal's keys. At a prompt they are shown and edited; while something runs they are taken in unseen. One reader
 * has the terminal at a time, and what one has not finished goes to the next.
 */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { Clock } from "#base/clock.js";
import type { Completer } from "../complete.js";
import type { ReadLine } from "./line-input.js";

const HISTORY_LINES_MAX = 500;
const TYPED_AHEAD_LINES_MAX = 1_000;
/** Long enough for what is in the terminal's buffer to arrive, too short to notice. */
const DRAIN_MS = 40;

/** True: the line is taken, and nobody else reads it. */
export type TakeLine = (line: string) => boolean;

type CompleterDone = (error: null, result: [completions: string[], replaced: string]) => void;

export interface Keyboard {
  /** Whole lines that nobody has read yet, in order. */
  readonly ahead: string[];
  /** Ctrl-D was typed where no prompt was, or the terminal has gone. */
  isLeft(): boolean;
  /** Shows the prompt with what was begun before. On `line` the line is in `ahead`. */
  prompt(prompt: string, signal: AbortSignal): Promise<ReadLine>;
  /** Lets `write` put lines above the prompt, where one is shown; what is being typed stays as it is. */
  interject(write: () => void): void;
  /** Takes in, unseen, what is typed until the returned function is called; whole lines that `take` wants are its own. */
  listen(interrupt: () => void, take?: TakeLine): () => void;
  /** Takes in what was typed before now and stops listening; the returned function listens again. */
  drain(clock: Clock): Promise<() => void>;
  takeUnfinished(): string;
  giveBack(text: string): void;
}

export function createKeyboard(complete: Completer): Keyboard {
  const readers = createReaders(complete);
  const { ahead } = readers;
  let isLeft = false;
  let shown: Interface | undefined;
  let listening: { readonly reader: Interface; readonly again: () => void } | undefined;
  const hear = (interrupt: () => void, take?: TakeLine): void => {
    const reader = readers.open(unseen(), take);
    listening = { reader, again: () => hear(interrupt, take) };
    readers.begin(reader);
    reader.on("SIGINT", interrupt);
    reader.once("close", () => {
      isLeft ||= listening?.reader === reader;
    });
  };
  const hush = (): void => {
    const reader = listening?.reader;
    // Forgotten before it is closed: an end that is not ours is the person's.
    listening = undefined;
    if (reader !== undefined) readers.close(reader);
  };
  return {
    ahead,
    isLeft: () => isLeft,
    listen(interrupt, take) {
      hear(interrupt, take);
      return hush;
    },
    async drain(clock) {
      const again = listening?.again;
      if (again === undefined) hear(() => undefined);
      await clock.sleep(DRAIN_MS);
      hush();
      return () => again?.();
    },
    interject(write) {
      if (shown === undefined) write();
      else writeAbove(shown, write);
    },
    takeUnfinished: readers.takeUnfinished,
    giveBack: readers.giveBack,
    async prompt(prompt, signal) {
      const reader = readers.open(process.stderr);
      reader.setPrompt(prompt);
      reader.prompt();
      readers.begin(reader);
      shown = reader;
      const read = await outcomeOf(reader, signal);
      shown = undefined;
      readers.close(reader);
      if (read.kind === "line") return read;
      // Who leaves a line by Ctrl-C or Ctrl-D has done with it.
      readers.takeUnfinished();
      process.stderr.write("\n");
      return read;
    },
  };
}

/** What passes from one reader to the next: history, whole lines, and the line that was begun. */
function createReaders(complete: Completer) {
  const ahead: string[] = [];
  let history: string[] = [];
  let unfinished = "";
  const takeUnfinished = (): string => {
    const text = unfinished;
    unfinished = "";
    return text;
  };
  return {
    ahead,
    takeUnfinished,
    giveBack: (text: string): void => {
      unfinished = text + unfinished;
    },
    open(output: Writable, take?: TakeLine): Interface {
      const reader = createInterface({
        input: process.stdin,
        output,
        terminal: true,
        history,
        historySize: HISTORY_LINES_MAX,
        removeHistoryDuplicates: true,
        completer: (line: string, done: CompleterDone) =>
          void complete(line).then(([completions, replaced]) => done(null, [completions, replaced])),
      });
      reader.on("history", (lines: string[]) => {
        history = [...lines];
      });
      reader.on("line", (text) => {
        if (take?.(text) !== true && ahead.length < TYPED_AHEAD_LINES_MAX) ahead.push(text);
      });
      return reader;
    },
    begin(reader: Interface): void {
      const begun = takeUnfinished();
      if (begun !== "") reader.write(begun);
    },
    close(reader: Interface): void {
      unfinished = reader.line ?? "";
      reader.close();
    },
  };
}

/** The prompt and what is typed may take several rows: all of them are wiped, and drawn again below. */
function writeAbove(reader: Interface, write: () => void): void {
  moveCursor(process.stderr, 0, -reader.getCursorPos().rows);
  cursorTo(process.stderr, 0);
  clearScreenDown(process.stderr);
  write();
  // It would go up once more over the rows it had before.
  (reader as { prevRows?: number }).prevRows = 0;
  reader.prompt(true);
}

function unseen(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

async function outcomeOf(reader: Interface, signal: AbortSignal): Promise<ReadLine> {
  const done = new AbortController();
  const outcome = await new Promise<ReadLine>((resolve) => {
    reader.once("line", (text) => resolve({ kind: "line", text }));
    reader.once("close", () => resolve({ kind: "end" }));
    reader.once("SIGINT", () => resolve({ kind: "interrupted", hadText: reader.line !== "" }));
    const stop = (): void => resolve({ kind: "interrupted", hadText: false });
    signal.addEventListener("abort", stop, { once: true, signal: done.signal });
  });
  done.abort();
  return outcome;
}
