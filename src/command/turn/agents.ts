/** `/agents`: what runs now: conversations at work or waiting, and this one's background processes. */
import type { ConversationId } from "#base/ids.js";
import { formatAgo } from "#base/span.js";
import { type SlashCommand, type SlashContext, said } from "../command.js";
import { oneLine, rowsFor } from "../text.js";

/** More are counted, not shown. */
const SHOWN_MAX = 20;
const COMMAND_CELLS_MAX = 60;

export const agentsCommand: SlashCommand = {
  name: "agents",
  aliases: ["tasks"],
  category: "Info",
  arguments: "none",
  summary: "what runs now: turns and background processes",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["live"],
  whileBusy: true,
  async run(context) {
    const [working, processes] = [await workingText(context), processesText(context)];
    const told = [...working, ...processes];
    return said(...(told.length === 0 ? ["Nothing runs now."] : told));
  },
};

async function workingText(context: SlashContext): Promise<readonly string[]> {
  const active = context.live?.active() ?? [];
  const rows: (readonly string[])[] = [];
  for (const { conversation, state } of active.slice(0, SHOWN_MAX)) {
    const row = await rowOf(context, conversation, state);
    if (row !== undefined) rows.push(row);
  }
  const more = active.length > SHOWN_MAX ? [`${active.length - SHOWN_MAX} more run.`] : [];
  return rows.length === 0 ? [] : [rowsFor(context, rows), ...more];
}

/** [CM-4] Somebody else's is not shown to who does not own the home. */
async function rowOf(
  { store, person, conversation: here }: SlashContext,
  conversation: ConversationId,
  state: string,
): Promise<readonly string[] | undefined> {
  const card = await store.show({ conversation });
  if (card === null || (person.role !== "owner" && card.owner !== person.id)) return undefined;
  const name = oneLine(card.title ?? card.preview ?? "(untitled)");
  return [
    conversation,
    state === "waiting" ? "waits for you" : "works",
    here === conversation ? `${name} (here)` : name,
  ];
}

function processesText(context: SlashContext): readonly string[] {
  const { processes, conversation, clock } = context;
  const own = conversation === undefined ? [] : (processes?.list(conversation) ?? []);
  const running = own.filter(({ isRunning }) => isRunning);
  if (running.length === 0) return [];
  return [
    rowsFor(
      context,
      running.map(({ id, startedMs, command }) => [
        id,
        `since ${formatAgo(startedMs, clock.nowMs())}`,
        oneLine(command, COMMAND_CELLS_MAX),
      ]),
    ),
  ];
}
