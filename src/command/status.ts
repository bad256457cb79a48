/** `/status` and `/model`: where one is, and who answers. */
import type { Model } from "#model/model.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, type SlashContext, said } from "./command.js";

const MICROS_PER_USD = 1_000_000;
const QUEUE_LOOKED_AT = 100;

export const statusCommand: SlashCommand = {
  name: "status",
  aliases: [],
  summary: "where you are: conversation, model, tokens",
  where: ["terminal", "chat"],
  async run(context) {
    const { store, conversation } = context;
    const card = conversation === undefined ? null : await store.show({ conversation });
    if (card === null) return said(NOTHING_YET, modelText(context.model));
    const queued = await store.queue({ conversation: card.id, limit: QUEUE_LOOKED_AT });
    return said(lines(card, queued.length, context).join("\n"));
  },
};

export const modelCommand: SlashCommand = {
  name: "model",
  aliases: [],
  summary: "which model answers",
  where: ["terminal", "chat"],
  async run({ store, conversation, model }) {
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

function lines(card: ConversationCard, queued: number, { model }: SlashContext): string[] {
  const tokens = sum(card, ({ usage }) => usage.inputTokens + usage.outputTokens);
  const rows: readonly (readonly [string, string])[] = [
    ["conversation", card.id],
    ["title", card.title ?? "none yet"],
    ["model", `${card.model ?? model.label}${model.isDemo ? " (scripted demo, not an AI)" : ""}`],
    ["messages", `${card.messages}${card.sessions.length > 1 ? `, in ${card.sessions.length} sessions` : ""}`],
    ["tokens", `${tokens.toLocaleString("en-US")}, ${costText(card)}`],
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

/** A cost nobody knows is unknown, never nothing. */
function costText(card: ConversationCard): string {
  const known = `$${(sum(card, ({ costMicros }) => costMicros ?? 0) / MICROS_PER_USD).toFixed(4)}`;
  return card.sessions.some(({ isCostUnknown }) => isCostUnknown) ? `${known} and an unknown part` : known;
}

function sum({ sessions }: ConversationCard, of: (session: ConversationCard["sessions"][number]) => number): number {
  return sessions.reduce((total, session) => total + of(session), 0);
}
