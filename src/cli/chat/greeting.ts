/** What a person sees before the first line (version, model, their last chat) and after the last: how to go on. */
import type { ConversationId } from "#base/ids.js";
import { visible } from "#base/text-width.js";
import { mention } from "../commands/sessions-find.js";
import { formatAgo, wrap } from "../format.js";
import { isDemoLabel } from "./display.js";
import type { HostLink } from "./link.js";
import type { ChatSurface } from "./surface.js";
import type { ChatParts } from "./talk.js";
import { CLI_SOURCE, type DefaultModel } from "./target.js";

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
    ...(isNew ? await lastChat(link, context.clock.nowMs()) : []).flatMap(fitted),
    paint.dim("Say something. /help lists the commands, Ctrl-D leaves."),
  ];
}

/** The command that goes on where a chat was left. */
export async function farewell(link: HostLink, conversation: string): Promise<string> {
  const [newest, { state }] = await Promise.all([
    newestChat(link),
    link.call("events.since", { session_id: conversation, after: 0 }),
  ]);
  const named = `talaria chat -r ${conversation}`;
  if (state === "waiting") return `It still waits for your answer: ${named}`;
  const command = newest?.id === conversation ? "talaria chat -c" : named;
  return state === "working" ? `It goes on without you: ${command} looks in.` : `${command} goes on here.`;
}

function modelText(label: string): string {
  return isDemoLabel(label) ? "demo model: scripted, not an AI (talaria setup finds a real one)" : visible(label);
}

async function newestChat(link: HostLink) {
  const { sessions } = await link.call("session.list", { limit: 1, source: CLI_SOURCE });
  return sessions[0];
}

async function lastChat(link: HostLink, nowMs: number): Promise<string[]> {
  const row = await newestChat(link);
  if (row === undefined) return [];
  const { id, title, preview, last_active = row.started_at } = row;
  const named = {
    id: id as ConversationId,
    title: title === "" ? null : title,
    preview: preview === "" ? null : preview,
  };
  return [
    `Your last chat, ${formatAgo(last_active * 1000, nowMs)}: ${mention(named)}`,
    "talaria chat -c goes on in it.",
  ];
}
