/** Files that came with a message: fetched with our token from Slack's hosts alone, never more than the limit. */
import { OperationalError } from "#base/errors.js";
import type { IncomingMedia } from "../platform.js";
import type { SlackFile } from "./event.js";
import type { SlackWeb } from "./web.js";

export const FILES_MAX = 20;

export function mediaOf(files: readonly SlackFile[], web: SlackWeb, bytesMax: number): IncomingMedia[] {
  return files.slice(0, FILES_MAX).flatMap((file) => {
    const url = file.url_private_download ?? file.url_private;
    if (url === undefined) return [];
    const mediaType = file.mimetype ?? "application/octet-stream";
    return [
      {
        name: file.name ?? file.id ?? "file",
        mediaType,
        ...(typeof file.size === "number" ? { bytes: file.size } : {}),
        fetch: async (signal) => within(await open(web, url, mediaType, signal), bytesMax),
      },
    ];
  });
}

async function open(web: SlackWeb, url: string, mediaType: string, signal: AbortSignal): Promise<Response> {
  const answer = await web.download(url, signal).catch((error: unknown) => {
    throw new OperationalError("slack-file", "after-delay", "the file could not be fetched from Slack", {
      cause: error,
    });
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new OperationalError("slack-file", "after-delay", `Slack answers ${answer.status} for the file`);
  }
  // To a token without files:read Slack shows its login page, with a 200.
  const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
  if (isPage && !mediaType.startsWith("text/html")) {
    await answer.body.cancel();
    throw new OperationalError(
      "slack-file",
      "never",
      "Slack does not give the file: the bot needs the scope files:read",
    );
  }
  return answer;
}

async function* within(answer: Response, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new OperationalError("slack-file", "never", `the file is larger than ${bytesMax} bytes`);
    yield chunk;
  }
}
