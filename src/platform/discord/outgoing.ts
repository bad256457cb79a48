/** What we say, as Discord takes it: text, buttons, a file, and the nonce that keeps a repeated send from showing twice. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { RawFile } from "@discordjs/rest";
import type { Button, Outgoing, OutgoingMedia } from "../platform.js";
import { toDiscord } from "./markdown.js";
import { MEDIA_OUT_BYTES_MAX } from "./size.js";

const NONCE_CHARS = 25;
const ROW_BUTTONS_MAX = 5;
const ROWS_MAX = 5;
const LABEL_CHARS_MAX = 80;
const STYLES: Readonly<Record<NonNullable<Button["look"]>, number>> = { plain: 2, good: 3, bad: 4 };

/** The same at every attempt, also of another process, and different for every delivery. */
export function nonceOf(outgoing: Pick<Outgoing, "id">): string {
  return createHash("sha256").update(outgoing.id).digest("base64url").slice(0, NONCE_CHARS);
}

export function messageBody(outgoing: Outgoing): object {
  return { ...editBody(outgoing), nonce: nonceOf(outgoing), enforce_nonce: true };
}

/** Buttons of an earlier text go with it. */
export function editBody(outgoing: Outgoing): object {
  return {
    content: toDiscord(outgoing.text),
    components: rowsOf(outgoing.buttons ?? []),
    allowed_mentions: { parse: [] },
  };
}

/** Names as Discord keeps them, so that what is read back can be compared. */
export function fileName(media: OutgoingMedia): string {
  return media.name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_") || "file";
}

export type FileOutcome =
  | { readonly kind: "file"; readonly file: RawFile }
  | { readonly kind: "missing"; readonly why: string };

export async function readMedia(media: OutgoingMedia): Promise<FileOutcome> {
  try {
    const { size } = await stat(media.path);
    if (size > MEDIA_OUT_BYTES_MAX) {
      return { kind: "missing", why: `${media.name} has more than the ${MEDIA_OUT_BYTES_MAX} bytes Discord takes` };
    }
    const data = await readFile(media.path);
    return { kind: "file", file: { name: fileName(media), data, contentType: media.mediaType } };
  } catch (error) {
    return { kind: "missing", why: `${media.name} cannot be read: ${(error as Error).message}` };
  }
}

function rowsOf(buttons: readonly Button[]): object[] {
  const rows: object[] = [];
  for (let at = 0; at < buttons.length && rows.length < ROWS_MAX; at += ROW_BUTTONS_MAX) {
    rows.push({ type: 1, components: buttons.slice(at, at + ROW_BUTTONS_MAX).map(toComponent) });
  }
  return rows;
}

function toComponent({ label, token, look = "plain" }: Button): object {
  return { type: 2, style: STYLES[look], label: label.slice(0, LABEL_CHARS_MAX).toWellFormed(), custom_id: token };
}
