/** `/undo` hides the last exchanges, `/retry` asks the last one again. The rows stay; nothing is deleted. */
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { tellChanged } from "../changed.js";
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, said } from "../command.js";
import { withoutReferences } from "../reference/attached.js";
import { numberIn, oneLine } from "../text.js";

const UNDONE_MAX = 100;
const QUOTE_CELLS_MAX = 60;

export const undoCommand: SlashCommand = {
  name: "undo",
  aliases: [],
  category: "Turn",
  takes: "[count]",
  arguments: "none",
  summary: "take back the last exchange, or the last few",
  where: ["terminal", "chat"],
  who: "anyone",
  async run(context, words) {
    const turns = words === "" ? 1 : numberIn(words, { min: 1, max: UNDONE_MAX });
    if (turns === undefined) return said(`/undo takes a number from 1 to ${UNDONE_MAX}.`);
    const undone = await hide(context, turns);
    if (typeof undone === "string") return said(undone);
    const { text } = undone;
    return {
      say: [`Taken back, from “${oneLine(text, QUOTE_CELLS_MAX)}” on.`],
      next: { kind: "prefill", text: withoutReferences(text) },
    };
  },
};

export const retryCommand: SlashCommand = {
  name: "retry",
  aliases: [],
  category: "Turn",
  arguments: "none",
  summary: "ask the last message again",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  async run({ store, conversation }) {
    if (conversation === undefined) return said(NOTHING_YET);
    const asked = await lastAsked(store, conversation);
    switch (asked.kind) {
      case "asked":
        return { say: [`Again: “${oneLine(asked.text, QUOTE_CELLS_MAX)}”`], next: { kind: "retry", text: asked.text } };
      case "nothing":
        return said("There is nothing to ask again here.");
      case "busy":
        return said(BUSY);
    }
  },
};

export type LastAsked = { readonly kind: "asked"; readonly text: string } | { readonly kind: "nothing" | "busy" };

/** The message that began the last exchange, as an undo would hide it. */
export async function lastAsked(store: SessionStore, conversation: ConversationId): Promise<LastAsked> {
  const [open] = await store.openTurns({ limit: 1, conversation });
  if (open !== undefined) return { kind: "busy" };
  const users = (await store.tipHistory({ conversation }))?.messages.filter(({ role }) => role === "user") ?? [];
  const last = users.at(-1);
  if (last === undefined) return { kind: "nothing" };
  // What was added while a turn ran belongs to the message that began it.
  const first = last.turn === undefined ? last : (users.find(({ turn }) => turn === last.turn) ?? last);
  return { kind: "asked", text: first.text };
}

const BUSY = "Its last turn is not over: /continue finishes it first.";

/** The oldest hidden text, or the sentence that says why nothing was hidden. */
async function hide(context: SlashContext, turns: number): Promise<{ readonly text: string } | string> {
  const { store, conversation, clock } = context;
  if (conversation === undefined) return NOTHING_YET;
  const outcome = await store.undo({ conversation, turns, reason: "undo", nowMs: clock.nowMs() });
  switch (outcome.kind) {
    case "undone":
      tellChanged(context, conversation, "history");
      return outcome;
    case "nothing-to-undo":
      return "There is nothing to take back.";
    case "busy":
      return BUSY;
    case "unknown":
    case "deleted":
      return DELETED;
  }
}
