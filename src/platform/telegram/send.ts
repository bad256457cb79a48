/**
 * Sending and editing. One call is one message to people; a second request is made only where the first one's refusal
 * proves that nothing was taken: markup that Telegram cannot read goes again as plain text, and a group that became a
 * supergroup is written to under its new number.
 */
import { stat } from "node:fs/promises";
import { type Api, InputFile } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import type { Logger } from "#base/log.js";
import { BUTTON_TOKEN_MAX, type Button, type Outgoing, type OutgoingMedia, type SendOutcome } from "../platform.js";
import { toHtml } from "./html.js";
import { GENERAL_TOPIC } from "./incoming.js";
import { forLibrary } from "./line.js";
import { judge } from "./outcome.js";

export const CAPTION_CHARS_MAX = 1_024;
export const FILE_OUT_BYTES_MAX = 50_000_000;
/** A larger picture goes as a file. */
const PHOTO_BYTES_MAX = 10_000_000;
/** As it is, as plain text, under its new number. */
const REQUESTS_MAX = 3;
/** Remembered moves and halves of messages; the oldest go first. */
const REMEMBERED_MAX = 1_000;
/** Labels longer than this together do not fit side by side on a phone. */
const ROW_LABEL_CHARS_MAX = 30;

export interface SendParts {
  readonly api: Api;
  readonly log: Logger;
  /** Groups that became supergroups: the old number and the new one. */
  readonly moved: Map<string, string>;
  /** Texts that were sent ahead of a file that is still owed, by the outgoing message. */
  readonly ahead: Map<string, string>;
}

export async function send(parts: SendParts, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  const long = outgoing.buttons?.find(({ token }) => Buffer.byteLength(token) > BUTTON_TOKEN_MAX);
  if (long) return { kind: "refused", why: `the button ${long.label} carries more than ${BUTTON_TOKEN_MAX} bytes` };
  const { media } = outgoing;
  if (media === undefined) return sendText(parts, outgoing, signal);
  const file = await stat(media.path).catch(() => undefined);
  if (!file?.isFile()) return { kind: "refused", why: `the file ${media.name} is not there any more` };
  if (file.size > FILE_OUT_BYTES_MAX) return { kind: "refused", why: `${media.name} is larger than 50 MB` };
  return sendMedia(parts, { outgoing, media, bytes: file.size }, signal);
}

export function edit(
  parts: SendParts,
  { receipt, outgoing }: { readonly receipt: string; readonly outgoing: Outgoing },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const messageId = /^\d+$/.test(receipt) ? Number(receipt) : undefined;
  if (messageId === undefined) return Promise.resolve({ kind: "refused", why: "Telegram gave the message no number" });
  return attempt(parts, outgoing, async ({ chatId, text, markup }) => {
    const { message_thread_id: _, ...other } = optionsOf(outgoing);
    try {
      if (outgoing.media)
        await parts.api.editMessageCaption(
          chatId,
          messageId,
          { ...other, ...markup, caption: text },
          forLibrary(signal),
        );
      else
        await parts.api.editMessageText(
          chatId,
          messageId,
          text,
          { ...other, ...markup, ...NO_PREVIEW },
          forLibrary(signal),
        );
    } catch (error) {
      const isSame = error instanceof Error && /message is not modified/i.test(error.message);
      if (!isSame) throw error;
    }
    return { message_id: messageId };
  });
}

function sendText(parts: SendParts, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  const options = { ...optionsOf(outgoing), ...NO_PREVIEW };
  return attempt(parts, outgoing, ({ chatId, text, markup }) =>
    parts.api.sendMessage(chatId, text, { ...options, ...markup }, forLibrary(signal)),
  );
}

interface MediaToSend {
  readonly outgoing: Outgoing;
  readonly media: OutgoingMedia;
  readonly bytes: number;
}

/** A text that is too long for a caption goes ahead as a message of its own, once, however often the file is tried. */
async function sendMedia(
  parts: SendParts,
  { outgoing, media, bytes }: MediaToSend,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { buttons: _, ...wordsOnly } = outgoing;
  const isAhead = outgoing.text.length > CAPTION_CHARS_MAX;
  if (isAhead && !parts.ahead.has(outgoing.id)) {
    const text = await sendText(parts, wordsOnly, signal);
    if (text.kind !== "sent") return text;
    remember(parts.ahead, outgoing.id, text.receipt);
  }
  const captioned = isAhead ? { ...outgoing, text: "" } : outgoing;
  const way = wayOf(media.mediaType, bytes);
  const outcome = await upload(parts, { way, outgoing: captioned, media }, signal);
  const isPictureRefused = way === "photo" && outcome.kind === "refused" && /photo|image/i.test(outcome.why);
  const last = isPictureRefused
    ? await upload(parts, { way: "document", outgoing: captioned, media }, signal)
    : outcome;
  if (last.kind === "sent") parts.ahead.delete(outgoing.id);
  return last;
}

