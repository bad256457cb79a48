/**
 * What Slack tells us, read at the border: messages, commands and pressed buttons. Pure. Bots (ourselves among them),
 * edits, deletions and joins are no messages to us.
 */
import { z } from "zod";
import type { Chat } from "../platform.js";

const file = z.looseObject({
  id: z.string().optional(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
});

const message = z.looseObject({
  type: z.enum(["message", "app_mention"]).default("message"),
  subtype: z.string().optional(),
  channel: z.string(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string().optional(),
  event_ts: z.string().optional(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  client_msg_id: z.string().optional(),
  hidden: z.boolean().optional(),
  files: z.array(file).optional(),
  attachments: z.array(z.looseObject({ text: z.string().nullish(), is_msg_unfurl: z.boolean().optional() })).optional(),
});

const command = z.looseObject({
  command: z.string(),
  text: z.string().nullish(),
  trigger_id: z.string(),
  channel_id: z.string(),
  channel_name: z.string().optional(),
  user_id: z.string(),
  user_name: z.string().optional(),
});

const pressed = z.looseObject({
  type: z.literal("block_actions"),
  user: z.looseObject({ id: z.string(), name: z.string().optional(), username: z.string().optional() }),
  channel: z.looseObject({ id: z.string() }),
  message: z.looseObject({ ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  container: z.looseObject({ message_ts: z.string().optional(), thread_ts: z.string().optional() }).optional(),
  response_url: z.string().optional(),
  actions: z.array(z.looseObject({ value: z.string().optional() })).min(1),
});

export type SlackMessage = z.output<typeof message>;
export type SlackFile = z.output<typeof file>;
export type SlackCommand = z.output<typeof command>;
export type SlackPress = z.output<typeof pressed>;

export type Told =
  | { readonly kind: "message"; readonly message: SlackMessage; readonly eventId?: string }
  | { readonly kind: "command"; readonly command: SlackCommand }
  | { readonly kind: "press"; readonly press: SlackPress }
  /** Nothing to us: acknowledged and left. */
  | { readonly kind: "other" };

const callback = z.looseObject({ type: z.literal("event_callback"), event_id: z.string().optional(), event: message });

export function readTold(body: unknown): Told {
  const event = callback.safeParse(body);
  if (event.success) {
    const { event: said, event_id: eventId } = event.data;
    return isSpoken(said) ? { kind: "message", message: said, ...(eventId === undefined ? {} : { eventId }) } : OTHER;
  }
  const typed = command.safeParse(body);
  if (typed.success) return { kind: "command", command: typed.data };
  const press = pressed.safeParse(body);
  return press.success ? { kind: "press", press: press.data } : OTHER;
}

/** An entry of a channel's history, where the channel is not said again; undefined when nobody speaks in it. */
export function readEntry(entry: unknown, channel: string): SlackMessage | undefined {
  const read = message.safeParse(typeof entry === "object" ? { ...entry, channel } : entry);
  return read.success && isSpoken(read.data) ? read.data : undefined;
}

const SPOKEN = new Set([undefined, "file_share", "me_message", "thread_broadcast"]);
const OTHER: Told = { kind: "other" };

function isSpoken({ subtype, bot_id, user, hidden, text, files }: SlackMessage): boolean {
  if (!SPOKEN.has(subtype) || hidden === true || user === undefined || (bot_id ?? "") !== "") return false;
  return typeof text === "string" || (files?.length ?? 0) > 0;
}

/** The same for a message, its mention, every retry and the history; Slack's own ids only where there is no `ts`. */
export function eventIdOf(team: string, said: SlackMessage, eventId: string | undefined): string | undefined {
  if (said.ts !== undefined) return `${team}/${said.channel}:${said.ts}`;
  const other = said.client_msg_id ?? eventId;
  return other === undefined ? undefined : `${team}/${other}`;
}

export function isDirect(channel: string): boolean {
  return channel.startsWith("D");
}

/** Threads are sessions of their own; so is, with `reply_in_thread`, everything said at the top of a channel. */
export function chatOf(channel: string, at: { thread?: string; ts?: string }, replyInThread: boolean): Chat {
  const own = replyInThread && !isDirect(channel) ? at.ts : undefined;
  const threadId = at.thread ?? own;
  return { type: isDirect(channel) ? "dm" : "group", id: channel, ...(threadId === undefined ? {} : { threadId }) };
}

/** `/talaria new` is `/new`; a command with a name of its own is itself. */
export function commandText({ command: name, text }: SlackCommand): string {
  const rest = (text ?? "").trim();
  if (!/^\/talaria/i.test(name)) return `${name} ${rest}`.trim();
  return rest === "" ? "/help" : `/${rest.replace(/^\/+/, "")}`;
}

/** Slack takes a line that begins with a slash for itself, and in threads takes no command at all: `!new` is `/new`. */
export function bangCommand(text: string): string {
  return /^![a-z][a-z-]*(\s|$)/.test(text) ? `/${text.slice(1)}` : text;
}
