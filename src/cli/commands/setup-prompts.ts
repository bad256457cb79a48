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

export function openPrompts(signal: AbortSignal): Prompts {
  let isMuted = false;
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: screen, terminal: true });
  const lines = new Lines();
  const stop = (): void => {
    // What comes next must not stand on the question's line.
    process.stderr.write("\n");
    lines.end(signal.reason);
    terminal.close();
  };
  terminal.on("line", (line) => lines.add(line));
  // In a prompt the terminal is in raw mode, and Ctrl-C arrives as a key instead of a signal.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  terminal.on("close", () => lines.end(new UserError("the input ended", "nothing was written")));
  signal.addEventListener("abort", stop, { once: true });
  return {
    async ask(question, proposal) {
      terminal.setPrompt(`${visible(question)}${proposal === undefined ? "" : ` [${visible(proposal)}]`}: `);
      terminal.prompt();
      const answer = (await lines.next()).trim();
      return answer === "" ? (proposal ?? "") : answer;
    },
    async askSecret(question) {
      terminal.setPrompt("");
      process.stderr.write(`${visible(question)} (not shown): `);
      isMuted = true;
      const answer = await lines.next().finally(() => {
        isMuted = false;
        process.stderr.write("\n");
      });
      return answer.trim();
    },
    close() {
      signal.removeEventListener("abort", stop);
      terminal.close();
    },
  };
}

/** Lines typed ahead beyond this are dropped. */
const LINES_AHEAD_MAX = 100;

/** Hands out lines as they are asked for, whichever comes first. */
class Lines {
  private readonly ahead: string[] = [];
  private waiting: { resolve(line: string): void; reject(reason: unknown): void } | undefined;
  private ending: { readonly reason: unknown } | undefined;

  next(): Promise<string> {
    const line = this.ahead.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.ending !== undefined) return Promise.reject(this.ending.reason);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  add(line: string): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting !== undefined) waiting.resolve(line);
    else if (this.ahead.length < LINES_AHEAD_MAX) this.ahead.push(line);
  }

  end(reason: unknown): void {
    this.ending ??= { reason };
    this.waiting?.reject(reason);
    this.waiting = undefined;
  }
}
