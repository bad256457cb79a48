/** How the commands on stored history reach the store: to read beside whoever writes, or to write with the lock. */
import { OperationalError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { formatBytes, formatSpan } from "../format.js";

export async function withReader<T>(context: CliContext, act: (store: SessionStore) => Promise<T>): Promise<T> {
  const { openReader } = await import("#app/open-store.js");
  return act(openReader(context.home));
}

/** A longer way is for `talaria doctor --rebuild-search`, or for a host, which goes it in the background. */
const CATCH_UP_MAX = 20_000;

/** Afterwards mirror and search index are up to date, and a scheduled backup is made when one is due. */
export async function withWriter<T>(context: CliContext, act: (store: SessionStore) => Promise<T>): Promise<T> {
  const home = context.prepareHome();
  const [{ openWriter }, { inspectConfig }] = await Promise.all([
    import("#app/open-store.js"),
    import("#config/load.js"),
  ]);
  const writer = await openWriter(home, { clock: context.clock, version: context.version });
  let result: T;
  try {
    result = await act(writer.store);
  } finally {
    await writer.finish();
  }
  const { search } = inspectConfig(home, context.env).values;
  if (search.enabled && (await writer.searchBehind()) <= CATCH_UP_MAX) await writer.catchUpSearch();
  await backUpWhenDue(context);
  return result;
}

/** A backup that fails is told and does not undo what the command did. */
export async function backUpWhenDue(context: CliContext): Promise<void> {
  const [{ backupIfDue }, { inspectConfig }] = await Promise.all([import("#app/backup.js"), import("#config/load.js")]);
  const progress = context.out.progress("Scheduled backup");
  try {
    const { values } = inspectConfig(context.home, context.env);
    const made = await backupIfDue(context.home, values, context.clock, (left, total) =>
      progress.update(total - left, total),
    );
    progress.finish();
    if (made === undefined) return;
    context.out.note(
      `Made the scheduled backup ${made.path} (${formatBytes(made.bytes)}, ${formatSpan(made.tookMs)}).`,
    );
  } catch (error) {
    progress.finish();
    if (!(error instanceof OperationalError)) throw error;
    context.out.warn(`the scheduled backup was not made: ${error.message}`);
  }
}
