/**
 * Words for whoever reads standard error, when what they tell must not depend on being told: on a disk that is full a
 * write fails, and the exit code is then all that is left.
 */
export function tellStderr(text: string): void {
  try {
    process.stderr.write(text);
  } catch (error) {
    if (!isFullDisk(error)) throw error;
  }
}

/** Depending on the stream the same failure is thrown, or comes later as an event. */
export function isFullDisk(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOSPC", "EDQUOT"].includes(code);
}
