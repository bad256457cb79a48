/**
 * `/handoff [platform[:chat]]`: go on with this conversation in a chat. The chat's route leads here from then on, and the
 * chat is told so; the terminal keeps the conversation too. `/resume` in a terminal is the way back.
 */
import type { ConversationId } from "#base/ids.js";
import { DELETED, NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import type { HandoffChat } from "../ports.js";
import { oneLine } from "../text.js";

export const handoffCommand: SlashCommand = {
  name: "handoff",
  aliases: [],
  category: "Session",
  takes: "[chat]",
  arguments: "none",
  summary: "go on with this conversation in a chat of yours",
  details: [
    "The chat is platform:ID, or a platform's name for its home chat; without either it is the only home chat there is. What you write there from then on belongs to this conversation; what the chat had before is kept.",
    "Back in a terminal: /resume, or talaria chat -c.",
  ],
  where: ["terminal"],
  who: "owner",
  needs: ["handoff"],
  async run(context, words) {
    const { conversation, handoff } = context;
    if (conversation === undefined || handoff === undefined) return said(NOTHING_YET);
    const found = await handoff(words);
    return found.kind === "refused" ? said(found.why) : handOver(context, conversation, found);
  },
};

async function handOver(
  { store, clock }: SlashContext,
  conversation: ConversationId,
  { platform, routeKey, address, label }: HandoffChat,
): Promise<SlashOutcome> {
  const card = await store.show({ conversation });
  if (card === null) return said(DELETED);
  const nowMs = clock.nowMs();
  // The terminal goes on watching it: nothing is closed here.
  const moved = await store.resume({ actor: { platform, routeKey }, to: conversation, nowMs });
  if (moved.kind === "unknown" || moved.kind === "deleted") return said(DELETED);
  const name = card.title === null ? "The conversation from the terminal" : `“${oneLine(card.title)}”`;
  const parts = [`${name} continues here. Say something to go on.`];
  await store.oweDelivery({ conversation, platform, address, parts, nowMs });
  const left =
    moved.kind === "resumed" && moved.from !== null ? [`What that chat had before is kept: /resume ${moved.from}`] : [];
  return said(
    `It goes on in ${label}, which is told so. You see here what is said there; what you say here is answered here.`,
    ...left,
  );
}
