/** `/branch [name]`: a copy of what was said so far, as a conversation of its own; the original stays as it is. */
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { leavingOf, leftText } from "./leave.js";
import { droppedText } from "./title.js";

export const branchCommand: SlashCommand = {
  name: "branch",
  aliases: ["fork"],
  category: "Session",
  takes: "[name]",
  arguments: "none",
  summary: "go on in a copy of this conversation",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "moves",
  run: (context, words) => branch(context, words),
};

async function branch(context: SlashContext, name: string): Promise<SlashOutcome> {
  const { store, conversation: from, person, clock } = context;
  if (from === undefined) return said(NOTHING_YET);
  const leaving = await leavingOf(context, from, "moves");
  const title = name === "" ? {} : { title: name };
  const branched = await store.branch({ actor: leaving.actor, from, owner: person.id, ...title, nowMs: clock.nowMs() });
  switch (branched.kind) {
    case "empty":
      return said("There is nothing to copy yet.");
    case "unknown":
    case "deleted":
      return said(DELETED);
    case "branched": {
      const { conversation, title: outcome } = branched;
      const called = outcome?.kind === "set" ? `, called “${outcome.title}”` : "";
      const dropped = outcome?.kind === "dropped" ? [droppedText(outcome)] : [];
      return {
        say: [`You are in a copy now: ${conversation}${called}.`, ...dropped, leftText(context, from, leaving)],
        next: { kind: "move", conversation },
      };
    }
  }
}
