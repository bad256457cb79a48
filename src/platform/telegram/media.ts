/**
 * Files of a message: what they are called, and how they are fetched by whoever wants them. Nothing is fetched while a
 * message is received, so that a file that cannot be had never costs the message.
 */
import { createReadStream } from "node:fs";
import type { Api } from "grammy";
import type { Message } from "grammy/types";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { IncomingMedia } from "../platform.js";
import { forLibrary, type Line } from "./line.js";

/** What the Bot API hands out. */
export const FILE_IN_BYTES_MAX = 20_000_000;
export const FILE_TIME_MS_MAX = 120_000;

export type FetchFile = (fileId: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

interface TelegramFile {
  readonly file_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

export function mediaOf(message: Message, fetchFile: FetchFile): readonly IncomingMedia[] {
  const found = pick(message);
  if (found === undefined) return [];
  const { file, stem, mediaType, ending } = found;
  return [
    {
      name: file.file_name ?? `${stem}-${message.message_id}.${ending}`,
      mediaType: file.mime_type ?? mediaType,
      ...(file.file_size === undefined ? {} : { bytes: file.file_size }),
      fetch: (signal) => fetchFile(file.file_id, signal),
    },
  ];
}

/** A message has one file at most; an animation is given as a document as well, for old clients. */
function pick(message: Message) {
  const { voice, audio, video, video_note: note, animation, document, photo } = message;
  if (voice) return as(voice, "voice", "audio/ogg", "ogg");
  if (audio) return as(audio, "audio", "audio/mpeg", "mp3");
  if (video) return as(video, "video", "video/mp4", "mp4");
  if (note) return as(note, "video", "video/mp4", "mp4");
  if (animation) return as(animation, "animation", "video/mp4", "mp4");
  if (document) return as(document, "file", "application/octet-stream", "bin");
  const largest = photo?.reduce((best, size) => (size.width * size.height > best.width * best.height ? size : best));
  return largest && as(largest, "photo", "image/jpeg", "jpg");
}

function as(file: TelegramFile, stem: string, mediaType: string, ending: string) {
  return { file, stem, mediaType, ending };
}

export interface FileParts {
  readonly api: Api;
  readonly line: Line;
  readonly clock: Clock;
  readonly apiRoot: string;
  /** A server of one's own, which may hand out files by their place on this machine. */
  readonly isOwnServer: boolean;
  readonly token: string;
}

export function fileFetcher(parts: FileParts): FetchFile {
  return async (fileId, signal) => {
    const late = new AbortController();
    const forget = parts.clock.after(FILE_TIME_MS_MAX, () => late.abort(new Error("it took too long")));
    const limit = AbortSignal.any([signal, late.signal]);
    try {
      return bounded(await openFile(parts, fileId, limit), limit, forget);
    } catch (error) {
      forget();
      throw error instanceof OperationalError ? error : unavailable("the file cannot be had", error);
    }
  };
}

async function openFile(parts: FileParts, fileId: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const file = await parts.api.getFile(fileId, forLibrary(signal));
  if ((file.file_size ?? 0) > FILE_IN_BYTES_MAX) throw tooLarge();
  const path = file.file_path;
  if (path === undefined) throw unavailable("Telegram does not say where the file is");
  if (parts.isOwnServer && path.startsWith("/")) return createReadStream(path, { signal });
  const address = `${parts.apiRoot}/file/bot${parts.token}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const answer = await parts.line.open(address, { signal });
  if (answer.statusCode === 200) return answer;
  answer.destroy();
  throw unavailable(`the file cannot be had: status ${answer.statusCode}`);
}

/** At most so many bytes in at most so much time, whatever was announced. */
async function* bounded(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  done: () => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  const stop = () => (source as { destroy?: (error: Error) => void }).destroy?.(new Error("it took too long"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > FILE_IN_BYTES_MAX) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof OperationalError ? error : unavailable("the file broke off", error);
  } finally {
    signal.removeEventListener("abort", stop);
    done();
  }
}

function tooLarge(): OperationalError {
  return new OperationalError("telegram.file-too-large", "never", `a file of more than ${FILE_IN_BYTES_MAX} bytes`);
}

/** The cause stays out of the message: a library's own words may hold the address, and the token is in that. */
function unavailable(message: string, cause?: unknown): OperationalError {
  return new OperationalError("telegram.file-unavailable", "after-delay", message, { cause });
}