type Way = "photo" | "voice" | "audio" | "video" | "document";

function wayOf(mediaType: string, bytes: number): Way {
  if (/^image\/(jpeg|png|webp)$/.test(mediaType)) return bytes <= PHOTO_BYTES_MAX ? "photo" : "document";
  if (/^audio\/(ogg|opus)\b/.test(mediaType)) return "voice";
  if (/^audio\/(mpeg|mp4|x-m4a|aac)$/.test(mediaType)) return "audio";
  return mediaType === "video/mp4" ? "video" : "document";
}

interface Upload {
  readonly way: Way;
  readonly outgoing: Outgoing;
  readonly media: OutgoingMedia;
}

function upload(
  { api, ...parts }: SendParts,
  { way, outgoing, media }: Upload,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const options = optionsOf(outgoing);
  return attempt({ api, ...parts }, outgoing, ({ chatId, text, markup }) => {
    const file = new InputFile(media.path, media.name);
    const other = { ...options, ...markup, ...(text === "" ? {} : { caption: text }) };
    switch (way) {
      case "photo":
        return api.sendPhoto(chatId, file, other, forLibrary(signal));
      case "voice":
        return api.sendVoice(chatId, file, other, forLibrary(signal));
      case "audio":
        return api.sendAudio(chatId, file, other, forLibrary(signal));
      case "video":
        return api.sendVideo(chatId, file, other, forLibrary(signal));
      default:
        return api.sendDocument(chatId, file, other, forLibrary(signal));
    }
  });
}

interface Form {
  readonly chatId: number | string;
  readonly text: string;
  readonly markup: { readonly parse_mode?: "HTML" };
}

type Post = (form: Form) => Promise<{ readonly message_id?: number }>;

async function attempt({ moved, log }: SendParts, outgoing: Outgoing, post: Post): Promise<SendOutcome> {
  const { id } = outgoing.place.chat;
  const source = outgoing.text.toWellFormed();
  let isPlain = false;
  for (let request = 0; request < REQUESTS_MAX; request++) {
    const target = moved.get(id) ?? id;
    const form = isPlain
      ? { text: source, markup: {} }
      : { text: toHtml(source), markup: { parse_mode: "HTML" as const } };
    try {
      const message = await post({ ...form, chatId: numbered(target) });
      return { kind: "sent", receipt: receiptOf(message, outgoing, log) };
    } catch (error) {
      const verdict = judge(error);
      if (verdict.kind === "markup" && !isPlain) isPlain = true;
      else if (verdict.kind === "markup") return { kind: "refused", why: "Telegram cannot read the text" };
      else if (verdict.kind === "moved") remember(moved, id, verdict.chatId);
      else return verdict;
      log.info("sending once more", { why: verdict.kind, id: outgoing.id });
    }
  }
  return { kind: "refused", why: "the chat has moved too often" };
}

/** Telegram said yes, so it was taken, also when it forgot to say under which number. */
function receiptOf(message: { readonly message_id?: number }, outgoing: Outgoing, log: Logger): string {
  if (Number.isSafeInteger(message?.message_id)) return String(message.message_id);
  log.warn("Telegram took a message without naming it", { id: outgoing.id });
  return `unnamed:${outgoing.id}`;
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } };

function optionsOf({ place, buttons }: Outgoing) {
  const { threadId } = place.chat;
  const isTopic = threadId !== undefined && threadId !== GENERAL_TOPIC;
  return {
    ...(isTopic ? { message_thread_id: Number(threadId) } : {}),
    ...(buttons?.length ? { reply_markup: keyboard(buttons) } : {}),
  };
}

const LOOKS = { good: "success", bad: "danger", plain: undefined } as const;

function keyboard(buttons: readonly Button[]): InlineKeyboardMarkup {
  const keys = buttons.map(({ label, token, look = "plain" }) => {
    const style = LOOKS[look];
    return { text: label, callback_data: token, ...(style === undefined ? {} : { style }) };
  });
  const width = buttons.reduce((sum, { label }) => sum + label.length, 0);
  return { inline_keyboard: width <= ROW_LABEL_CHARS_MAX ? [keys] : keys.map((key) => [key]) };
}

/** Names of public chats (`@news`) stay words. */
export function numbered(id: string): number | string {
  return /^-?\d+$/.test(id) ? Number(id) : id;
}

function remember(map: Map<string, string>, key: string, value: string): void {
  const oldest = map.size >= REMEMBERED_MAX ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
