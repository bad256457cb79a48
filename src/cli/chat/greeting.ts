/** What a person sees before the first line (version, model, their last chat) and after the last: how to go on. */
import type { Model } from "#app/chat-ports.js";
import type { ConversationId } from "#base/ids.js";
import { visible } from "#base/text-width.js";
import type { SessionStore } from "#session/store.js";
import { mention } from "../commands/sessions-find.js";
import { formatAgo, wrap } from "../format.js";
import type { ChatSurface } from "./surface.js";
import type { ChatParts } from "./talk.js";
import { CLI_PLATFORM } from "./target.js";

export async function greeting(
  { context, started, surface }: ChatParts & { readonly surface: ChatSurface },
  { isNew }: { readonly isNew: boolean },
): Promise<string[]> {
  const { paint, columns } = surface;
  const fitted = (text: string): string[] => wrap(text, columns - 1);
  return [
    `${paint.bold(`Talaria ${context.version}`)}  ${modelText(started.model)}`,
    ...started.notes.flatMap((note) => fitted(visible(note))).map(paint.yellow),
    ...(isNew ? await lastChat(started, context.clock.nowMs()) : []).flatMap(fitted),
    paint.dim("Say something. /help lists the commands, Ctrl-D leaves."),
  ];
}

/** The command that goes on where a chat was left. */
export async function farewell(store: SessionStore, conversation: ConversationId): Promise<string> {
  const [[newest], card] = await Promise.all([
    store.list({ limit: 1, source: CLI_PLATFORM }),
    store.show({ conversation }),
  ]);
  const named = `talaria chat -r ${conversation}`;
  if (card?.liveTurn?.phase === "waiting") return `It still waits for your answer: ${named}`;
  return `${newest?.id === conversation ? "talaria chat -c" : named} goes on here.`;
}

function modelText({ label, isDemo }: Model): string {
  return isDemo ? "demo model: scripted, not an AI (talaria setup finds a real one)" : visible(label);
}

async function lastChat({ store }: ChatParts["started"], nowMs: number): Promise<string[]> {
  const [row] = await store.list({ limit: 1, source: CLI_PLATFORM });
  if (row === undefined) return [];
  return [`Your last chat, ${formatAgo(row.activeMs, nowMs)}: ${mention(row)}`, "talaria chat -c goes on in it."];
}
