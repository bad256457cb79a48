/** `/new [title]`: another conversation, linked to the one that is left. */
import type { ConversationId } from "#base/ids.js";
import type { TitleOutcome } from "#session/input.js";
import { tellChanged } from "../changed.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { type Leaving, leavingOf, leftText } from "./leave.js";
import { droppedText, refusalOf } from "./title.js";

export const newCommand: SlashCommand = {
  name: "new",
  aliases: ["reset", "clear"],
  category: "Session",
  arguments: "none",
  takes: "[title]",
  summary: "start another conversation; this one is kept",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "moves",
  whileBusy: true,
  async run(context, words) {
    const title = words === "" ? undefined : words;
    const { conversation: from } = context;
    return from === undefined ? beginFirst(context, title) : leaveFor(context, from, title);
  },
};

/** [LS-1] There is nothing to leave; only an explicit title is worth a row. */
async function beginFirst(context: SlashContext, title: string | undefined): Promise<SlashOutcome> {
  if (title === undefined) return said("New session: nothing was said here yet, so this one is new already.");
  const { store, start, actor, person, clock } = context;
  const begun = await store.begin({ start, title, actor, owner: person.id, nowMs: clock.nowMs() });
  if (begun.kind === "dropped") return said(droppedText(begun.title));
  return {
    say: [`New session. ${named(begun.title)}`.trim()],
    next: { kind: "move", conversation: begun.conversation },
  };
}

async function leaveFor(context: SlashContext, from: ConversationId, title: string | undefined): Promise<SlashOutcome> {
  const { store, start, person, clock } = context;
  const leaving = await leavingOf(context, from, "ends");
  const refused = title === undefined ? undefined : await refusalOf(context, title);
  if (refused !== undefined && leaving.actor.routeKey === undefined) return leaveUntitled(context, leaving, refused);
  const reset = await store.reset({
    actor: leaving.actor,
    from,
    owner: person.id,
    start,
    ...(title === undefined ? {} : { title }),
    nowMs: clock.nowMs(),
  });
  if (reset.kind !== "reset") return leaveDeleted();
  if (leaving.open === undefined) tellChanged(context, from, "ended");
  return {
    say: [`New session. ${named(reset.title)}`.trim(), leftText(context, from, leaving)],
    next: { kind: "move", conversation: reset.conversation },
  };
}

/** What is gone needs no leaving: the next message begins another. */
function leaveDeleted(): SlashOutcome {
  return {
    say: ["New session. The last one was deleted; your next message begins this one."],
    next: { kind: "move", conversation: undefined },
  };
}

/** [LS-1] [LS-5] The title was all there was to store: where no route has to move, the next message begins it. */
async function leaveUntitled(context: SlashContext, leaving: Leaving, refused: TitleOutcome): Promise<SlashOutcome> {
  const { store, conversation: from, clock } = context;
  if (from === undefined) return said(droppedText(refused));
  const { actor } = leaving;
  if (leaving.open === undefined) {
    await store.end({ conversation: from, actor, reason: "session_reset", nowMs: clock.nowMs() });
    tellChanged(context, from, "ended");
  }
  return {
    say: [
      `New session. ${droppedText(refused)}`,
      "It begins with your next message.",
      leftText(context, from, leaving),
    ],
    next: { kind: "move", conversation: undefined },
  };
}

function named(title: TitleOutcome | undefined): string {
  if (title === undefined || title.kind === "kept-for-later") return "";
  return title.kind === "set" ? `It is called “${title.title}”.` : droppedText(title);
}
