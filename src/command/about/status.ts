/** `/status` and `/model`: where one is, and who answers. */
import type { ConversationId } from "#base/ids.js";
import type { Model } from "#model/model.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, type SlashContext, said } from "../command.js";
import { costText } from "./cost-text.js";

/** Counting reads them; beyond this nobody needs the number here. */
const COUNTED_MAX = 5_000;
const PAGE_MESSAGES = 500;
const QUEUE_LOOKED_AT = 100;

export const statusCommand: SlashCommand = {
  name: "status",
  aliases: [],
  category: "Info",
  arguments: "none",
  summary: "where you are: conversation, model, tokens",
  where: ["terminal", "chat"],
  who: "anyone",
  whileBusy: true,
  async run(context) {
    const { store, conversation } = context;
    const card = conversation === undefined ? null : await store.show({ conversation });
    if (card === null) return said(NOTHING_YET, modelText(context.model));
    const queued = (await store.queue({ conversation: card.id, limit: QUEUE_LOOKED_AT })).length;
    const messages = await visibleCount(context.store, card.id);
    return said(lines(card, { queued, messages }, context).join("\n"));
  },
};

export const modelCommand: SlashCommand = {
  name: "model",
  aliases: [],
  category: "Configuration",
  arguments: "models",
  takes: "[name]",
  summary: "which model answers, or how to take another",
  where: ["terminal", "chat"],
  who: "anyone",
  whileBusy: true,
  async run({ store, conversation, model }, words) {
    if (words !== "") {
      const here = conversation === undefined ? "" : ` -r ${conversation}`;
      return said(`The model is chosen when a chat starts: talaria chat${here} --model ${words}`);
    }
    const card = conversation === undefined ? null : await store.show({ conversation });
    const own = card?.model ?? null;
    if (own !== null && own !== model.label) return said(`This conversation was begun with ${own}.`, modelText(model));
    return said(modelText(model));
  },
};

/** Everything that shows a model says when it is not one. */
export function modelText({ label, isDemo, windowTokens, isWindowKnown }: Model): string {
  if (isDemo) return `${label}: a scripted demo, not an AI. \`talaria setup\` finds a real one.`;
  const window = `${windowTokens.toLocaleString("en-US")} tokens${isWindowKnown ? "" : " (a guess)"}`;
  return `${label}, with a window of ${window}. Another: talaria chat --model PROVIDER/NAME`;
}

/** What was said and not taken back; copies that a compaction carried over are not counted again. */
async function visibleCount(store: SessionStore, conversation: ConversationId): Promise<number> {
  let count = 0;
  let beforeSeq: number | undefined;
  while (count <= COUNTED_MAX) {
    const at = beforeSeq === undefined ? {} : { beforeSeq };
    const page = await store.recent({ conversation, limit: PAGE_MESSAGES, ...at });
    count += page.length;
    beforeSeq = page[0]?.seq;
    if (page.length < PAGE_MESSAGES) break;
  }
  return count;
}

interface Counts {
  readonly queued: number;
  readonly messages: number;
}

function lines(card: ConversationCard, { queued, messages }: Counts, { model }: SlashContext): string[] {
  const tokens = sum(card, ({ usage }) => usage.inputTokens + usage.outputTokens);
  const rows: readonly (readonly [string, string])[] = [
    ["conversation", card.id],
    ["title", card.title ?? "none yet"],
    ["model", `${card.model ?? model.label}${model.isDemo ? " (scripted demo, not an AI)" : ""}`],
    ["messages", `${countText(messages)}${card.sessions.length > 1 ? `, in ${card.sessions.length} sessions` : ""}`],
    ["tokens", tokens.toLocaleString("en-US")],
    ["cost", costText(card.sessions)],
    ["state", stateText(card, queued)],
  ];
  const widest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(widest)}  ${value}`);
}

function stateText({ liveTurn }: ConversationCard, queued: number): string {
  const waiting = queued === 0 ? "" : `, ${queued} queued`;
  if (liveTurn === null) return `idle${waiting}`;
  return liveTurn.phase === "waiting" ? `waits for your answer${waiting}` : `a turn was cut; /continue${waiting}`;
}

function countText(messages: number): string {
  const count = Math.min(messages, COUNTED_MAX).toLocaleString("en-US");
  return messages > COUNTED_MAX ? `more than ${count}` : count;
}

function sum({ sessions }: ConversationCard, of: (session: ConversationCard["sessions"][number]) => number): number {
  return sessions.reduce((total, session) => total + of(session), 0);
}
