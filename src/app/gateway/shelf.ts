/**
 * Where received files are kept: under their hash, whole and synced before a row names them. The same file received
 * twice is one file. What is longer than allowed is refused while it comes in and leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
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

/** While they come in. */
const PREFIX = "incoming-";
const GUEST_PREFIX = "outgoing-";

export function createShelf({ folder, store, clock, isGuest = false }: ShelfParts): AttachmentShelf {
  let tidied: Promise<void> | undefined;
  return {
    async keep({ name, mediaType, bytesMax }, chunks) {
      tidied ??= isGuest ? Promise.resolve() : removeLeftovers(folder);
      await tidied;
      const temporary = join(folder, `${isGuest ? GUEST_PREFIX : PREFIX}${randomIds<string>()}`);
      try {
        const { sha256, bytes } = await receive({ temporary, name, bytesMax }, chunks);
        const path = join(folder, sha256);
        await rename(temporary, path);
        await syncFolder(folder);
        await store.addAttachment({ sha256, mediaType, bytes, nowMs: clock.nowMs() });
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
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** A host has its home for itself: what lies there half received was left by one that died. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX)).map((name) => rm(join(folder, name), { force: true })),
  );
}
