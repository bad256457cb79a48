/** `/continue`: finish what was cut, ask again what waits, or go on after an interruption. */
import type { HistoryRow } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, said } from "../command.js";

const CONTINUE_TEXT = "continue";

export const continueCommand: SlashCommand = {
  name: "continue",
  aliases: ["cont"],
  category: "Turn",
  arguments: "none",
  summary: "finish what was interrupted, or answer what waits",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  async run({ store, conversation }) {
    if (conversation === undefined) return said(NOTHING_YET);
    const [[open], [queued], [last]] = await Promise.all([
      store.openTurns({ limit: 1, conversation }),
      store.queue({ conversation, limit: 1 }),
      store.recent({ conversation, limit: 1 }),
    ]);
    if (open !== undefined || queued !== undefined) return { say: [], next: { kind: "run" } };
    const cut = last === undefined ? "no" : cutBy(last);
    if (cut === "interruption") return { say: [], next: { kind: "send", text: CONTINUE_TEXT } };
    return said(cut === "failure" ? "The last message failed; /retry asks it again." : "Nothing was interrupted here.");
  },
};

/** How the last exchange ended, by the note that every end without an answer leaves. */
function cutBy({ role, body }: HistoryRow): "no" | "interruption" | "failure" {
  if (role === "note") return body?.["outcome"] === "failed" ? "failure" : "interruption";
  // An import has no notes: what was asked and never answered was cut.
  return role === "user" || role === "tool" || body?.interrupted === true ? "interruption" : "no";
}
