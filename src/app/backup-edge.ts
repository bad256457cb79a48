/**
 * Where backup, restore and the examination meet files that may be broken: a refusal of the file system or of
 * SQLite becomes an outage with a name, never a bug.
 */
import { OperationalError } from "#base/errors.js";

export async function atStorage<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw storageOutage(path, error) ?? error;
  }
}

/** The outage behind an error; undefined when it is not one. */
export function storageOutage(path: string, error: unknown): OperationalError | undefined {
  if (error instanceof OperationalError) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const outage = (name: string, reason: string): OperationalError =>
    new OperationalError(name, "never", `${path} cannot be used: ${reason}. Nothing was replaced.`, { cause: error });
  // The driver tells SQLite's result code for most errors; for those of reading many rows only its text.
  if (code === "ERR_SQLITE_ERROR") return outage(SQLITE_TEXTS[message] ?? "storage-failed", message);
  return code === undefined || syscall === undefined ? undefined : outage(`file-${code}`, REASONS[code] ?? message);
}

const SQLITE_TEXTS: Readonly<Record<string, string>> = {
  "database disk image is malformed": "damaged",
  "file is not a database": "foreign-file",
  "database or disk is full": "disk-full",
  "database is locked": "store-busy",
};

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "its disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOENT: "its folder does not exist",
  ENOTDIR: "there is a file where a folder should be",
  EEXIST: "there is a file where a folder should be",
};
