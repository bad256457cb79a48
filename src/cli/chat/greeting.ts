/** What a person sees before the first line (version, model, their last chat) and after the last: how to go on. */
import type { ConversationId } from "#base/ids.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { mention } from "../commands/sessions-find.js";
import { formatAgo, wrap } from "../format.js";
import { isDemoLabel } from "./display.js";
import { lastConversation } from "./last-chat.js";
import type { HostLink } from "./link.js";
import type { ChatSurface } from "./surface.js";
import type { ChatParts } from "./talk.js";
import type { DefaultModel } from "./target.js";

export interface GreetingWish {
  readonly isNew: boolean;
  readonly model: DefaultModel;
  readonly notes: readonly string[];
}

export async function greeting(
  { context, link, start, surface }: ChatParts & { readonly surface: ChatSurface },
  { isNew, model, notes }: GreetingWish,
): Promise<string[]> {
  const { paint, columns } = surface;
  const fitted = (text: string): string[] => wrap(text, columns - 1);
  return [
    `${paint.bold(`Talaria ${context.version}`)}  ${modelText(start.model ?? model.label)}`,
    ...notes.flatMap((note) => fitted(visible(note))).map(paint.yellow),
    ...(isNew ? await lastChat(context, link) : []).flatMap(fitted),
    paint.dim("Say something. /help lists the commands, Ctrl-D leaves."),
  ];
}

/** The command that goes on where a chat was left. */
export async function farewell({ home }: CliContext, link: HostLink, conversation: string): Promise<string> {
  const [last, { state }] = await Promise.all([
    lastConversation(home, link),
    link.call("events.since", { session_id: conversation, after: 0 }),
  ]);
  const named = `talaria chat -r ${conversation}`;
  if (state === "waiting") return `It still waits for your answer: ${named}`;
  const command = last?.id === conversation ? "talaria chat -c" : named;
  return state === "working" ? `It goes on without you: ${command} looks in.` : `${command} goes on here.`;
}

function modelText(label: string): string {
  return isDemoLabel(label) ? "demo model: scripted, not an AI (talaria setup finds a real one)" : visible(label);
}

async function lastChat({ home, clock }: CliContext, link: HostLink): Promise<string[]> {
  const card = await lastConversation(home, link);
  if (card === undefined) return [];
  const { id, title, last_exchange, last_active } = card;
  const named = { id: id as ConversationId, title, preview: last_exchange?.user ?? null };
  return [
    `Your last chat, ${formatAgo(last_active * 1000, clock.nowMs())}: ${mention(named)}`,
    "talaria chat -c goes on in it.",
  ];
}
