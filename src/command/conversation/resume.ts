/** `/resume ID`: go on in another conversation, by any id ever shown, a prefix or a title [CR-9]. */
import type { ConversationId } from "#base/ids.js";
import { formatAgo } from "#base/span.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { leavingOf, leftText } from "./leave.js";

const LISTED_MAX = 8;
const NAME_CHARS_MAX = 50;
const TURNS_LOOKED_AT = 1_000;

export const resumeCommand: SlashCommand = {
  name: "resume",
  aliases: ["switch"],
  category: "Session",
  arguments: "sessions",
  takes: "[id or title]",
  summary: "go on in another conversation, or see the last ones",
  where: ["terminal", "chat"],
  who: "anyone",
  whileBusy: true,
  run: (context, words) => (words === "" ? listRecent(context) : goTo(context, words)),
};

async function listRecent({ store, clock }: SlashContext): Promise<SlashOutcome> {
  const rows = await store.list({ limit: LISTED_MAX });
  if (rows.length === 0) return said("There is no conversation yet.");
  const turns = await store.openTurns({ limit: TURNS_LOOKED_AT });
  const waiting = new Set(turns.filter(({ phase }) => phase === "waiting").map(({ conversation }) => conversation));
  const ages = rows.map(({ activeMs }) => formatAgo(activeMs, clock.nowMs()));
  const widest = Math.max(...ages.map((age) => age.length));
  const lines = rows.map(({ id, title, preview }, at) => {
    const mark = waiting.has(id) ? "(waits for you) " : "";
    return `${id}  ${(ages[at] ?? "").padEnd(widest)}  ${mark}${shortName(title ?? preview ?? "(untitled)")}`;
  });
  return said(lines.join("\n"), "/resume ID goes on in one.");
}

async function goTo(context: SlashContext, text: string): Promise<SlashOutcome> {
  const { store } = context;
  const found = await store.resolve({ text });
  switch (found.kind) {
    case "unknown":
      return said(
        `No conversation is called ${shortName(text)}, and no id begins with it. /resume lists the last ones.`,
      );
    case "deleted":
      return said("That conversation was deleted.");
    case "ambiguous":
      return said(`That could be any of these:\n${found.candidates.join("\n")}`);
    case "found":
      return moveTo(context, found.conversation);
  }
}

async function moveTo(context: SlashContext, to: ConversationId): Promise<SlashOutcome> {
  const { store, conversation: from, clock } = context;
  const leaving = await leavingOf(context, from);
  const { actor } = leaving;
  const moved = await store.resume({ actor, ...(from === undefined ? {} : { from }), to, nowMs: clock.nowMs() });
  if (moved.kind === "unknown" || moved.kind === "deleted") return said("That conversation was deleted meanwhile.");
  if (moved.kind === "already-there") return said("You are in it already.");
  const left = from === undefined || leaving.open === undefined ? [] : [leftText(context, from, leaving)];
  return { say: [...left, `You are in ${to} now.`], next: { kind: "resume", conversation: to } };
}

function shortName(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return [...line].length <= NAME_CHARS_MAX ? line : `${[...line].slice(0, NAME_CHARS_MAX - 1).join("")}…`;
}
