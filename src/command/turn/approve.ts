/**
 * `/approve`, `/deny` and `/answer`: the oldest question of this conversation, or the one that is named, decided once
 * whoever else answers [CT-10].
 * What would be done is said with what was decided, so that nobody releases something they did not read.
 */
import { type ApprovalId, ID_PATTERN } from "#base/ids.js";
import { APPROVAL_REPLY_CHARS_MAX, type ApprovalAnswer } from "#session/approval.js";
import type { AskedQuestion } from "#session/verbs/chat.js";
import {
  type ApprovalRule,
  NOTHING_YET,
  type SlashCommand,
  type SlashContext,
  type SlashOutcome,
  said,
} from "../command.js";
import { count, numberIn, oneLine } from "../text.js";
import { mayAnswer } from "../whose.js";

const WHAT_CELLS_MAX = 70;
const CHOICES_MAX = 20;
const SCOPES: Readonly<Record<string, ApprovalAnswer>> = {
  "": "once",
  once: "once",
  session: "session",
  always: "always",
};

export const approveCommand: SlashCommand = {
  name: "approve",
  aliases: [],
  category: "Turn",
  takes: "[id] [scope]",
  arguments: ["once", "session", "always"],
  summary: "let the agent do what it asks for",
  details: [
    "once: only this time (unless told). session: in this conversation. always: everywhere.",
    "id: a question of another conversation, by which you were told of it.",
  ],
  where: ["terminal", "chat"],
  who: "anyone",
  needs: ["live"],
  whileBusy: true,
  async run(context, line) {
    const { asked, words } = await namedIn(context, line);
    const answer = Object.hasOwn(SCOPES, words.toLowerCase()) ? SCOPES[words.toLowerCase()] : undefined;
    if (answer === undefined)
      return said("/approve takes once, session or always, and the id of a question before it.");
    return decide(context, asked, (open) => {
      if (isClarify(open)) return "It asks for words: /answer gives them.";
      return { answer };
    });
  },
};

export const denyCommand: SlashCommand = {
  name: "deny",
  aliases: [],
  category: "Turn",
  takes: "[id] [words]",
  arguments: "none",
  summary: "refuse what the agent asks for; it is told your words",
  where: ["terminal", "chat"],
  who: "anyone",
  needs: ["live"],
  whileBusy: true,
  async run(context, line) {
    const { asked, words } = await namedIn(context, line);
    return decide(context, asked, () => ({ answer: "deny", ...(words === "" ? {} : { reply: words }) }));
  },
};

export const answerCommand: SlashCommand = {
  name: "answer",
  aliases: [],
  category: "Turn",
  takes: "<words>",
  arguments: "none",
  summary: "answer a question of the agent, or pick its number",
  where: ["terminal", "chat"],
  who: "anyone",
  needs: ["live"],
  whileBusy: true,
  async run(context, words) {
    if (words === "") return said("/answer takes your words, or the number of a choice.");
    return decide(context, undefined, (open) => {
      if (!isClarify(open)) return "It asks for leave: /approve or /deny.";
      return { answer: "once", reply: chosen(open, words) };
    });
  },
};

const NOT_YOURS: Readonly<Record<ApprovalRule, string>> = {
  author: "Only who asked for it, or the owner of this home, may answer that.",
  owner: "Only an owner of this home may answer that.",
};

interface Wanted {
  readonly answer: ApprovalAnswer;
  readonly reply?: string;
}

/** A line may begin with the id of a question; whatever else stands there are words. */
async function namedIn(
  { store }: SlashContext,
  line: string,
): Promise<{ readonly asked: AskedQuestion | undefined; readonly words: string }> {
  const [, id = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const asked = ID_PATTERN.test(id) ? await store.question({ approval: id as ApprovalId }) : null;
  return asked === null ? { asked: undefined, words: line } : { asked, words: rest };
}

/** `choose` sees the question first; a text of its is told instead of an answer. */
async function decide(
  context: SlashContext,
  named: AskedQuestion | undefined,
  choose: (asked: AskedQuestion) => Wanted | string,
): Promise<SlashOutcome> {
  const { live, conversation, person, approvals = "author" } = context;
  if (live === undefined || (conversation === undefined && named === undefined)) return said(NOTHING_YET);
  const asked = named ?? (await oldestHere(context));
  if (asked === null) return said("Nothing waits for an answer here.");
  if (!mayAnswer(person, asked, approvals)) return said(NOT_YOURS[isClarify(asked) ? "author" : approvals]);
  const wanted = choose(asked);
  return typeof wanted === "string" ? said(wanted) : answered(context, asked, wanted);
}

async function oldestHere({ store, conversation }: SlashContext): Promise<AskedQuestion | null> {
  if (conversation === undefined) return null;
  const [turn] = await store.openTurns({ limit: 1, conversation });
  const open = turn?.approvals.find(({ answer }) => answer === null);
  return open === undefined ? null : store.question({ approval: open.id });
}

async function answered({ live, person }: SlashContext, asked: AskedQuestion, wanted: Wanted): Promise<SlashOutcome> {
  const { approval, conversation } = asked;
  const decision = await live?.answer(conversation, { approval, ...wanted, by: person.id });
  switch (decision?.kind) {
    case "decided":
      return said(`${DECIDED[decision.answer]}: ${whatOf(asked)}`);
    case "already-decided":
      return said(`Somebody answered before: ${DECIDED[decision.answer].toLowerCase()}.`);
    case "too-long":
      return said(`Your words are longer than ${count(APPROVAL_REPLY_CHARS_MAX)} characters, so nothing was decided.`);
    default:
      return said("Nothing waits for an answer here.");
  }
}

const DECIDED: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allowed this time",
  session: "Allowed in this conversation",
  always: "Allowed always",
  deny: "Denied",
};

function isClarify({ question }: AskedQuestion): boolean {
  return question["kind"] === "clarify";
}

function whatOf({ question }: AskedQuestion): string {
  const what = question["summary"] ?? question["text"] ?? question["tool"];
  return oneLine(typeof what === "string" ? what : "what it asked for", WHAT_CELLS_MAX);
}

function chosen({ question }: AskedQuestion, words: string): string {
  const place = numberIn(words, { min: 1, max: CHOICES_MAX });
  const choices: unknown = question["choices"];
  const choice: unknown = Array.isArray(choices) && place !== undefined ? choices[place - 1] : undefined;
  return typeof choice === "string" ? choice : words;
}
