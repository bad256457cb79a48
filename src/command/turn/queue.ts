/** `/queue TEXT` says something for after the running turn; alone it shows what waits, with the way to withdraw it. */
import type { ConversationId } from "#base/ids.js";
import { formatAgo } from "#base/span.js";
import type { QueuedInput } from "#session/verbs/intake.js";
import { NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { counted, oneLine, rowsFor } from "../text.js";
import { notTakenText } from "./admission-text.js";
import { withdraw } from "./halt.js";

/** Nobody needs more of them, and each is a turn that costs something. */
export const QUEUED_MAX = 100;
const CANCEL = /^cancel\s+(\d{1,4}|all)$/i;

export const queueCommand: SlashCommand = {
  name: "queue",
  aliases: ["q"],
  category: "Turn",
  takes: "[text]",
  arguments: ["cancel"],
  summary: "say something for after this turn, or see what waits",
  details: ["/queue cancel N withdraws the one with that number, /queue cancel all every one."],
  where: ["terminal", "chat"],
  who: "anyone",
  again: (words) => (CANCEL.test(words) ? undefined : "same"),
  needs: ["live"],
  whileBusy: true,
  async run(context, words) {
    const { conversation } = context;
    if (words === "") return conversation === undefined ? said(NOTHING_YET) : show(context, conversation);
    const cancelled = CANCEL.exec(words)?.[1]?.toLowerCase();
    if (cancelled === undefined) return add(context, words);
    return conversation === undefined ? said(NOTHING_YET) : cancel(context, conversation, cancelled);
  },
};

async function add({ live, store, conversation }: SlashContext, text: string): Promise<SlashOutcome> {
  if (live === undefined || conversation === undefined) return { say: [], next: { kind: "send", text } };
  const [state, waiting] = await Promise.all([
    live.state(conversation),
    store.queue({ conversation, limit: QUEUED_MAX }),
  ]);
  if (state === "idle") return { say: [], next: { kind: "send", text } };
  if (waiting.length >= QUEUED_MAX) return said(`${QUEUED_MAX} messages wait already, so it was not taken.`);
  const admission = await live.say({ text, mode: "queue", to: { kind: "conversation", id: conversation } });
  return said(notTakenText(admission) ?? `It is number ${waiting.length + 1} of what waits; /queue shows all.`);
}

async function show(context: SlashContext, conversation: ConversationId): Promise<SlashOutcome> {
  const { store, clock } = context;
  const waiting = await store.queue({ conversation, limit: QUEUED_MAX });
  if (waiting.length === 0) return said("Nothing waits.");
  const row = ({ mode, receivedMs, text }: QueuedInput, at: number): readonly string[] => [
    `${at + 1}`,
    mode,
    formatAgo(receivedMs, clock.nowMs()),
    oneLine(text ?? "(attachments)"),
  ];
  return said(rowsFor(context, waiting.map(row)), "/queue cancel N withdraws one.");
}

async function cancel(context: SlashContext, conversation: ConversationId, which: string): Promise<SlashOutcome> {
  const { store, clock } = context;
  const wish = { reason: "withdrawn", nowMs: clock.nowMs() };
  if (which === "all") return told(context, conversation, await withdraw(store, conversation, wish));
  const input = (await store.queue({ conversation, limit: QUEUED_MAX }))[Number(which) - 1];
  if (input === undefined) return said(`Nothing waits with the number ${which}; /queue shows what does.`);
  const { kind } = await store.cancelInput({ input: input.id, ...wish });
  if (kind !== "cancelled") return said("It was taken meanwhile; /stop interrupts it.");
  return told(context, conversation, 1);
}

async function told(
  { store, live }: SlashContext,
  conversation: ConversationId,
  withdrawn: number,
): Promise<SlashOutcome> {
  if (withdrawn === 0) return said("Nothing waits.");
  const left = await store.queue({ conversation, limit: QUEUED_MAX });
  live?.tell(conversation, { type: "queue-changed", queued: left.length });
  return said(
    `${counted(withdrawn, "message")} withdrawn; ${left.length === 0 ? "nothing waits" : `${left.length} left`}.`,
  );
}
