/** How the commands on stored history reach the store: to read beside whoever writes, or to write with the lock. */
import type { Writer } from "#app/open-store.js";
import { OperationalError } from "#base/errors.js";
import type { SessionStore } from "#session/store.js";
import type { CliContext } from "../command.js";
import { formatBytes, formatSpan } from "../format.js";
import { takingHome } from "../home-lock.js";

export async function withReader<T>(context: CliContext, act: (store: SessionStore) => Promise<T>): Promise<T> {
  const { openReader } = await import("#app/open-store.js");
  return act(openReader(context.home));
}

/** A longer way is for `talaria doctor --rebuild-search`, or for a host, which goes it in the background. */
const CATCH_UP_MAX = 20_000;

export interface WriterWish {
  /** It writes much and indexes all of it: a host that has nothing to do steps aside for it. */
  readonly indexesAll?: boolean;
}

/**
 * Through the host where one runs; otherwise with the lock, and then mirror and search index are up to date afterwards,
 * and a scheduled backup is made when one is due.
 */
export async function withWriter<T>(
  context: CliContext,
  act: (store: SessionStore) => Promise<T>,
  options: WriterWish = {},
): Promise<T> {
  context.prepareHome();
  const { findHost, remoteStore, askAside } = await hostParts();
  if (options.indexesAll === true) {
    if (await askAside(context)) context.out.note("The host stepped aside; the next chat starts it again.");
    return withLock(context, act, options);
  }
  const found = await findHost(context);
  if (found.kind !== "answers") return withLock(context, act, options);
  const store = remoteStore(found.greeted.line);
  return act(store).finally(() => store.close());
}

async function hostParts() {
  const [{ findHost }, { remoteStore }, { askAside }] = await Promise.all([
    import("#app/host/find-host.js"),
    import("#app/host/remote-store.js"),
    import("#app/host/step-aside.js"),
  ]);
  return { findHost, remoteStore, askAside };
}

async function withLock<T>(
  context: CliContext,
  act: (store: SessionStore) => Promise<T>,
  options: WriterWish,
): Promise<T> {
  const { home } = context;
  const [{ openWriter }, { inspectConfig }] = await Promise.all([
    import("#app/open-store.js"),
    import("#config/load.js"),
  ]);
  const { clock, version } = context;
  const writer = await takingHome(context, () => openWriter(home, { clock, version }));
  const result = await act(writer.store).finally(() => writer.finish());
  if (inspectConfig(home, context.env).values.search.enabled) await index(context, writer, options.indexesAll ?? false);
  await backUpWhenDue(context);
  return result;
}

async function index(context: CliContext, writer: Writer, isAll: boolean): Promise<void> {
  const behind = await writer.searchBehind();
  if (behind > CATCH_UP_MAX && !isAll) return;
  // A few messages are indexed in a blink; a bar for them would be noise.
  const progress = behind > BAR_FROM ? context.out.progress("Indexing for search") : undefined;
  await writer.catchUpSearch((done, total) => progress?.update(done, total)).finally(() => progress?.finish());
}

const BAR_FROM = 5_000;

/** A backup that fails is told and does not undo what the command did. */
async function backUpWhenDue(context: CliContext): Promise<void> {
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
