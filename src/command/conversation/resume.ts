/** `/resume ID`: go on in another conversation, by any id ever shown, a prefix, a title [CR-9] or its place in the list. */
import type { ConversationId } from "#base/ids.js";
import type { Resolution } from "#session/verbs/reading.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { numberIn, oneLine } from "../text.js";
import { ownedBy } from "../whose.js";
import { leavingOf, leftText } from "./leave.js";
import { type ListedRow, listRows, rowsText } from "./sessions.js";

const LISTED_MAX = 8;
/** A longer name is nobody's. */
const WORDS_CHARS_MAX = 200;

export const resumeCommand: SlashCommand = {
  name: "resume",
  aliases: ["switch"],
  category: "Session",
  takes: "[id or title]",
  arguments: "sessions",
  summary: "go on in another conversation, or see the last ones",
  details: ["An id, the beginning of one, a title, or the number of a line in the list that /resume alone shows."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "moves",
  whileBusy: true,
  async run(context, words) {
    if (words !== "") return goTo(context, words);
    const setAside = await setAsideHere(context);
    if (setAside === undefined) return listRecent(context);
    await moveTo(context, setAside);
    return said("It is set aside no longer: say again what you want, or /new begins another.");
  },
};

/** [CT-9] What was set aside after it ended the program is tried again by the word alone. */
async function setAsideHere({ store, actor }: SlashContext): Promise<ConversationId | undefined> {
  const route = actor.routeKey === undefined ? null : await store.route({ key: actor.routeKey });
  return route?.suspendedReason == null ? undefined : route.conversation;
}

async function listRecent(context: SlashContext): Promise<SlashOutcome> {
  const rows = await listRows(context, LISTED_MAX);
  if (rows.length === 0) return said("There is no conversation yet.");
  return said(rowsText(context, rows), "/resume ID goes on in one.");
}

async function goTo(context: SlashContext, words: string): Promise<SlashOutcome> {
  const text = unquoted(words);
  if (text.length > WORDS_CHARS_MAX) return said(unknownText(text));
  const found = await find(context, text);
  switch (found.kind) {
    case "unknown":
      return said(unknownText(text));
    case "deleted":
      return said("That conversation was deleted.");
    case "ambiguous":
      return said(`That could be any of these:\n${found.candidates.join("\n")}`);
    case "found":
      return moveTo(context, found.conversation);
  }
}

type Found = Exclude<Resolution, { kind: "found" }> | { readonly kind: "found"; readonly conversation: ConversationId };

/** A name first; a small number that names nothing is a place in the list. */
async function find(context: SlashContext, text: string): Promise<Found> {
  const found = await context.store.resolve({ text, ...ownedBy(context) });
  const place = found.kind === "unknown" ? numberIn(text, { min: 1, max: LISTED_MAX }) : undefined;
  if (place === undefined) return found;
  const row: ListedRow | undefined = (await listRows(context, LISTED_MAX))[place - 1];
  return row === undefined ? found : { kind: "found", conversation: row.id };
}

/** As people copy them from a list: `<id>`, `[id]`, `"a title"`. */
function unquoted(words: string): string {
  const [, inside] =
    /^(?:<(.*)>|\[(.*)\]|"(.*)"|'(.*)'|“(.*)”)$/s.exec(words)?.filter((part) => part !== undefined) ?? [];
  return (inside ?? words).trim();
}

function unknownText(text: string): string {
  return `No conversation is called ${oneLine(text)}, and no id begins with it. /resume lists the last ones.`;
}

async function moveTo(context: SlashContext, to: ConversationId): Promise<SlashOutcome> {
  const { store, conversation: from, clock } = context;
  const leaving = await leavingOf(context, from === to ? undefined : from, "moves");
  const { actor } = leaving;
  const moved = await store.resume({ actor, ...(from === undefined ? {} : { from }), to, nowMs: clock.nowMs() });
  if (moved.kind === "unknown" || moved.kind === "deleted") return said("That conversation was deleted meanwhile.");
  if (moved.kind === "already-there") return said("You are in it already.");
  const left = from === undefined || leaving.open === undefined ? [] : [leftText(context, from, leaving)];
  return { say: [...left, `You are in ${to} now.`], next: { kind: "resume", conversation: to } };
}
