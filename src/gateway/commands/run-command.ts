/**
 * One command of a chat, from its row to its answer. The attempt is counted before it is made; the end and the answer are
 * one commit. After a death in the middle a command is run again only where that does no more than running it once.
 */
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { ConversationId } from "#base/ids.js";
import type { SlashCommand } from "#command/command.js";
import { parseLine } from "#command/parse.js";
import { type LineOutcome, runLine } from "#command/run-line.js";
import { oneLine } from "#command/text.js";
import { splitText } from "#platform/split.js";
import type { VerbArgs, VerbResult } from "#session/store.js";
import type { Account, GatewayParts } from "../gateway.js";
import { follow } from "./follow.js";
import { standingOf } from "./menu.js";
import { decide, parseAnswerLine } from "./questions.js";
import { type Afterwards, slashContext } from "./slash-context.js";
import type { Spoken } from "./spoken.js";

/** Room for what formatting adds and for the mark of a second copy. */
const PART_ROOM = 80;
const STORE_TRIES_MAX = 3;
const STORE_WAIT_MS = 1_000;
/** The host ends: the next one runs it. */
const LEFT_TO_NEXT: ReadonlySet<string> = new Set(["host-stopping", "closed"]);

type Outcome = VerbArgs<"finishCommand">["outcome"];
type Begun = Extract<VerbResult<"beginCommand">, { kind: "begun" }>;

interface Answer {
  readonly say: readonly string[];
  readonly outcome: Outcome;
  readonly conversation: ConversationId | undefined;
}

/** `left`: the host ends, and the row stays for the next one. */
export async function runCommand(parts: GatewayParts, spoken: Spoken): Promise<"over" | "left"> {
  const { store, clock } = parts;
  const begun = await insist(parts, () => store.beginCommand({ command: spoken.command, nowMs: clock.nowMs() }));
  if (begun.kind === "ended") return "over";
  const afterwards: Afterwards = {};
  const answer = begun.kind === "spent" ? spent(spoken) : await answerTo(parts, spoken, { begun, afterwards });
  if (answer === undefined) return "left";
  faultPoint("chat.command-ran");
  const { say, outcome, conversation } = answer;
  faultPoint("chat.before-finish");
  const finish = {
    command: spoken.command,
    outcome,
    parts: partsOf(say, spoken.account),
    ...(conversation === undefined ? {} : { conversation }),
  };
  await insist(parts, () => store.finishCommand({ ...finish, nowMs: clock.nowMs() }));
  // It waits for commands to be over, so nothing here waits for it.
  if (afterwards.restart !== undefined) void restartNow(parts, spoken, afterwards.restart);
  return "over";
}

/** A store that is busy for a moment must not leave a command without its answer. */
async function insist<T>({ clock }: GatewayParts, act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof OperationalError) || error.retry === "never" || tries >= STORE_TRIES_MAX) throw error;
      await clock.sleep(STORE_WAIT_MS * tries);
    }
  }
}

async function restartNow({ store, clock, log }: GatewayParts, spoken: Spoken, restart: () => Promise<void>) {
  try {
    await restart();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.error("a restart that was asked for in a chat failed", { error: why });
    const { address } = spoken;
    const text = `The restart failed: ${why}`;
    await store.oweDelivery({ platform: address.platform, address, parts: [text], nowMs: clock.nowMs() });
  }
}

/** A command that works while a turn runs answers in time; any other may take as long as a model does. */
export function isQuick(parts: GatewayParts, { line, person }: Spoken): boolean {
  const parsed = parseLine(line, standingOf(parts, person));
  return parsed.kind !== "command" || parsed.command.whileBusy === true;
}

interface Attempt {
  readonly begun: Begun;
  readonly afterwards: Afterwards;
}

/** Undefined: the host ends, and the row stays. */
async function answerTo(parts: GatewayParts, spoken: Spoken, attempt: Attempt): Promise<Answer | undefined> {
  const conversation = attempt.begun.at ?? undefined;
  try {
    const kept = parseAnswerLine(spoken.line);
    if (kept !== undefined) return done([await decide(parts, spoken.person, kept)], conversation);
    return repeated(parts, spoken, attempt) ?? (await ran(parts, spoken, attempt));
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    if (LEFT_TO_NEXT.has(error.code)) return undefined;
    parts.log.warn("a command failed", { command: spoken.command, error: error.message });
    return dead([`That failed: ${error.message}`], error.code, conversation);
  }
}

/** What is answered instead of running it a second time; undefined: it may be run. */
function repeated(parts: GatewayParts, { line, person }: Spoken, { begun }: Attempt): Answer | undefined {
  if (begun.attempts === 1) return undefined;
  const parsed = parseLine(line, standingOf(parts, person));
  if (parsed.kind !== "command") return undefined;
  const { command, words } = parsed;
  const conversation = begun.at ?? undefined;
  switch (againOf(command, words)) {
    case "same":
      return undefined;
    case "moves":
      if (begun.from === begun.at) return undefined;
      return done([`Done. You are in ${begun.at ?? "a new conversation"} now.`], conversation);
    case undefined:
      return dead([cutText(command)], "cut by the end of the host", conversation);
  }
}

function againOf({ again }: SlashCommand, words: string): "same" | "moves" | undefined {
  return typeof again === "function" ? again(words) : again;
}

function cutText({ name }: SlashCommand): string {
  return `I was restarted while /${name} was at work, so I did not run it again. See whether it was done before you repeat it.`;
}

async function ran(parts: GatewayParts, spoken: Spoken, { begun, afterwards }: Attempt): Promise<Answer> {
  const conversation = begun.at ?? undefined;
  const outcome = await runLine(spoken.line, slashContext(parts, spoken, { conversation, afterwards }));
  if (outcome.kind === "message") return dead([], "no command", conversation);
  if (outcome.kind !== "ran") return done(outcome.say, conversation);
  announce(parts, spoken, outcome);
  const followed = await follow(parts, spoken, { next: outcome.next, conversation });
  return done([...outcome.say, ...followed.say], followed.conversation);
}

function announce(parts: GatewayParts, spoken: Spoken, outcome: Extract<LineOutcome, { kind: "ran" }>): void {
  const { line, account, address } = spoken;
  const [, args = ""] = /^\S+\s+(.*)$/s.exec(line) ?? [];
  parts.announce("command:*", {
    platform: account.kind.name,
    user_id: address.userId ?? "",
    command: outcome.command,
    raw_command: line,
    args,
    raw_args: args,
  });
}

function done(say: readonly string[], conversation: ConversationId | undefined): Answer {
  return { say, outcome: { kind: "done" }, conversation };
}

function dead(say: readonly string[], reason: string, conversation: ConversationId | undefined): Answer {
  return { say, outcome: { kind: "dead", reason }, conversation };
}

/** [CT-9] It ended the program too often: it is not tried again. */
function spent({ line }: Spoken): Answer {
  const text = `${oneLine(line)} ended the program several times, so I do not run it again.`;
  return dead([text], "the host died while it ran, several times", undefined);
}

function partsOf(say: readonly string[], { kind }: Account): readonly string[] {
  const { text: max, unit, hasLines } = kind.limits;
  return splitText(say.join("\n\n"), { max: max - PART_ROOM, unit, hasLines });
}
