/**
 * The plain chat: one line in, one answer out. At a terminal with a prompt, from a pipe without one; a pipe's end, or
 * Ctrl-D, ends it. Nothing is stored before the first message [LS-1]. Other terminals may be in the same conversation:
 * what happens there while nothing is asked here is shown above the prompt.
 */
import { terminalAsk } from "./ask.js";
import { bystander } from "./bystander.js";
import { changeSettings } from "./change-settings.js";
import type { Card } from "./exchange.js";
import { farewell, greeting } from "./greeting.js";
import { hostNotes } from "./host-notes.js";
import type { LineInput } from "./input/line-input.js";
import { showBeginning } from "./joined.js";
import { followTyped, goOn, type LineChat, type LineChatParts, oneLine } from "./line.js";
import { Talk } from "./talk.js";
import type { DefaultModel } from "./target.js";
import { TurnCommands } from "./turn-commands.js";

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
  const commands = new TurnCommands(parts, talk, input);
  const command = (line: string): Promise<void> => commands.sendOne(line);
  const ask = input.isTerminal ? terminalAsk({ input, screen, style: surface, interrupt, command }) : undefined;
  const chat: LineChat = { parts, talk, input, ask, commands, title, outcome: undefined };
  // What a death left open, or what waits, comes before anything new.
  const done = card === undefined ? "nothing" : await listening(chat, () => open(chat, card));
  const isOver = done === "leave" || (talk.isWaiting && !input.isTerminal);
  const spoken = isOver ? "nothing" : await readLines(chat);
  // Whoever only looks in from a script learns that there was nothing to do, as with -r.
  if (card !== undefined && !input.isTerminal && done === "nothing" && spoken === "nothing")
    await talk.showLast("idle");
  if (input.isTerminal && talk.conversation !== undefined) {
    await parts.whenRemembered();
    screen.say([surface.paint.dim(await farewell(context, link, talk.conversation))]);
  }
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
  const stop = input.listen(
    () => parts.context.interrupt(),
    (line) => chat.commands.take(line),
  );
  try {
    return await act();
  } finally {
    stop();
    if (chat.outcome === "interrupted-by-user") input.holdBack();
  }
}

/** A turn that runs already is shown from its beginning. */
async function open(chat: LineChat, card: Card): Promise<"ran" | "nothing" | "leave"> {
  const { parts, talk, input } = chat;
  await changeSettings(parts, card);
  const { picture } = await talk.sitDown(card);
  if (input.isTerminal) showBeginning(parts.screen, picture);
  const done = await goOn(chat);
  return (await followTyped(chat)) === "leave" ? "leave" : done;
}
