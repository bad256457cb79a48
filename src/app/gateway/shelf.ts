/**
 * Where received files are kept: under their hash, whole and synced before a row names them. The same file received
 * twice is one file. What is longer than allowed is refused while it comes in and leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder, TEMPORARY_STALE_MS } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { randomIds } from "#base/ids.js";
import type { AttachmentShelf } from "#gateway/gateway.js";
import type { SessionStore } from "#session/store.js";

export interface ShelfParts {
  readonly folder: string;
  readonly store: Pick<SessionStore, "addAttachment">;
  readonly clock: Clock;
  /** Another process has the home: nothing of it is touched. */
  readonly isGuest?: boolean;
}

/** While they come in: of the host, and of other processes beside it. */
const PREFIX = "incoming-";
const GUEST_PREFIX = "outgoing-";
const SWEPT_MAX = 1_000;

export function createShelf({ folder, store, clock, isGuest = false }: ShelfParts): AttachmentShelf {
  let tidied: Promise<void> | undefined;
  return {
    async keep({ name, mediaType, bytesMax }, chunks) {
      tidied ??= removeLeftovers({ folder, clock, isGuest });
      await tidied.catch((error: unknown) => {
        tidied = undefined;
        throw error;
      });
      const temporary = join(folder, `${isGuest ? GUEST_PREFIX : PREFIX}${randomIds<string>()}`);
      try {
        const { sha256, bytes } = await receive({ temporary, name, bytesMax }, chunks);
        const path = join(folder, sha256);
        faultPoint("shelf.synced");
        await rename(temporary, path);
        faultPoint("shelf.renamed");
        await syncFolder(folder);
        await store.addAttachment({ sha256, mediaType, bytes, nowMs: clock.nowMs() });
        faultPoint("shelf.named");
        return { sha256, path, bytes };
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

interface Receiving {
  readonly temporary: string;
  readonly name: string;
  readonly bytesMax: number;
}

async function receive(
  { temporary, name, bytesMax }: Receiving,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(temporary, "wx", 0o600);
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw new UserError(`${name} is larger than ${bytesMax} bytes and was not kept`);
      hash.update(chunk);
      await file.writeFile(chunk);
      faultPoint("shelf.written");
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

/**
 * A host has its home for itself: what lies there half received was left by one that died. Other processes may be at work
 * beside it; what is theirs and has not grown for long was left, too. What cannot be removed hinders nobody.
 */
async function removeLeftovers({ folder, clock, isGuest = false }: Omit<ShelfParts, "store">): Promise<void> {
  const names = await readdir(folder);
  const mine = isGuest ? [] : names.filter((name) => name.startsWith(PREFIX));
  const theirs = names.filter((name) => name.startsWith(GUEST_PREFIX)).slice(0, SWEPT_MAX);
  const ages = await Promise.all(theirs.map((name) => changedMs(join(folder, name))));
  const stale = theirs.filter((_, at) => clock.nowMs() - (ages[at] ?? clock.nowMs()) > TEMPORARY_STALE_MS);
  const left = [...mine.slice(0, SWEPT_MAX), ...stale];
  await Promise.allSettled(left.map((name) => rm(join(folder, name), { force: true })));
}

/** Undefined when it is gone. */
async function changedMs(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
