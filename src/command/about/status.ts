/** `/status`: where one is, who answers, and what goes on. */
import type { ConversationId } from "#base/ids.js";
import type { LiveState } from "#runtime/live/port.js";
import { spellAccount } from "#session/address.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard } from "#session/verbs/reading.js";
import { NOTHING_YET, type SlashCommand, type SlashContext, said } from "../command.js";
import { modelText } from "../setting/model.js";
import { count, counted, factsFor } from "../text.js";
import { costText } from "./cost-text.js";

/** Counting reads them; beyond this nobody needs the number here. */
const COUNTED_MAX = 5_000;
const PAGE_MESSAGES = 500;
const QUEUE_LOOKED_AT = 100;
const PAIRINGS_LOOKED_AT = 100;

export const statusCommand: SlashCommand = {
  name: "status",
  aliases: [],
  category: "Info",
  arguments: "none",
  summary: "where you are: conversation, model, tokens",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context) {
    const { store, conversation, live } = context;
    const card = conversation === undefined ? null : await store.show({ conversation });
    if (card === null) return said(NOTHING_YET, modelText(context.model));
    const [queue, messages, state] = await Promise.all([
      store.queue({ conversation: card.id, limit: QUEUE_LOOKED_AT }),
      visibleCount(store, card.id),
      live?.state(card.id),
    ]);
    const told = await pairingText(context);
    return said(statusText(card, { queued: queue.length, messages, live: state }, context), ...told);
  },
};

/** Who waits to be let in is the owner's business, wherever they are. */
async function pairingText({ store, person, clock }: SlashContext): Promise<readonly string[]> {
  if (person.role !== "owner") return [];
  const { pending, full } = await store.pairings({ limit: PAIRINGS_LOOKED_AT, nowMs: clock.nowMs() });
  if (pending.length === 0) return [];
  const where = full.map(spellAccount).join(", ");
  const none = where === "" ? "" : ` On ${where} no further stranger gets a code for now.`;
  return [`${counted(pending.length, "stranger")} asked to be let in: /pair shows them.${none}`];
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
  /** Undefined where nothing runs beside the person. */
  readonly live: LiveState | undefined;
}

function statusText(card: ConversationCard, counts: Counts, context: SlashContext): string {
  const { model } = context;
  const { messages } = counts;
  const tip = card.sessions.at(-1);
  const tokens = sum(card, ({ usage }) => usage.inputTokens + usage.outputTokens);
  const label = card.model ?? model.label;
  const isDemo = label === model.label ? model.isDemo : label.startsWith("demo/");
  return factsFor(context, [
    ["conversation", card.id],
    ["title", card.title ?? "none yet"],
    ["model", `${label}${isDemo ? " (scripted demo, not an AI)" : ""}`],
    ["messages", `${countText(messages)}${card.sessions.length > 1 ? `, in ${card.sessions.length} sessions` : ""}`],
    ["tokens", count(tokens)],
    ["cost", costText(card.sessions)],
    ...(tip?.settings["yolo"] === true ? [["yolo", "on: nobody is asked here"]] : []),
    ["state", stateText(card, counts)],
  ]);
}

function stateText({ liveTurn }: ConversationCard, { queued, live }: Counts): string {
  const waiting = queued === 0 ? "" : `, ${queued} queued`;
  if (live === "working") return `works; /stop interrupts it${waiting}`;
  if (liveTurn === null) return `idle${waiting}`;
  return liveTurn.phase === "waiting" ? `waits for your answer${waiting}` : `a turn was cut; /continue${waiting}`;
}

function countText(messages: number): string {
  const shown = count(Math.min(messages, COUNTED_MAX));
  return messages > COUNTED_MAX ? `more than ${shown}` : shown;
}

function sum({ sessions }: ConversationCard, of: (session: ConversationCard["sessions"][number]) => number): number {
  return sessions.reduce((total, session) => total + of(session), 0);
}
