/**
 * The plain chat: one line in, one answer out. At a terminal with a prompt, from a pipe without one; a pipe's end, or
 * Ctrl-D, ends it. Nothing is stored before the first message [LS-1].
 */
import type { Model, SlashContext } from "#app/chat-ports.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { mention } from "../commands/sessions-find.js";
import { EXIT } from "../exit-codes.js";
import { formatAgo } from "../format.js";
import { type Ask, terminalAsk } from "./ask.js";
import type { LineInput } from "./line-input.js";
import type { ChatOptions } from "./options.js";
import type { Screen } from "./screen.js";
import { runSlash, type SlashNext } from "./slash-line.js";
import type { ChatSurface } from "./surface.js";
import { beginTalk, type ChatParts, exitCodeOf, type Talk } from "./talk.js";
import { CLI_PLATFORM, findTarget } from "./target.js";

export interface LineChatParts extends ChatParts {
  readonly screen: Screen;
  readonly surface: ChatSurface;
}

export async function chatByLines(parts: LineChatParts, options: ChatOptions, input: LineInput): Promise<void> {
  const { context, started, screen, surface } = parts;
  const card = await findTarget(started.store, options);
  if (input.isTerminal) screen.say(await greeting(parts, card));
  else for (const note of started.notes) screen.note(note);
  const talk = beginTalk(parts, card);
  const interrupt = (): void => context.interrupt();
  const ask = input.isTerminal ? terminalAsk({ input, screen, style: surface, interrupt }) : undefined;
  const chat: LineChat = { parts, talk, input, ask, background: new Set(), title: options.title };
  // What a death left open, or what waits, comes before anything new.
  if (card !== undefined && (await runAndTell(chat)) === "nothing" && input.isTerminal)
    await talk.showLast({ because: "resumed" });
  if (!(talk.isWaiting && !input.isTerminal)) await readLines(chat);
  await Promise.all(chat.background);
  await talk.close();
  context.signal.throwIfAborted();
}

interface LineChat {
  readonly parts: LineChatParts;
  readonly talk: Talk;
  readonly input: LineInput;
  readonly ask: Ask | undefined;
  /** Titles being made while the person types. */
  readonly background: Set<Promise<void>>;
  /** Wanted for the conversation that the first message begins [LS-4]. */
  title: string | undefined;
}

async function readLines(chat: LineChat): Promise<void> {
  const { parts, input, talk } = chat;
  const { screen, surface, context } = parts;
  let isLeaving = false;
  for (;;) {
    screen.rest();
    if (input.isTerminal) surface.writeAside("\n");
    const read = await input.read(surface.paint.bold("> "), context.signal);
    if (read.kind === "end") return;
    if (read.kind === "interrupted") {
      if ((isLeaving && !read.hadText) || context.signal.aborted) return;
      isLeaving = true;
      screen.say(["Ctrl-C again, or Ctrl-D, leaves; everything is kept."]);
      continue;
    }
    isLeaving = false;
    if (read.text.trim() === "") continue;
    if ((await oneLine(chat, read.text)) === "leave") return;
    // Nobody can answer here: what follows in the pipe would only queue up behind the question.
    if (talk.isWaiting && !input.isTerminal) return screen.note("Lines after this one are not sent while it waits.");
  }
}

async function oneLine(chat: LineChat, line: string): Promise<"stay" | "leave"> {
  const { screen, surface } = chat.parts;
  const next = await runSlash(line, () => slashContext(chat), { screen, columns: surface.columns });
  return follow(chat, next, line.trim());
}

async function follow(chat: LineChat, next: SlashNext, line: string): Promise<"stay" | "leave"> {
  switch (next.kind) {
    case "leave":
      return "leave";
    case "move":
      chat.talk.moveTo(next.conversation);
      return "stay";
    case "run":
      await runAndTell(chat);
      return "stay";
    case "send":
      await send(chat, next.text);
      return "stay";
    case "not-a-command":
      await send(chat, line);
      return "stay";
    default:
      return "stay";
  }
}

async function send(chat: LineChat, text: string): Promise<void> {
  const { talk, parts } = chat;
  try {
    const { title } = chat;
    await talk.say({ text, ...(title === undefined ? {} : { title }) });
    chat.title = undefined;
  } catch (error) {
    // A message that cannot be taken is told, and the chat goes on.
    if (!(error instanceof UserError)) throw error;
    parts.screen.note(error.message);
    parts.context.exitWith(EXIT.failed);
    return;
  }
  await runAndTell(chat);
}

async function runAndTell(chat: LineChat): Promise<"ran" | "nothing"> {
  const { talk, parts, ask, input } = chat;
  const reports = await talk.run(ask);
  if (reports.length === 0) return "nothing";
  const code = exitCodeOf(reports);
  // A person saw it; a script learns at the end that something did not work.
  if (!input.isTerminal && code !== EXIT.ok) parts.context.exitWith(code);
  makeTitle(chat);
  return "ran";
}

/** While the person reads and types; what is not ready when the chat ends is waited for a moment there. */
function makeTitle({ parts, background, input }: LineChat): void {
  if (!input.isTerminal) return;
  const { started, context, screen } = parts;
  const job = started.runtime.runJobs(context.signal).then(
    () => undefined,
    (error: unknown) => screen.note(`a title could not be made: ${error instanceof Error ? error.message : error}`),
  );
  background.add(job);
  void job.finally(() => background.delete(job));
}

function slashContext({ parts, talk }: LineChat): SlashContext {
  const { started, context, start, display } = parts;
  const { store, runtime, model } = started;
  return {
    surface: "terminal",
    store,
    runtime,
    clock: context.clock,
    actor: { platform: CLI_PLATFORM },
    conversation: talk.conversation,
    start,
    face: { platform: CLI_PLATFORM, isAsked: true, onGlimpse: (glimpse) => display.glimpse(glimpse) },
    model,
  };
}

async function greeting({ context, started, surface }: LineChatParts, card: ConversationCard | undefined) {
  const { paint } = surface;
  const lines = [`${paint.bold(`Talaria ${context.version}`)}  ${modelLine(started.model)}`];
  lines.push(...started.notes.map((note) => paint.yellow(visible(note))));
  if (card !== undefined) lines.push(`You are in ${mention(card)}.`);
  else lines.push(...(await lastChat(started.store, context.clock.nowMs())));
  return [...lines, paint.dim("Say something. /help lists the commands, Ctrl-D leaves.")];
}

function modelLine({ label, isDemo }: Model): string {
  return isDemo ? "demo model: scripted, not an AI (talaria setup finds a real one)" : visible(label);
}

async function lastChat(store: LineChatParts["started"]["store"], nowMs: number): Promise<string[]> {
  const [row] = await store.list({ limit: 1, source: CLI_PLATFORM });
  if (row === undefined) return [];
  return [`Your last chat, ${formatAgo(row.activeMs, nowMs)}: ${mention(row)}; talaria chat -c goes on.`];
}
