/** `talaria chat`: checks what was asked for, reaches the host, and hands over to one run or to the chat of lines. */
import { OperationalError, UserError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { RpcError } from "#client/host-line.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { otherVariablesText } from "../other-variables.js";
import { createCompleter } from "./complete.js";
import { displayed, onScreen } from "./displayed.js";
import type { LineInput } from "./input/line-input.js";
import { pipedInput, readMessage } from "./input/piped-input.js";
import { rememberLast } from "./last-chat.js";
import { type HostLink, openLink } from "./link.js";
import { runOnce } from "./one-run.js";
import { type ChatOptions, checkOptions, isOneRun, workingDirectory } from "./options.js";
import type { ChatParts } from "./talk.js";
import { defaultModel, findTarget } from "./target.js";

/** How long a chat that ends waits for the host to close what it leaves; the host does that by itself later, too. */
const BYE_MS = 1_000;

export async function chat(context: CliContext, options: ChatOptions): Promise<void> {
  const { out, signal } = context;
  checkOptions(options, out.json);
  const cwd = workingDirectory(options);
  const text = options.query === "-" ? await readMessage(signal) : options.query;
  if (text?.trim() === "") throw new UserError("an empty message says nothing", "nothing was stored", EXIT.usage);
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const isOnce = isOneRun(options, { isTerminal, json: out.json });
  const link = await openLink(context);
  const { other_variables: others = [] } = link.hello;
  if (others.length > 0) out.warn(otherVariablesText(others));
  // Ctrl-C came while everything was still being put together: nothing is said then.
  signal.throwIfAborted();
  try {
    const { model } = options;
    const start = { cwd, isYolo: options.yolo === true, ...(model === undefined ? {} : { model }) };
    let seat: string | undefined;
    const onSeat = (id: string | undefined): void => {
      seat = id;
    };
    let used = Promise.resolve();
    const onUse = (id: string): void => {
      used = used.then(() => rememberLast(context.home, id));
    };
    const parts: Omit<ChatParts, "display"> = { context, link, start, onSeat, onUse, whenRemembered: () => used };
    const [card, known] = await Promise.all([findTarget(context, link, options), defaultModel(link)]);
    const input = isTerminal ? await terminal(context, link, () => seat) : undefined;
    const wish = { card, text, title: options.title, known };
    if (isOnce) await runOnce(displayed(parts, options, input), options, wish);
    else {
      const { chatByLines } = await import("./line-chat.js");
      await chatByLines(onScreen(parts, isTerminal ? "slash" : "flags"), wish, input ?? pipedInput(signal));
    }
    await used;
    await sayGoodbye(link);
  } finally {
    link.close();
  }
}

/** One message from the shell pays for neither a prompt nor the chat behind it. */
async function terminal({ clock }: CliContext, link: HostLink, seat: () => string | undefined): Promise<LineInput> {
  const { terminalInput } = await import("./input/line-input.js");
  return terminalInput(clock, createCompleter(link, seat));
}

/** What only this chat held is closed; a turn that runs or waits goes on. No host is started for it. */
async function sayGoodbye({ kept }: HostLink): Promise<void> {
  faultPoint("chat.before-bye");
  await kept.call("connection.bye", { reason: "cli_close" }, { timeoutMs: BYE_MS }).catch((error: unknown) => {
    // A host that is gone has nothing of ours open, and one that is slow closes it when it notices that we left.
    if (!(error instanceof OperationalError || error instanceof RpcError)) throw error;
  });
}
