/**
 * Where lines come from: a person at a terminal, or a pipe. While a turn runs, what is typed is kept and not shown, so
 * that it tears no answer; whole lines are read next, in order, and what was begun stands in the next prompt.
 */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import { INPUT_CHARS_MAX } from "#session/input.js";
import { EXIT } from "../exit-codes.js";

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
  /** Keeps what is typed from here on, until the returned function is called; Ctrl-C is told. */
  listen(interrupt: () => void): () => void;
  /** Lines that were typed ahead are not sent: they stand in the next prompt. */
  holdBack(): void;
}

const HISTORY_LINES_MAX = 500;
const TYPED_AHEAD_LINES_MAX = 1_000;
/** Long enough for what is in the terminal's buffer to arrive, too short to notice. */
const DRAIN_MS = 40;

export function terminalInput(clock: Clock, complete: (line: string) => string[]): LineInput {
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
    listen: (interrupt) => keyboard.listen(interrupt),
    holdBack: () =>
      keyboard.giveBack([...ahead.splice(0), keyboard.takeUnfinished()].filter((text) => text !== "").join(" ")),
  };
}

interface Keyboard {
  /** Whole lines that nobody has read yet, in order. */
  readonly ahead: string[];
  /** Ctrl-D was typed where no prompt was, or the terminal has gone. */
  isLeft(): boolean;
  /** Shows the prompt with what was begun before. On `line` the line is in `ahead`. */
  prompt(prompt: string, signal: AbortSignal): Promise<ReadLine>;
  /** Takes in, unseen, what is typed until the returned function is called. */
  listen(interrupt: () => void): () => void;
  /** Takes in what was typed before now and stops listening; the returned function listens again. */
  drain(clock: Clock): Promise<() => void>;
  takeUnfinished(): string;
  giveBack(text: string): void;
}

function createKeyboard(complete: (line: string) => string[]): Keyboard {
  const ahead: string[] = [];
  let history: string[] = [];
  let unfinished = "";
  let isLeft = false;
  let listening: { readonly reader: Interface; readonly interrupt: () => void } | undefined;
  const open = (output: Writable): Interface => {
    const reader = createInterface({
      input: process.stdin,
      output,
      terminal: true,
      history,
      historySize: HISTORY_LINES_MAX,
      removeHistoryDuplicates: true,
      completer: (line: string) => [complete(line), line],
    });
    reader.on("history", (lines: string[]) => {
      history = [...lines];
    });
    reader.on("line", (text) => {
      if (ahead.length < TYPED_AHEAD_LINES_MAX) ahead.push(text);
    });
    return reader;
  };
  const takeUnfinished = (): string => {
    const text = unfinished;
    unfinished = "";
    return text;
  };
  const begin = (reader: Interface): void => {
    const begun = takeUnfinished();
    if (begun !== "") reader.write(begun);
  };
  const close = (reader: Interface): void => {
    unfinished = reader.line ?? "";
    reader.close();
  };
  const hear = (interrupt: () => void): void => {
    const reader = open(unseen());
    listening = { reader, interrupt };
    begin(reader);
    reader.on("SIGINT", interrupt);
    reader.once("close", () => {
      isLeft ||= listening?.reader === reader;
    });
  };
  const hush = (): void => {
    const reader = listening?.reader;
    // Forgotten before it is closed: an end that is not ours is the person's.
    listening = undefined;
    if (reader !== undefined) close(reader);
  };
  return {
    ahead,
    isLeft: () => isLeft,
    listen(interrupt) {
      hear(interrupt);
      return hush;
    },
    async drain(clock) {
      const interrupt = listening?.interrupt;
      if (interrupt === undefined) hear(() => undefined);
      await clock.sleep(DRAIN_MS);
      hush();
      return () => void (interrupt !== undefined && hear(interrupt));
    },
    takeUnfinished,
    giveBack: (text) => {
      unfinished = text + unfinished;
    },
    async prompt(prompt, signal) {
      const reader = open(process.stderr);
      reader.setPrompt(prompt);
      reader.prompt();
      begin(reader);
      const read = await outcomeOf(reader, signal);
      close(reader);
      if (read.kind === "line") return read;
      unfinished = "";
      process.stderr.write("\n");
      return read;
    },
  };
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

/** Every line of stdin, whole and bounded. Nobody can be asked here. */
export function pipedInput(signal: AbortSignal): LineInput {
  const lines = linesOf(process.stdin);
  const stopped = aborted(signal);
  const read = async (): Promise<ReadLine> => {
    const next = await Promise.race([lines.next(), stopped]);
    if (next !== undefined && next.done !== true) return { kind: "line", text: next.value };
    // Nothing more is wanted of it: a pipe that stays open must not keep the process.
    process.stdin.destroy();
    return { kind: "end" };
  };
  const nothing = (): void => undefined;
  return { isTerminal: false, read, ask: async () => ({ kind: "end" }), listen: () => nothing, holdBack: nothing };
}

async function* linesOf(stream: NodeJS.ReadStream): AsyncGenerator<string, void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.write(chunk as Buffer)).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) yield line.replace(/\r$/, "");
    if (rest.length > INPUT_CHARS_MAX) throw tooLong();
  }
  rest += decoder.end();
  if (rest !== "") yield rest;
}

/** `-q -`: stdin is one message. The line break at its end is the shell's, not the person's. */
export async function readMessage(signal: AbortSignal): Promise<string> {
  const decoder = new StringDecoder("utf8");
  let text = "";
  const chunks = process.stdin[Symbol.asyncIterator]();
  const stopped = aborted(signal);
  for (;;) {
    const next = await Promise.race([chunks.next(), stopped]);
    signal.throwIfAborted();
    if (next === undefined || next.done === true) break;
    text += decoder.write(next.value as Buffer);
    if (text.length > INPUT_CHARS_MAX + 2) throw tooLong();
  }
  return (text + decoder.end()).replace(/\r?\n$/, "");
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

function tooLong(): UserError {
  return new UserError(
    `a message has at most ${INPUT_CHARS_MAX.toLocaleString("en-US")} characters`,
    "nothing of it was sent; put long text into a file and name the file",
    EXIT.usage,
  );
}
