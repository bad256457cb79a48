/**
 * The plain chat: one line in, one answer out. At a terminal with a prompt, from a pipe without one; a pipe's end, or
 * Ctrl-D, ends it. Nothing is stored before the first message [LS-1]. Other terminals may be in the same conversation:
 * what happens there while nothing is asked here is shown above the prompt.
 */
import { OperationalError, UserError } from "#base/errors.js";
import type { SlashNextWire } from "#protocol/methods/slash.js";
import { EXIT } from "../exit-codes.js";
import { type Ask, terminalAsk } from "./ask.js";
import { bystander } from "./bystander.js";
import { changeSettings } from "./change-settings.js";
import type { Card } from "./exchange.js";
import type { TurnReport } from "./glimpse.js";
import { farewell, greeting } from "./greeting.js";
import type { LineInput } from "./input/line-input.js";
import { showBeginning } from "./joined.js";
import { hostNotes } from "./one-run.js";
import type { Screen } from "./screen.js";
import { isCommandLine, runSlash } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import { type ChatParts, exitCodeOf, Talk } from "./talk.js";
import type { DefaultModel } from "./target.js";
import { CHAT_GRACE_MS } from "./watch.js";

export interface LineChatParts extends ChatParts {
  readonly screen: Screen;
  readonly surface: ChatSurface;
}

export interface LineChatWish {
  /** Undefined: a new conversation. */
  readonly card: Card | undefined;
  /** Wanted for the new one. */
  readonly title: string | undefined;
  readonly known: DefaultModel;
}

export async function chatByLines(parts: LineChatParts, wish: LineChatWish, input: LineInput): Promise<void> {
  const { context, link, screen, surface } = parts;
  const { card, title, known } = wish;
  const notes = [...known.notes, ...hostNotes(parts)];
  if (input.isTerminal) screen.say(await greeting(parts, { isNew: card === undefined, model: known, notes }));
  else for (const note of notes) screen.note(note);
  const talk = new Talk(parts);
  const interrupt = (): void => context.interrupt();
  const ask = input.isTerminal ? terminalAsk({ input, screen, style: surface, interrupt }) : undefined;
  const chat: LineChat = { parts, talk, input, ask, title, outcome: undefined };
  // What a death left open, or what waits, comes before anything new.
  const done = card === undefined ? "nothing" : await listening(chat, () => open(chat, card));
  const spoken = talk.isWaiting && !input.isTerminal ? "nothing" : await readLines(chat);
  // Whoever only looks in from a script learns that there was nothing to do, as with -r.
  if (card !== undefined && !input.isTerminal && done === "nothing" && spoken === "nothing")
    await talk.showLast("idle");
  if (input.isTerminal && talk.conversation !== undefined) {
    screen.say([surface.paint.dim(await farewell(link, talk.conversation))]);
  }
}

interface LineChat {
  readonly parts: LineChatParts;
  readonly talk: Talk;
  readonly input: LineInput;
  readonly ask: Ask | undefined;
  /** Wanted for the conversation that the first message begins [LS-4]. */
  title: string | undefined;
  /** Of the last turn that this line set off. */
  outcome: TurnReport["outcome"] | undefined;
}

/** Answers whether there was a line. */
async function readLines(chat: LineChat): Promise<"lines" | "nothing"> {
  const { parts, input, talk } = chat;
  const { screen, surface, context } = parts;
  const aside = bystander(surface, input, talk);
  let isLeaving = false;
  let spoken: "lines" | "nothing" = "nothing";
  for (;;) {
    screen.rest();
    if (input.isTerminal) surface.writeAside("\n");
    if (input.isTerminal) talk.hear(aside);
    const read = await input.read(surface.paint.bold("> "), context.signal);
    talk.hear(undefined);
    if (read.kind === "end") return spoken;
    if (read.kind === "interrupted") {
      if ((isLeaving && !read.hadText) || context.signal.aborted) return spoken;
      isLeaving = true;
      screen.say(["Ctrl-C again, or Ctrl-D, leaves; everything is kept."]);
      continue;
    }
    isLeaving = false;
    if (read.text.trim() === "") continue;
    spoken = "lines";
    if ((await listening(chat, () => oneLine(chat, read.text))) === "leave") return spoken;
    // Whoever interrupts a pipe means all of it.
    if (chat.outcome === "interrupted-by-user" && !input.isTerminal) return spoken;
    // Nobody can answer here: what follows in the pipe would only queue up behind the question.
    if (talk.isWaiting && !input.isTerminal) {
      screen.note("Lines after this one are not sent while it waits.");
      return spoken;
    }
  }
}

/** What is typed meanwhile is kept. Whoever interrupts looks first at what was typed for afterwards. */
async function listening<T>(chat: LineChat, act: () => Promise<T>): Promise<T> {
  const { input, parts } = chat;
  chat.outcome = undefined;
  const stop = input.listen(() => parts.context.interrupt());
  try {
    return await act();
  } finally {
    stop();
    if (chat.outcome === "interrupted-by-user") input.holdBack();
  }
}

/** A mistake is told, and the chat goes on. */
async function oneLine(chat: LineChat, line: string): Promise<"stay" | "leave"> {
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

/** A turn that runs already is shown from its beginning. */
async function open(chat: LineChat, card: Card): Promise<"ran" | "nothing"> {
  const { parts, talk, input } = chat;
  await changeSettings(parts, card);
  const { picture } = await talk.sitDown(card);
  if (input.isTerminal) showBeginning(parts.screen, picture);
  return goOn(chat);
}

/** What `-r` and `/resume` begin with: what was cut or waits; where nothing is, the last exchange, for a person. */
async function goOn(chat: LineChat): Promise<"ran" | "nothing"> {
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
