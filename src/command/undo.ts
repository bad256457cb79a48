/** `/undo` hides the last exchanges, `/retry` asks the last one again. The rows stay; nothing is deleted. */
import { NOTHING_YET, type SlashCommand, type SlashContext, said } from "./command.js";

const UNDONE_MAX = 100;
const QUOTE_CHARS_MAX = 60;

export const undoCommand: SlashCommand = {
  name: "undo",
  aliases: [],
  takes: "[count]",
  summary: "take back the last exchange, or the last few",
  where: ["terminal", "chat"],
  async run(context, words) {
    const turns = words === "" ? 1 : Number(words);
    if (!Number.isInteger(turns) || turns < 1 || turns > UNDONE_MAX) {
      return said(`/undo takes a number from 1 to ${UNDONE_MAX}.`);
    }
    const undone = await hide(context, turns, "undo");
    return typeof undone === "string" ? said(undone) : said(`Taken back, from “${quoted(undone.text)}” on.`);
  },
};

export const retryCommand: SlashCommand = {
  name: "retry",
  aliases: [],
  summary: "ask the last message again",
  where: ["terminal", "chat"],
  async run(context) {
    const undone = await hide(context, 1, "retry");
    return typeof undone === "string"
      ? said(undone)
      : { say: [`Again: “${quoted(undone.text)}”`], next: { kind: "send", text: undone.text } };
  },
};

/** The oldest hidden text, or the sentence that says why nothing was hidden. */
async function hide(
  { store, conversation, clock }: SlashContext,
  turns: number,
  reason: "undo" | "retry",
): Promise<{ readonly text: string } | string> {
  if (conversation === undefined) return NOTHING_YET;
  const outcome = await store.undo({ conversation, turns, reason, nowMs: clock.nowMs() });
  switch (outcome.kind) {
    case "undone":
      return outcome;
    case "nothing-to-undo":
      return "There is nothing to take back.";
    case "busy":
      return "Its last turn is not over: /continue finishes it first.";
    case "unknown":
    case "deleted":
      return "This conversation was deleted.";
  }
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return [...line].length <= QUOTE_CHARS_MAX ? line : `${[...line].slice(0, QUOTE_CHARS_MAX - 1).join("")}…`;
}
