/** One message from the shell, or one more run of a conversation that was cut or waits; then the command ends. */
import { lastAsked } from "#app/chat-ports.js";
import { UserError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { type Ask, type AskingTerminal, checkAnswers, flagAsk, terminalAsk } from "./ask.js";
import { type ChatOptions, hasAnswer } from "./options.js";
import { beginTalk, type ChatParts, exitCodeOf, type Talk } from "./talk.js";
import { pendingQuestions, type RecallWish } from "./target.js";

export interface OneRunParts extends ChatParts {
  /** Present when a person can be asked. */
  readonly terminal?: AskingTerminal;
}

export interface OneRun {
  /** Undefined: a new conversation. */
  readonly card: ConversationCard | undefined;
  /** Undefined: only what is left to do is done. */
  readonly text: string | undefined;
}

export async function runOnce(parts: OneRunParts, options: ChatOptions, { card, text }: OneRun): Promise<void> {
  const { context, started, display } = parts;
  const pending = card === undefined ? [] : await pendingQuestions(started.store, card.id);
  if (hasAnswer(options)) {
    checkAnswers(options, pending);
    // Whoever came first decided it [CT-10]; that is no mistake of the second.
    if (pending.length === 0) display.note("Nothing waits for an answer here.");
  }
  for (const note of started.notes) display.note(note);
  const talk = beginTalk(parts, card);
  if (options.retry === true && card !== undefined) await sayAgain(parts, talk, card.id);
  const said = text === undefined ? undefined : await talk.say(messageOf(options, text));
  const reports = await talk.run(askWith(parts, options, pending));
  context.exitWith(
    reports.length > 0 ? exitCodeOf(reports) : await talk.showLast(recallWish(said, options.messageId, text)),
  );
  if (text !== undefined && said === "admitted" && talk.isWaiting && pending.length > 0) {
    display.note("Your message is kept; it is answered after that.");
  }
  await talk.close();
}

function recallWish(said: "admitted" | "duplicate" | undefined, messageId?: string, text?: string): RecallWish {
  if (said !== "duplicate") return { because: "idle" };
  return { because: said, ...(messageId === undefined ? {} : { messageId }), ...(text === undefined ? {} : { text }) };
}

/** What is open is finished instead: it has no outcome yet that could be asked again. */
async function sayAgain({ started, display }: ChatParts, talk: Talk, conversation: ConversationId): Promise<void> {
  const asked = await lastAsked(started.store, conversation);
  if (asked.kind === "nothing") {
    throw new UserError("there is nothing to ask again here", `talaria chat -r ${conversation} -q TEXT says something`);
  }
  if (asked.kind === "asked") await talk.sayAgain(asked.text);
  else display.note("The last turn is not over; that comes first.");
}

function messageOf({ messageId, title }: ChatOptions, text: string): Parameters<Talk["say"]>[0] {
  return {
    text,
    ...(messageId === undefined ? {} : { eventId: messageId }),
    ...(title === undefined ? {} : { title }),
  };
}

function askWith(
  { terminal }: OneRunParts,
  options: ChatOptions,
  pending: Awaited<ReturnType<typeof pendingQuestions>>,
): Ask | undefined {
  const asked = terminal === undefined ? undefined : terminalAsk(terminal);
  return hasAnswer(options) && pending.length > 0 ? flagAsk(options, pending, asked) : asked;
}
