/** One message from the shell, or one more look at a conversation that was cut or waits; then the command ends. */
import { UserError } from "#base/errors.js";
import { ERROR_CODES } from "#protocol/error-codes.js";
import { type Ask, type AskingTerminal, checkAnswers, flagAsk, terminalAsk } from "./ask.js";
import { changeSettings } from "./change-settings.js";
import { type Card, recalledOf, tellUnknown } from "./exchange.js";
import type { PendingQuestion } from "./glimpse.js";
import { hostNotes } from "./host-notes.js";
import { type ChatOptions, hasAnswer } from "./options.js";
import { Refused } from "./refused.js";
import { type ChatParts, exitCodeOf, Talk } from "./talk.js";
import type { DefaultModel } from "./target.js";
import { pendingOf } from "./told.js";

export interface OneRunParts extends ChatParts {
  /** Present when a person can be asked. */
  readonly terminal?: AskingTerminal;
}

export interface OneRun {
  /** Undefined: a new conversation. */
  readonly card: Card | undefined;
  /** Undefined: only what is left to do is done. */
  readonly text: string | undefined;
  readonly known: DefaultModel;
}

export async function runOnce(parts: OneRunParts, options: ChatOptions, { card, text, known }: OneRun): Promise<void> {
  const { context, display } = parts;
  const pending = card?.questions.map(pendingOf) ?? [];
  if (hasAnswer(options)) {
    checkAnswers(options, pending);
    // Whoever came first decided it [CT-10]; that is no mistake of the second.
    if (pending.length === 0) display.note("Nothing waits for an answer here.");
  }
  for (const note of [...known.notes, ...hostNotes(parts)]) display.note(note);
  const talk = new Talk(parts);
  if (card !== undefined) {
    await changeSettings(parts, card);
    await talk.sitDown(card);
  }
  if (options.retry === true && card !== undefined) await askAgain(parts, talk, card);
  const said = text === undefined ? undefined : await talk.say(messageOf(options, text));
  const { exchange } = talk;
  if (said === "duplicate" && exchange !== undefined) {
    const recalled = recalledOf(talk.conversation ?? "", exchange, "duplicate");
    tellUnknown(display, exchange);
    display.recalled(recalled);
    context.exitWith(exitCodeOf([recalled]));
    return;
  }
  const reports = await talk.run(askWith(parts, options, pending));
  context.exitWith(reports.length > 0 ? exitCodeOf(reports) : await talk.showLast("idle"));
  if (text !== undefined && said === "admitted" && talk.isWaiting && pending.length > 0) {
    display.note("Your message is kept; it is answered after that.");
  }
}

/** What is open is finished instead: it has no outcome yet that could be asked again. */
async function askAgain({ link, display }: ChatParts, talk: Talk, { id }: Card): Promise<void> {
  const answer = await link.callOnce("slash.exec", { session_id: id, command: "/retry" }).catch((error: unknown) => {
    if (error instanceof Refused && error.code === ERROR_CODES.busy) return undefined;
    throw error;
  });
  if (answer !== undefined && "next" in answer && answer.next?.kind === "run") return talk.expect();
  const found = await link.call("session.find", { text: id });
  if (found.kind === "found" && found.card.live_turn === null && found.card.queued === 0) {
    throw new UserError("there is nothing to ask again here", `talaria chat -r ${id} -q TEXT says something`);
  }
  display.note("The last turn is not over; that comes first.");
}

function messageOf({ messageId, title }: ChatOptions, text: string): Parameters<Talk["say"]>[0] {
  return {
    text,
    ...(messageId === undefined ? {} : { messageId }),
    ...(title === undefined ? {} : { title }),
  };
}

function askWith(
  { terminal }: OneRunParts,
  options: ChatOptions,
  pending: readonly PendingQuestion[],
): Ask | undefined {
  const asked = terminal === undefined ? undefined : terminalAsk(terminal);
  return hasAnswer(options) && pending.length > 0 ? flagAsk(options, pending, asked) : asked;
}
