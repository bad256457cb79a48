/** The methods of the Bot API that the fake knows, checked as strictly as Telegram checks them. */
import type { InlineKeyboardMarkup } from "grammy/types";
import { refusal } from "./fake-faults.js";
import { readHtml } from "./fake-html.js";
import type { UploadedFile } from "./fake-multipart.js";
import { BOT, type Posted, type World } from "./fake-world.js";

export interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

export const SENDS = ["sendMessage", "sendPhoto", "sendVoice", "sendAudio", "sendVideo", "sendDocument"] as const;
const TEXT_MAX = 4096;
const CAPTION_MAX = 1024;

/** A refusal in Telegram's own shape. */
export class Refused extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: object,
  ) {
    super(description);
  }

  answer(): object {
    return refusal(this.code, this.description, this.parameters);
  }
}

export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/** What methods change beside the world. */
export interface Desk {
  readonly world: World;
  webhook: Webhook | undefined;
  menu: readonly { readonly command: string; readonly description: string }[];
  readonly actions: { readonly chatId: number; readonly threadId?: number }[];
  readonly reactions: { readonly chatId: number; readonly messageId: number; readonly emoji: readonly string[] }[];
  readonly presses: Map<string, (text: string) => void>;
}

export function perform(desk: Desk, call: Call): unknown {
  const { method } = call;
  if ((SENDS as readonly string[]).includes(method)) return send(desk, call);
  const act = METHODS[method];
  if (act === undefined) throw new Refused(404, "Not Found: method not found");
  return act(desk, call);
}

const METHODS: Readonly<Record<string, (desk: Desk, call: Call) => unknown>> = {
  getMe: () => ({ ...BOT, can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false }),
  editMessageText: edit,
  editMessageCaption: edit,
  getWebhookInfo: ({ webhook, world }) => ({
    url: webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: world.updates.pendingCount(),
  }),
  setWebhook(desk, { fields }) {
    desk.webhook = { url: String(fields["url"]), secret: String(fields["secret_token"] ?? "") };
    if (fields["drop_pending_updates"] === true) throw new Error("nobody drops what waits");
    return true;
  },
  deleteWebhook(desk, { fields }) {
    if (fields["drop_pending_updates"] === true) throw new Error("nobody drops what waits");
    desk.webhook = undefined;
    return true;
  },
  sendChatAction(desk, { fields }) {
    desk.actions.push(place(desk.world, fields));
    return true;
  },
  setMyCommands(desk, { fields }) {
    desk.menu = fields["commands"] as Desk["menu"];
    for (const { command } of desk.menu)
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw new Refused(400, "Bad Request: BOT_COMMAND_INVALID");
    return true;
  },
  setMessageReaction(desk, { fields }) {
    const { chatId } = place(desk.world, fields);
    const emoji = (fields["reaction"] as { emoji: string }[]).map((one) => one.emoji);
    desk.reactions.push({ chatId, messageId: Number(fields["message_id"]), emoji });
    return true;
  },
  answerCallbackQuery({ presses }, { fields }) {
    const id = String(fields["callback_query_id"]);
    const waiting = presses.get(id);
    if (waiting === undefined) throw new Refused(400, "Bad Request: query is too old and response timeout expired");
    presses.delete(id);
    waiting(String(fields["text"] ?? ""));
    return true;
  },
  getFile({ world }, { fields }) {
    const id = String(fields["file_id"]);
    const bytes = world.files.get(id);
    if (bytes === undefined)
      throw new Refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
    if (bytes.length > 20_000_000) throw new Refused(400, "Bad Request: file is too big");
    return { file_id: id, file_unique_id: id, file_size: bytes.length, file_path: `documents/${id}.bin` };
  },
};

