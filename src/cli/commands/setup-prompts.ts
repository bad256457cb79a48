/**
 * Questions in a terminal, through one reader for the whole dialog: what is typed or pasted ahead answers the
 * questions that follow. A secret is not echoed.
 */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";

export interface Prompts {
  /** Enter alone means `proposal`. */
  ask(question: string, proposal?: string): Promise<string>;
  askSecret(question: string): Promise<string>;
  close(): void;
}

/** Answers typed ahead beyond this are dropped. */
const LINES_AHEAD_MAX = 100;

export function openPrompts(signal: AbortSignal): Prompts {
  let isMuted = false;
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: screen, terminal: true });
  const ahead: string[] = [];
  let waiting: { resolve(line: string): void; reject(reason: unknown): void } | undefined;
  let isOver = false;
  const settle = (act: (one: NonNullable<typeof waiting>) => void): void => {
    const one = waiting;
    waiting = undefined;
    if (one !== undefined) act(one);
  };
  terminal.on("line", (line) => {
    if (waiting !== undefined) settle((one) => one.resolve(line));
    else if (ahead.length < LINES_AHEAD_MAX) ahead.push(line);
  });
  // In a prompt the terminal is in raw mode, and Ctrl-C arrives as a key instead of a signal.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  terminal.on("close", () => {
    isOver = true;
    settle((one) => one.reject(new UserError("the input ended", "nothing was written")));
  });
  const stop = (): void => {
    process.stderr.write("\n");
    settle((one) => one.reject(signal.reason));
    terminal.close();
  };
  signal.addEventListener("abort", stop, { once: true });

  const next = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const line = ahead.shift();
      if (line !== undefined) resolve(line);
      else if (isOver) reject(new UserError("the input ended", "nothing was written"));
      else waiting = { resolve, reject };
    });

  return {
    async ask(question, proposal) {
      const prompt = `${visible(question)}${proposal === undefined ? "" : ` [${visible(proposal)}]`}: `;
      terminal.setPrompt(prompt);
      terminal.prompt();
      const answer = (await next()).trim();
      return answer === "" ? (proposal ?? "") : answer;
    },
    async askSecret(question) {
      terminal.setPrompt("");
      process.stderr.write(`${visible(question)} (not shown): `);
      isMuted = true;
      try {
        return (await next()).trim();
      } finally {
        isMuted = false;
        process.stderr.write("\n");
      }
    },
    close() {
      signal.removeEventListener("abort", stop);
      terminal.close();
    },
  };
}
