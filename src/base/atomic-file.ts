/**
 * The one way small files are written. The new content goes to a temporary file in the same folder, is
 * synced, and takes the old file's place in one rename; then the folder is synced. Whoever reads sees the
 * old file or the new one, whatever is killed when. Nothing is ever truncated in place.
 *
 * A symbolic link is followed: the file it points to is replaced and the link stays, so that a
 * `config.yaml` linked from elsewhere remains linked. A link that leads nowhere is refused.
 */
import { randomBytes } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "./clock.js";
import { systemClock } from "./clock.js";
import { OperationalError, UserError } from "./errors.js";

/** A temporary file this old belongs to a process that died. */
export const TEMPORARY_STALE_MS = 60 * 60 * 1000;

export interface ReplaceOptions {
  readonly mode?: number;
  readonly clock?: Clock;
}

/** Replaces (or makes) the file; when this resolves, the content is on stable storage. */
export async function replaceFile(path: string, content: string | Uint8Array, options?: ReplaceOptions): Promise<void> {
  const replacement = await openReplacement(path, options);
  try {
    await replacement.write(content);
  } catch (error) {
    await replacement.discard();
    throw error;
  }
  await replacement.commit();
}

/** A replacement that is written in pieces. Exactly one of `commit` and `discard` ends it. */
export interface Replacement {
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * Puts the new content in place. On failure the old file stays and the temporary one is removed. With
   * `isWanted`, asked right before the rename, the replacement can still be given up: then the answer is false.
   */
  commit(isWanted?: () => boolean): Promise<boolean>;
  discard(): Promise<void>;
}

export async function openReplacement(path: string, options: ReplaceOptions = {}): Promise<Replacement> {
  const { mode = 0o600, clock = systemClock } = options;
  const target = await resolveTarget(path);
  return translating(path, async () => {
    await removeStale(target, clock);
    const temporary = join(dirname(target), `${temporaryPrefix(target)}${randomBytes(6).toString("hex")}.tmp`);
    // Exclusive: a link planted under this name is an error, not a place to write to.
    const handle = await open(temporary, "wx", mode);
    return replacementOf({ path, target, temporary, handle });
  });
}

interface Opened {
  readonly path: string;
  readonly target: string;
  readonly temporary: string;
  readonly handle: FileHandle;
}

/** Files that are not finished: a process that ends in an orderly way, also at once, takes them along. */
const unfinished = new Set<string>();

function forgetAtExit(temporary: string): void {
  if (unfinished.size === 0) process.once("exit", removeUnfinished);
  unfinished.add(temporary);
}

function removeUnfinished(): void {
  for (const temporary of unfinished) rmSync(temporary, { force: true });
  unfinished.clear();
}

function finished(temporary: string): void {
  unfinished.delete(temporary);
  if (unfinished.size === 0) process.off("exit", removeUnfinished);
}

function replacementOf({ path, target, temporary, handle }: Opened): Replacement {
  forgetAtExit(temporary);
  const discard = async (): Promise<void> => {
    await handle.close();
    await rm(temporary, { force: true });
    finished(temporary);
  };
  return {
    write: (chunk) => translating(path, () => handle.writeFile(chunk)),
    discard,
    commit: (isWanted) =>
      translating(path, async () => {
        try {
          await handle.sync();
          if (isWanted !== undefined && !isWanted()) {
            await discard();
            return false;
          }
          // Synchronously, so that nothing comes between the question and the act.
          renameSync(temporary, target);
          finished(temporary);
        } catch (error) {
          await discard();
          throw error;
        }
        await handle.close();
        await syncFolder(dirname(target));
        return true;
      }),
  };
}

async function resolveTarget(path: string): Promise<string> {
  const found = await lstat(path).catch(ifMissing);
  if (!found?.isSymbolicLink()) return path;
  const target = await realpath(path).catch(ifMissing);
  if (target !== undefined) return target;
  throw new OperationalError(
    "file-link",
    "never",
    `${path} is a link to a file that does not exist; nothing was written`,
  );
}

function temporaryPrefix(target: string): string {
  return `.${basename(target)}.`;
}

/** What a killed process left behind goes when somebody writes the same file again. */
async function removeStale(target: string, clock: Clock): Promise<void> {
  const folder = dirname(target);
  const prefix = temporaryPrefix(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(".tmp")) continue;
    const found = await stat(join(folder, name)).catch(ifMissing);
    if (found && clock.nowMs() - found.mtimeMs > TEMPORARY_STALE_MS) await rm(join(folder, name), { force: true });
  }
}

/** A name in a folder is on stable storage when the folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function translating<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    const why = REASONS[code] ?? message;
    throw new OperationalError(`file-${code}`, "never", `${path} cannot be written: ${why}; the file is as it was`, {
      cause: error,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write to its folder",
  EPERM: "this user may not write to its folder",
  EROFS: "its disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
  EISDIR: "it is a folder",
};
