/**
 * Files that came with a message: fetched within limits, kept once by their hash, and named in the text. A file that
 * cannot be had is named too, with the reason: the message is kept whatever becomes of it.
 */
import type { Clock } from "#base/clock.js";
import { untilAborted, withDeadline } from "#base/deadline.js";
import type { Logger } from "#base/log.js";
import type { IncomingMedia } from "#platform/platform.js";
import type { AttachmentShelf } from "./gateway.js";

/** Of one message. */
const FILES_MAX = 10;
/** What fetching all files of a message may take: whoever sent it waits for the acknowledgement. */
const FETCH_MS = 15_000;
const NAME_CHARS_MAX = 200;

export interface Kept {
  readonly files: readonly KeptFile[];
  /** One line each, for the model to read. */
  readonly notes: readonly string[];
}

export interface KeptFile {
  readonly sha256: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface MediaParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly attachments: AttachmentShelf;
}

export async function keepMedia(parts: MediaParts, bytesMax: number, media: readonly IncomingMedia[]): Promise<Kept> {
  const files: KeptFile[] = [];
  const notes: string[] = [];
  if (media.length === 0) return { files, notes };
  const { clock } = parts;
  const signal = new AbortController().signal;
  await withDeadline({ clock, timeMs: FETCH_MS, signal }, async (limited) => {
    for (const file of media.slice(0, FILES_MAX)) {
      const name = nameOf(file);
      try {
        const kept = await keepOne(parts, file, { name, bytesMax, signal: limited });
        files.push({ sha256: kept.sha256, name, mediaType: file.mediaType, bytes: kept.bytes });
        notes.push(`[file: ${name} (${file.mediaType}, ${kept.bytes} bytes), kept at ${kept.path}]`);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        parts.log.warn("a file could not be kept", { name, why });
        notes.push(`[file: ${name} could not be fetched: ${why}]`);
      }
    }
  });
  if (media.length > FILES_MAX) notes.push(`[${media.length - FILES_MAX} more files were left out]`);
  return { files, notes };
}

async function keepOne(
  { attachments }: MediaParts,
  file: IncomingMedia,
  { name, bytesMax, signal }: { name: string; bytesMax: number; signal: AbortSignal },
) {
  if (bytesMax === 0) throw new Error("files are not taken from this platform");
  if (file.bytes !== undefined && file.bytes > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
  const chunks = await untilAborted(file.fetch(signal), signal);
  return untilAborted(attachments.keep({ name, mediaType: file.mediaType, bytesMax }, chunks), signal);
}

/** As it may stand in a line of text. */
function nameOf({ name }: IncomingMedia): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}[\]]/gu, "")
    .trim();
  return plain === "" ? "file" : plain.slice(0, NAME_CHARS_MAX);
}
