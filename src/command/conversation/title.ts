/** `/title NAME`: stored at once, also before the first message [LS-4]. */
import type { TitleOutcome } from "#session/input.js";
import { cleanTitle, TITLE_CHARS_MAX } from "#session/title.js";
import { tellChanged } from "../changed.js";
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";

export const titleCommand: SlashCommand = {
  name: "title",
  aliases: ["rename"],
  category: "Session",
  arguments: "none",
  takes: "[name]",
  summary: "name this conversation, or see its name",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context, words) {
    if (words === "") return showTitle(context);
    return context.conversation === undefined ? beginTitled(context, words) : setTitle(context, words);
  },
};

/** [LS-5] What a person is told about a title that was not taken. */
export function droppedText(title: TitleOutcome): string {
  if (title.kind !== "dropped") return "";
  switch (title.reason) {
    case "taken":
      return "That title belongs to another conversation, so this one has none yet; titles are unique.";
    case "empty":
      return "That title has no visible character, so it was not taken.";
    case "too-long":
      return `A title has at most ${TITLE_CHARS_MAX} characters, so that one was not taken.`;
  }
}

/** Why this title would not be taken by a new conversation; undefined when it would. */
export async function refusalOf(
  { store }: SlashContext,
  text: string,
): Promise<Extract<TitleOutcome, { kind: "dropped" }> | undefined> {
  const clean = cleanTitle(text);
  if (clean.kind === "invalid") return { kind: "dropped", reason: clean.reason };
  const { title } = clean.title;
  const found = await store.resolve({ text: title });
  const holder = found.kind === "found" ? await store.show({ conversation: found.conversation }) : null;
  // A name also leads to the newest of its numbered lineage, which does not hold it.
  if (holder === null || !holder.sessions.some((session) => session.title === title)) return undefined;
  return { kind: "dropped", reason: "taken", holder: holder.id };
}

async function showTitle({ store, conversation }: SlashContext): Promise<SlashOutcome> {
  const card = conversation === undefined ? null : await store.show({ conversation });
  if (card === null) return said(NOTHING_YET);
  return said(card.title === null ? "It has no title yet." : `It is called “${card.title}”.`);
}

async function beginTitled({ store, start, actor, person, clock }: SlashContext, title: string): Promise<SlashOutcome> {
  const begun = await store.begin({ start, title, actor, owner: person.id, nowMs: clock.nowMs() });
  if (begun.kind === "dropped") return said(droppedText(begun.title));
  const { conversation } = begun;
  return { say: [outcomeText(begun.title)], next: { kind: "move", conversation } };
}

async function setTitle(context: SlashContext, title: string): Promise<SlashOutcome> {
  const { store, conversation } = context;
  if (conversation === undefined) return said(NOTHING_YET);
  const outcome = await store.setTitle({ conversation, title });
  if (outcome.kind === "set") tellChanged(context, conversation, "title");
  switch (outcome.kind) {
    case "set":
    case "dropped":
    case "kept-for-later":
      return said(outcomeText(outcome));
    case "cleared":
      return said("The title is cleared.");
    case "unknown":
    case "deleted":
      return said(DELETED);
  }
}

function outcomeText(outcome: TitleOutcome | undefined): string {
  if (outcome?.kind === "set") return `It is called “${outcome.title}” now.`;
  if (outcome?.kind === "dropped") return droppedText(outcome);
  return "The title could not be set now; the next turn tries again.";
}
