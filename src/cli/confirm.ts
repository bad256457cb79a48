/** Asks before something is lost. Without a terminal nobody can answer, so the command must be told. */
import { createInterface } from "node:readline";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { EXIT } from "./exit-codes.js";

export interface Question {
  readonly text: string;
  /** The command's `--yes`. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
}

/** Only `y` or `yes` is a yes; Enter, end of input and everything else are a no. */
export async function confirm({ text, yes, signal }: Question): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UserError(
      "this needs a confirmation, and there is no terminal to ask in",
      "pass --yes to go ahead without being asked",
      EXIT.usage,
    );
  }
  const answer = await ask(`${visible(text)} [y/N] `, signal);
  return /^\s*y(es)?\s*$/i.test(answer);
}

function ask(prompt: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string>((resolve, reject) => {
    const stop = (): void => {
      // What comes next must not stand on the question's line.
      process.stderr.write("\n");
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    // In a prompt the terminal is in raw mode, and Ctrl-C arrives as a key instead of a signal.
    terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    terminal.once("close", () => resolve(""));
    terminal.question(prompt, resolve);
  }).finally(() => terminal.close());
}
