/** `talaria chat`: checks what was asked for, starts the runtime, and hands over to one run or to the chat of lines. */
import { UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { displayed, onScreen } from "./displayed.js";
import { terminalInput } from "./input/line-input.js";
import { pipedInput, readMessage } from "./input/piped-input.js";
import { chatByLines } from "./line-chat.js";
import { runOnce } from "./one-run.js";
import { type ChatOptions, checkOptions, isOneRun, workingDirectory } from "./options.js";
import { completeSlash } from "./slash-line.js";
import { startChat } from "./start.js";
import { findTarget } from "./target.js";

export async function chat(context: CliContext, options: ChatOptions): Promise<void> {
  const { out, signal, clock } = context;
  checkOptions(options, out.json);
  const cwd = workingDirectory(options);
  const text = options.query === "-" ? await readMessage(signal) : options.query;
  if (text?.trim() === "") throw new UserError("an empty message says nothing", "nothing was stored", EXIT.usage);
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const isOnce = isOneRun(options, { isTerminal, json: out.json });
  const parts = await startChat(context, options, cwd);
  // Ctrl-C came while everything was still being put together: nothing is said then.
  signal.throwIfAborted();
  const input = isTerminal ? terminalInput(clock, completeSlash) : undefined;
  const card = await findTarget(parts.started.store, options);
  if (isOnce) return runOnce(displayed(parts, options, input), options, { card, text });
  const wish = { card, title: options.title };
  await chatByLines(onScreen(parts, isTerminal ? "slash" : "flags"), wish, input ?? pipedInput(signal));
}
