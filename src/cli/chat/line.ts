/** What one line sets off: a message and its answer, or a command and what it leads to. */
import { OperationalError, UserError } from "#base/errors.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import { EXIT } from "../exit-codes.js";
import type { Ask } from "./ask.js";
import type { TurnReport } from "./glimpse.js";
import type { LineInput } from "./input/line-input.js";
import type { Screen } from "./screen.js";
import { isCommandLine, runSlash } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import { type ChatParts, exitCodeOf, type Talk } from "./talk.js";
import { CHAT_GRACE_MS } from "./watch.js";

export interface LineChatParts extends ChatParts {
  readonly screen: Screen;
  readonly surface: ChatSurface;
}

export interface LineChat {
  readonly parts: LineChatParts;
  readonly talk: Talk;
  readonly input: LineInput;
  readonly ask: Ask | undefined;
  /** Wanted for the conversation that the first message begins [LS-4]. */
  title: string | undefined;
  /** Of the last turn that this line set off. */
  outcome: TurnReport["outcome"] | undefined;
}

/** A mistake is told, and the chat goes on. */
export async function oneLine(chat: LineChat, line: string): Promise<"stay" | "leave"> {
  const { screen, context } = chat.parts;
  try {
    if (!isCommandLine(line.trimEnd())) {
      await send(chat, line.trim());
      return "stay";
    }
    return await follow(chat, await slash(chat, line.trimEnd()));
  } catch (error) {
    if (!isTellable(error)) throw error;
    screen.note(
      error instanceof UserError && error.hint !== undefined ? `${error.message}; ${error.hint}` : error.message,
    );
    context.exitWith(EXIT.failed);
    return "stay";
  }
}

/** A host that cannot be started ends the chat; a command that got no answer does not. */
function isTellable(error: unknown): error is UserError | OperationalError {
  if (error instanceof UserError) return true;
  return error instanceof OperationalError && ["host-gone", "host-slow"].includes(error.code);
}

/** A command may ask a model; Ctrl-C ends the waiting for it, not the chat. */
async function slash({ parts, talk }: LineChat, line: string): Promise<SlashNextWire> {
  const { screen, surface, context, link } = parts;
  const { id } = await talk.seated();
  const interrupt = new AbortController();
  const release = context.takeInterrupts(
    () => interrupt.abort(new UserError("not waited for any longer; what the command began may go on")),
    CHAT_GRACE_MS,
  );
  try {
    const place = { link, screen, columns: surface.columns, signal: interrupt.signal };
    const { next, isRefused } = await runSlash(line, id, place);
    if (isRefused) context.exitWith(EXIT.failed);
    return next;
  } finally {
    release();
  }
}

async function follow(chat: LineChat, next: SlashNextWire): Promise<"stay" | "leave"> {
  const { talk } = chat;
  switch (next.kind) {
    case "leave":
      return "leave";
    case "move":
      await talk.moveTo(next.session_id ?? undefined);
      return "stay";
    case "resume":
      await talk.moveTo(next.session_id);
      await goOn(chat);
      return "stay";
    case "run":
      talk.expect();
      await runAndTell(chat);
      return "stay";
    case "send":
    case "retry":
      await send(chat, next.text);
      return "stay";
    case "stay":
    case "prefill":
      return "stay";
  }
}

async function send(chat: LineChat, text: string): Promise<void> {
  const { title } = chat;
  await chat.talk.say({ text, ...(title === undefined ? {} : { title }) });
  chat.title = undefined;
  await runAndTell(chat);
}

/** What `-r` and `/resume` begin with: what was cut or waits; where nothing is, the last exchange, for a person. */
export async function goOn(chat: LineChat): Promise<"ran" | "nothing"> {
  const done = await runAndTell(chat);
  if (done === "nothing" && chat.input.isTerminal) await chat.talk.showLast("resumed");
  return done;
}

async function runAndTell(chat: LineChat): Promise<"ran" | "nothing"> {
  const { talk, parts, ask, input } = chat;
  const reports = await talk.run(ask);
  const last = reports.at(-1);
  if (last === undefined) return "nothing";
  chat.outcome = last.outcome;
  const code = exitCodeOf(reports);
  // A person saw it; a script learns at the end that something did not work.
  if (!input.isTerminal && code !== EXIT.ok) parts.context.exitWith(code);
  return "ran";
}
