/** A message from a person at the machine to a chat, put into the outbox in parts that the platform takes. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { DeliveryId } from "#base/ids.js";
import type { HomePaths } from "#config/home.js";
import { mediaOf, messageParts } from "#gateway/words.js";
import type { OwedPart } from "#session/delivery.js";
import type { SessionStore } from "#session/store.js";
import { createShelf } from "./shelf.js";
import type { Target } from "./target.js";

export interface OweWish {
  readonly store: Pick<SessionStore, "oweDelivery" | "addAttachment">;
  readonly home: HomePaths;
  readonly clock: Clock;
  readonly target: Target;
  readonly text: string;
  readonly files: readonly string[];
}

export async function oweMessage(wish: OweWish): Promise<readonly DeliveryId[]> {
  const { store, clock, target, text } = wish;
  const { account, address } = target;
  const said = text.trim() === "" ? [] : messageParts(text, account.kind.limits);
  const files: OwedPart[] = [];
  for (const path of wish.files) files.push(await keptFile(wish, path));
  const parts = [...said, ...files];
  return store.oweDelivery({ platform: account.kind.name, address, parts, nowMs: clock.nowMs() });
}

/** A copy, so that what is sent is what was there when it was said. */
async function keptFile({ store, home, clock, target }: OweWish, path: string): Promise<OwedPart> {
  const { kind } = target.account;
  if (kind.limits.mediaOut === 0) throw new UserError(`${kind.title} takes no files; nothing was sent`);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile())
    throw new UserError(`${path} is no file that can be read; nothing was sent`);
  const { mediaType } = mediaOf(path);
  const shelf = createShelf({ folder: home.attachments, store, clock, isGuest: true });
  const name = basename(path);
  const bytesMax = kind.limits.mediaOut;
  const kept = await shelf.keep({ name, mediaType, bytesMax }, createReadStream(path) as AsyncIterable<Uint8Array>);
  return { text: name, body: { media: { path: kept.path, name, mediaType } } };
}
