/** A chat that comes to a turn that runs already: what of it is history is shown first, then it goes on with the rest. */
import type { Picture } from "#client/follow.js";
import type { ChatDisplay } from "./display.js";

/** Nothing where no turn is under way: what is over is shown by the last exchange. */
export function showBeginning(display: ChatDisplay, { messages, turn_id }: Picture): void {
  if (turn_id === undefined) return;
  for (const row of messages) {
    if (row.turn_id !== turn_id) continue;
    if (row.role === "user") display.said({ text: row.text, isRecovered: true });
    if (row.role === "assistant") {
      display.glimpse({ type: "text", delta: row.text });
      display.glimpse({ type: "step", number: 0, model: "", usage: { inputTokens: 0, outputTokens: 0 } });
    }
    if (row.role === "tool") {
      const { tool_id = "", name, context, text = "", outcome = "ok" } = row;
      display.glimpse({ type: "call-finished", call: tool_id, name, summary: `${name}: ${context}`, outcome, text });
    }
  }
}
