/** Files that came with a message: fetched when wanted, within a limit, by a fresh address when the old one has expired. */
import { OperationalError } from "#base/errors.js";
import type { IncomingMedia } from "../platform.js";
import type { Call } from "./rest.js";
import { MEDIA_IN_BYTES_MAX } from "./size.js";
import { type WireAttachment, type WireMessage, wireMessage } from "./wire.js";

export function mediaOf(call: Call, message: WireMessage, attachment: WireAttachment): IncomingMedia {
  return {
    name: attachment.filename,
    mediaType: attachment.content_type?.split(";")[0]?.trim() || "application/octet-stream",
    ...(attachment.size === undefined ? {} : { bytes: attachment.size }),
    async fetch(signal) {
      const first = await get(attachment.url, signal);
      if (first.ok) return bounded(first, attachment.filename);
      await first.body?.cancel();
      // Addresses of files are signed for about a day; the message knows the current one.
      const fresh = await freshUrl(call, message, attachment, signal);
      const second = await get(fresh, signal);
      if (second.ok) return bounded(second, attachment.filename);
      await second.body?.cancel();
      throw notThere(attachment.filename, `status ${second.status}`);
    },
  };
}

async function get(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal });
  } catch (error) {
    throw notThere(url, String(error), error);
  }
}

async function freshUrl(
  call: Call,
  message: WireMessage,
  attachment: WireAttachment,
  signal: AbortSignal,
): Promise<string> {
  const route = `/channels/${message.channel_id}/messages/${message.id}`;
  const again = wireMessage.parse(await call({ method: "GET", route }, signal));
  const same = again.attachments.find((one) => one.id === attachment.id);
  if (same === undefined) throw notThere(attachment.filename, "it was taken away");
  return same.url;
}

/** What the platform says about the size is a hint; the bytes are counted. */
async function* bounded(response: Response, name: string): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MEDIA_IN_BYTES_MAX) {
      throw new OperationalError("media-too-large", "never", `${name} is larger than ${MEDIA_IN_BYTES_MAX} bytes`);
    }
    yield chunk;
  }
}

function notThere(name: string, why: string, cause?: unknown): OperationalError {
  return new OperationalError("media-not-there", "after-delay", `${name} could not be fetched: ${why}`, { cause });
}
