/**
 * Files go to Slack in three steps: an address, the bytes, and the word that shows them in the channel. Nobody sees
 * anything before the third, so whatever becomes of the first two is tried again; only the third can be of unknown
 * outcome. Slack keeps no metadata with a file: a lost one is told by its name and the words beside it.
 */
import { readFile, stat } from "node:fs/promises";
import type { Outgoing, OutgoingMedia, SendOutcome } from "../platform.js";
import { SlackFault } from "./fault.js";
import { Memory } from "./memory.js";
import { outcomeOf, UNREACHED_RETRY_MS } from "./outcome.js";
import type { SentEntry } from "./sent.js";
import type { SlackWeb } from "./web.js";

/** Files whose sending is settled: another one of the same name must not be taken for them. */
const SETTLED_MAX = 1_000;

export class Uploads {
  readonly #settled = new Memory<true>(SETTLED_MAX);
  readonly #web: SlackWeb;
  readonly #bytesMax: number;

  constructor(web: SlackWeb, bytesMax: number) {
    this.#web = web;
    this.#bytesMax = bytesMax;
  }

  async send(
    outgoing: Outgoing,
    media: OutgoingMedia,
    how: { comment: string; signal: AbortSignal },
  ): Promise<SendOutcome> {
    const bytes = await this.#read(media);
    if (!(bytes instanceof Uint8Array)) return bytes;
    const stored = await this.#store(media, bytes, how.signal);
    if (typeof stored !== "string") return stored;
    const { chat } = outgoing.place;
    const args = {
      files: [{ id: stored, title: media.name }],
      channel_id: chat.id,
      ...(chat.threadId === undefined ? {} : { thread_ts: chat.threadId }),
      ...(how.comment === "" ? {} : { initial_comment: how.comment }),
    };
    await this.#web.call("files.completeUploadExternal", args, how.signal);
    this.#settled.set(stored, true);
    return { kind: "sent", receipt: stored };
  }

  matcher({ media }: Outgoing, comment: string): (entry: SentEntry) => string | undefined {
    const said = essence(comment);
    return ({ files = [], text = "", bot_id }) => {
      if (bot_id === undefined || essence(text) !== said) return undefined;
      const file = files.find(({ name, id = "" }) => name === media?.name && this.#settled.get(id) === undefined);
      return file?.id;
    };
  }

  async #read({ path, name }: OutgoingMedia): Promise<Uint8Array<ArrayBuffer> | SendOutcome> {
    try {
      const { size } = await stat(path);
      if (size === 0) return { kind: "refused", why: `${name} is empty, and Slack takes no empty file` };
      if (size > this.#bytesMax) return { kind: "refused", why: `${name} is larger than ${this.#bytesMax} bytes` };
      return await readFile(path);
    } catch (error) {
      return {
        kind: "refused",
        why: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  /** Answers the file's id at Slack, where nobody sees it yet. */
  async #store(
    { name }: OutgoingMedia,
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<string | SendOutcome> {
    try {
      const args = { filename: name, length: bytes.length };
      const { upload_url: url, file_id: id } = await this.#web.call("files.getUploadURLExternal", args, signal);
      if (typeof url !== "string" || typeof id !== "string")
        throw new SlackFault("upload", { kind: "lost", why: "no address" });
      await this.#web.post(url, bytes, signal, "application/octet-stream");
      return id;
    } catch (error) {
      if (!(error instanceof SlackFault)) throw error;
      const outcome = outcomeOf(error.fault);
      if (outcome.kind !== "unknown") return outcome;
      return { kind: "retry", afterMs: UNREACHED_RETRY_MS, why: outcome.why };
    }
  }
}

/** Slack keeps a text with its own links made in it: only the letters are compared. */
function essence(text: string): string {
  return text.replace(/<([^<>|]*)\|?([^<>]*)>/g, "$1$2").replace(/[^\p{L}\p{N}]/gu, "");
}
