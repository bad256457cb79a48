/** `/continue`: finish what was cut, ask again what waits, or go on after an interruption. */
import type { HistoryRow } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, said } from "./command.js";

const CONTINUE_TEXT = "continue";

export const continueCommand: SlashCommand = {
  name: "continue",
  aliases: ["cont"],
  summary: "finish what was interrupted, or answer what waits",
  where: ["terminal", "chat"],
  async run({ store, conversation }) {
    if (conversation === undefined) return said(NOTHING_YET);
    const [[open], [queued], [last]] = await Promise.all([
      store.openTurns({ limit: 1, conversation }),
      store.queue({ conversation, limit: 1 }),
      store.recent({ conversation, limit: 1 }),
    ]);
    if (open !== undefined || queued !== undefined) return { say: [], next: { kind: "run" } };
    if (last !== undefined && isCut(last)) return { say: [], next: { kind: "send", text: CONTINUE_TEXT } };
    return said("Nothing was interrupted here.");
  },
};

/** An exchange that ended otherwise than with a whole answer. */
function isCut({ role, body }: HistoryRow): boolean {
  return role === "assistant" ? body?.interrupted === true : role === "user" || role === "tool";
}
