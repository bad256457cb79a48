/** Waiting for a home that another process writes to: who waits is told, and who is refused learns what to do. */
import { OperationalError, UserError } from "#base/errors.js";
import type { CliContext } from "./command.js";
import { EXIT } from "./exit-codes.js";

/** A wait for the home's lock that is longer than this is explained. */
const PATIENCE_MS = 1_000;

/** Runs what takes the lock. */
export async function takingHome<T>(context: CliContext, take: () => Promise<T>): Promise<T> {
  const { clock, home, out } = context;
  const { lockHolder } = await import("#app/open-store.js");
  // A slow start is no wait: only a process that lives and has the home is worth a word.
  const explain = clock.after(PATIENCE_MS, () => {
    if (lockHolder(home) !== undefined)
      out.note("Waiting for the host of this home, or another command, to let go of it…");
  });
  try {
    return await take();
  } catch (error) {
    throw error instanceof OperationalError && error.code === "home-locked"
      ? refusal(context, lockHolder(home))
      : error;
  } finally {
    explain();
  }
}

function refusal({ home }: CliContext, holder: number | undefined): UserError {
  const who = holder === undefined ? "another process" : `process ${holder}`;
  return new UserError(
    `${home.root} is in use by ${who}; only one process may write to a home. Nothing was stored.`,
    "a host at work or another command has it: wait, or end the host with talaria host stop; a chat starts it again",
    EXIT.locked,
  );
}