function send({ world }: Desk, call: Call): object {
  const where = place(world, call.fields);
  const part = call.method.slice("send".length).toLowerCase();
  const file = call.method === "sendMessage" ? undefined : fileOf(call, part);
  const posted: Posted = {
    ...where,
    messageId: world.nextMessageId(),
    method: call.method,
    ...words(call.fields, file !== undefined),
    ...(file ? { media: { name: file.name, bytes: file.bytes.length } } : {}),
  };
  world.posted.push(posted);
  return answered(posted);
}

function edit({ world }: Desk, { fields, method }: Call): object {
  const { chatId } = place(world, fields);
  const posted = world.posted.find((one) => one.chatId === chatId && one.messageId === Number(fields["message_id"]));
  if (posted === undefined) throw new Refused(400, "Bad Request: message to edit not found");
  const next = words(fields, method === "editMessageCaption");
  const isSame = JSON.stringify([next.text, next.buttons]) === JSON.stringify([posted.text, posted.buttons]);
  if (isSame) throw new Refused(400, "Bad Request: message is not modified: specified new message content is the same");
  Object.assign(posted, next);
  return answered(posted);
}

function answered({ messageId, chatId, text }: Posted): object {
  return { message_id: messageId, date: 1_760_000_000, chat: { id: chatId, type: "private" }, from: BOT, text };
}

function place(world: World, fields: Call["fields"]): { readonly chatId: number; readonly threadId?: number } {
  const chatId = Number(fields["chat_id"]);
  const moved = world.moved.get(chatId);
  if (moved !== undefined) {
    const why = "Bad Request: group chat was upgraded to a supergroup chat";
    throw new Refused(400, why, { migrate_to_chat_id: moved });
  }
  if (!world.isKnown(chatId)) throw new Refused(400, "Bad Request: chat not found");
  if (fields["message_thread_id"] === undefined) return { chatId };
  const threadId = Number(fields["message_thread_id"]);
  if (threadId === 1) throw new Refused(400, "Bad Request: message thread not found");
  if (world.closedTopics.has(threadId)) throw new Refused(400, "Bad Request: TOPIC_CLOSED");
  return { chatId, threadId };
}

function words(fields: Call["fields"], isCaption: boolean) {
  const raw = String(fields[isCaption ? "caption" : "text"] ?? "");
  const parseMode = fields["parse_mode"] as string | undefined;
  const read = parseMode === "HTML" ? readHtml(raw) : { kind: "ok" as const, text: raw, tags: [] };
  if (read.kind === "refused") throw new Refused(400, `Bad Request: can't parse entities: ${read.why}`);
  const text = read.text.trim();
  if (!isCaption && text === "") throw new Refused(400, "Bad Request: message text is empty");
  if (text.length > (isCaption ? CAPTION_MAX : TEXT_MAX))
    throw new Refused(400, isCaption ? "Bad Request: message caption is too long" : "Bad Request: message is too long");
  if (!raw.isWellFormed()) throw new Refused(400, "Bad Request: strings must be encoded in UTF-8");
  return { raw, parseMode, text, tags: read.tags, ...buttonsOf(fields["reply_markup"]) };
}

function buttonsOf(markup: unknown): Pick<Posted, "buttons" | "rows"> {
  const value = (typeof markup === "string" ? JSON.parse(markup) : markup) as InlineKeyboardMarkup | undefined;
  const rows = (value?.inline_keyboard ?? []) as { text: string; callback_data: string }[][];
  const buttons = rows.flat();
  for (const { callback_data: token } of buttons)
    if (Buffer.byteLength(token) > 64) throw new Refused(400, "Bad Request: BUTTON_DATA_INVALID");
  return { buttons, rows: rows.map((row) => row.length) };
}

function fileOf({ fields, files }: Call, part: string): UploadedFile {
  const attached = /^attach:\/\/(.+)$/.exec(String(fields[part] ?? ""))?.[1];
  const file = files.get(attached ?? part);
  if (file === undefined) throw new Refused(400, `Bad Request: there is no ${part} in the request`);
  return file;
}
