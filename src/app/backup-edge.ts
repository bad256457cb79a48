/** Where backup and restore meet the file system: a refusal of the system becomes an outage with its name. */
import { OperationalError } from "#base/errors.js";

export async function atStorage<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (error instanceof OperationalError || code === undefined || syscall === undefined) throw error;
    const reason = REASONS[code] ?? message;
    throw new OperationalError(`file-${code}`, "never", `${path} cannot be used: ${reason}. Nothing was replaced.`, {
      cause: error,
    });
  }
}

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
