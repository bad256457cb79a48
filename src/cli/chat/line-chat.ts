/**
 * The plain chat: one line in, one answer out. At a terminal with a prompt, from a pipe without one; a pipe's end, or
 * Ctrl-D, ends it. Nothing is stored before the first message [LS-1].
 */
import type { TurnReport } from "#app/chat-ports.js";
import { UserError } from "#base/errors.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { EXIT } from "../exit-codes.js";
import { type Ask, terminalAsk } from "./ask.js";
import { type Background, createBackground } from "./background.js";
import { farewell, greeting } from "./greeting.js";
import type { LineInput } from "./input/line-input.js";
import type { Screen } from "./screen.js";
import { runSlash, type SlashNext, slashContext } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import { beginTalk, CHAT_GRACE_MS, type ChatParts, exitCodeOf, type Talk } from "./talk.js";

export interface LineChatParts extends ChatParts {
  readonly screen: Screen;
  readonly surface: ChatSurface;
}

export interface LineChatWish {
  /** Undefined: a new conversation. */
  readonly card: ConversationCard | undefined;
  /** Wanted for the new one. */
  readonly title: string | undefined;
}

export async function chatByLines(
  parts: LineChatParts,
  { card, title }: LineChatWish,
  input: LineInput,
): Promise<void> {
  const { context, started, screen, surface } = parts;
  if (input.isTerminal) screen.say(await greeting(parts, { isNew: card === undefined }));
  else for (const note of started.notes) screen.note(note);
  const talk = beginTalk(parts, card);
  const interrupt = (): void => context.interrupt();
  const ask = input.isTerminal ? terminalAsk({ input, screen, style: surface, interrupt }) : undefined;
  const chat: LineChat = { parts, talk, input, ask, background: createBackground(parts), title, outcome: undefined };
  // What a death left open, or what waits, comes before anything new.
  const done = card === undefined ? "nothing" : await listening(chat, () => goOn(chat));
  const spoken = talk.isWaiting && !input.isTerminal ? "nothing" : await readLines(chat);
  // Whoever only looks in from a script learns that there was nothing to do, as with -r.
  if (card !== undefined && !input.isTerminal && done === "nothing" && spoken === "nothing") {
    await talk.showLast({ because: "idle" });
  }
  if (input.isTerminal && talk.conversation !== undefined) {
    screen.say([surface.paint.dim(await farewell(started.store, talk.conversation))]);
  }
  await chat.background.end();
  await talk.close();
}

interface LineChat {
  readonly parts: LineChatParts;
  readonly talk: Talk;
  readonly input: LineInput;
  readonly ask: Ask | undefined;
  readonly background: Background;
  /** Wanted for the conversation that the first message begins [LS-4]. */
  title: string | undefined;
  /** Of the last turn that this line ran. */
  outcome: TurnReport["outcome"] | undefined;
}

/** Answers whether there was a line. */
async function readLines(chat: LineChat): Promise<"lines" | "nothing"> {
  const { parts, input, talk } = chat;
  const { screen, surface, context } = parts;
  let isLeaving = false;
  let spoken: "lines" | "nothing" = "nothing";
  for (;;) {
    screen.rest();
    if (input.isTerminal) surface.writeAside("\n");
    const read = await input.read(surface.paint.bold("> "), context.signal);
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
    return await follow(chat, await slash(chat, line), line.trim());
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    screen.note(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
    context.exitWith(EXIT.failed);
    return "stay";
  }
}

/** A command may ask a model; Ctrl-C ends that, not the chat. */
async function slash(chat: LineChat, line: string): Promise<SlashNext> {
  const { screen, surface, context } = chat.parts;
  const interrupt = new AbortController();
  const release = context.takeInterrupts(() => interrupt.abort(new Error("interrupted")), CHAT_GRACE_MS);
  try {
    const context = slashContext(chat.parts, chat.talk.conversation, interrupt.signal);
    return await runSlash(line, context, { screen, columns: surface.columns });
  } finally {
    release();
  }
}

async function follow(chat: LineChat, next: SlashNext, line: string): Promise<"stay" | "leave"> {
  switch (next.kind) {
    case "leave":
      return "leave";
    case "move":
      chat.talk.moveTo(next.conversation);
      return "stay";
    case "resume":
      chat.talk.moveTo(next.conversation);
      await goOn(chat);
      return "stay";
    case "run":
      await runAndTell(chat);
      return "stay";
    case "send":
      await send(chat, next.text);
      return "stay";
    case "retry":
      await chat.talk.sayAgain(next.text);
      await runAndTell(chat);
      return "stay";
    case "not-a-command":
      await send(chat, line);
      return "stay";
    default:
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
async function goOn(chat: LineChat): Promise<"ran" | "nothing"> {
  const done = await runAndTell(chat);
  if (done === "nothing" && chat.input.isTerminal) await chat.talk.showLast({ because: "resumed" });
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
  if (input.isTerminal) chat.background.begin();
  return "ran";
}
