/**
 * One command of a chat, from its row to its answer. The attempt is counted before it is made; the end and the answer are
 * one commit. After a death in the middle a command is run again only where that does no more than running it once.
 */
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { type LineOutcome, runLine } from "#command/run-line.js";
import type { GatewayParts } from "../gateway.js";
import { type Answer, dead, done, partsOf } from "./answer.js";
import { follow } from "./follow.js";
import { insist } from "./insist.js";
import { decide, parseAnswerLine } from "./questions.js";
import { type Begun, repeated, spent } from "./repeat.js";
import { restartNow } from "./restart.js";
import { type Afterwards, slashContext } from "./slash-context.js";
import type { Spoken } from "./spoken.js";

/** The host ends: the next one runs it. */
const LEFT_TO_NEXT: ReadonlySet<string> = new Set(["host-stopping", "closed"]);

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
  if (afterwards.restart !== undefined) void restartNow(parts, spoken.address, afterwards.restart);
  return "over";
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
    return repeated(parts, spoken, attempt.begun) ?? (await ran(parts, spoken, attempt));
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    if (LEFT_TO_NEXT.has(error.code)) return undefined;
    parts.log.warn("a command failed", { command: spoken.command, error: error.message });
    return dead([`That failed: ${error.message}`], error.code, conversation);
  }
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
