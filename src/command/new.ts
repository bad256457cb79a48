/** `/new [title]`: another conversation, linked to the one that is left. */
import type { TitleOutcome } from "#session/input.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "./command.js";
import { droppedText } from "./title.js";

export const newCommand: SlashCommand = {
  name: "new",
  aliases: ["reset", "clear"],
  takes: "[title]",
  summary: "start another conversation; this one is kept",
  where: ["terminal", "chat"],
  async run(context, words) {
    const title = words === "" ? undefined : words;
    return context.conversation === undefined ? beginFirst(context, title) : leaveFor(context, title);
  },
};

/** [LS-1] There is nothing to leave; only an explicit title is worth a row. */
async function beginFirst(context: SlashContext, title: string | undefined): Promise<SlashOutcome> {
  if (title === undefined) return said("This is a new conversation already.");
  const { store, start, clock } = context;
  const begun = await store.begin({ start, title, nowMs: clock.nowMs() });
  if (begun.kind === "dropped") return said(droppedText(begun.title));
  return {
    say: [`New session. ${named(begun.title)}`.trim()],
    next: { kind: "move", conversation: begun.conversation },
  };
}

async function leaveFor(context: SlashContext, title: string | undefined): Promise<SlashOutcome> {
  const { store, actor, conversation: from, start, clock } = context;
  const reset = await store.reset({
    actor,
    ...(from === undefined ? {} : { from }),
    start,
    ...(title === undefined ? {} : { title }),
    nowMs: clock.nowMs(),
  });
  if (reset.kind !== "reset") return said("This conversation was deleted; your next message begins another.");
  const kept = from === undefined ? "" : ` The last one is kept: /resume ${from}`;
  return {
    say: [`New session. ${named(reset.title)}`.trim() + kept],
    next: { kind: "move", conversation: reset.conversation },
  };
}

function named(title: TitleOutcome | undefined): string {
  if (title === undefined || title.kind === "kept-for-later") return "";
  return title.kind === "set" ? `It is called “${title.title}”.` : droppedText(title);
}
