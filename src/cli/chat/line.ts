/** What one line sets off: a message and its answer, or a command and what it leads to. */
import { OperationalError, UserError } from "#base/errors.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import { EXIT } from "../exit-codes.js";
import type { Ask } from "./ask.js";
import type { TurnReport } from "./glimpse.js";
import type { LineInput } from "./input/line-input.js";
import { showBeginning } from "./joined.js";
import type { Screen } from "./screen.js";
import { isCommandLine, runSlash } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import { type ChatParts, exitCodeOf, type Talk } from "./talk.js";
import type { TurnCommands } from "./turn-commands.js";
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
  readonly commands: TurnCommands;
  /** Wanted for the conversation that the first message begins [LS-4]. */
  title: string | undefined;
  /** Of the last turn that this line set off. */
  outcome: TurnReport["outcome"] | undefined;
}

/** A mistake is told, and the chat goes on. */
export async function oneLine(chat: LineChat, line: string): Promise<"stay" | "leave"> {
  const { screen, context } = chat.parts;
  try {
    if (isCommandLine(line.trimEnd())) return await follow(chat, await slash(chat, line.trimEnd()));
    await send(chat, line.trim());
    return await followTyped(chat);
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
    const place = { link, columns: surface.columns, signal: interrupt.signal, say: screen.say };
    const { next, isRefused } = await runSlash(line, id, place);
    if (isRefused) context.exitWith(EXIT.failed);
    return next;
  } finally {
    release();
  }
}

/** What commands led to that were typed while a turn ran. */
export async function followTyped(chat: LineChat): Promise<"stay" | "leave"> {
  for (;;) {
    const next = chat.commands.takeNext();
    if (next === undefined) return "stay";
    // What was typed behind the command is meant for where it leads, however the turn ended.
    chat.outcome = undefined;
    if ((await doNext(chat, next)) === "leave") return "leave";
  }
}

async function follow(chat: LineChat, next: SlashNextWire): Promise<"stay" | "leave"> {
  return (await doNext(chat, next)) === "leave" ? "leave" : followTyped(chat);
}

async function doNext(chat: LineChat, next: SlashNextWire): Promise<"stay" | "leave"> {
  const { talk } = chat;
  switch (next.kind) {
    case "leave":
      return "leave";
    case "move":
      await talk.moveTo(next.session_id ?? undefined);
      return "stay";
    case "resume": {
      const opened = await talk.moveTo(next.session_id);
      if (opened !== undefined && chat.input.isTerminal) showBeginning(chat.parts.screen, opened.picture);
      await goOn(chat);
      return "stay";
    }
    case "run":
      talk.expect();
      await chat.commands.during(() => runAndTell(chat));
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
  const { title, commands } = chat;
  const stored = chat.talk.say({ text, ...(title === undefined ? {} : { title }) });
  await commands.during(async () => {
    await stored;
    chat.title = undefined;
    await runAndTell(chat);
  }, stored);
}

/** What `-r` and `/resume` begin with: what was cut or waits; where nothing is, the last exchange, for a person. */
export async function goOn(chat: LineChat): Promise<"ran" | "nothing"> {
  const { commands } = chat;
  const done = await commands.during(() => runAndTell(chat));
  if (done === "nothing" && chat.input.isTerminal && !commands.hasNext) await chat.talk.showLast("resumed");
  return done;
}

async function runAndTell(chat: LineChat): Promise<"ran" | "nothing"> {
  const { talk, parts, ask, input } = chat;
  const reports = await talk.run(ask);
  const last = reports.at(-1);
  if (last === undefined) return "nothing";
  // Ctrl-C may have met a turn before the one that was asked for.
  const isInterrupted = reports.some(({ outcome }) => outcome === "interrupted-by-user");
  chat.outcome = isInterrupted ? "interrupted-by-user" : last.outcome;
  const code = exitCodeOf(reports);
  // A person saw it; a script learns at the end that something did not work.
  if (!input.isTerminal && code !== EXIT.ok) parts.context.exitWith(code);
  return "ran";
}
