/**
 * The one part of the examination that writes, and only when nobody else does: it takes the home's lock or leaves
 * everything as it is. Finishes abandoned continuations [LS-13], goes on with interrupted deletions, and replaces a
 * mirror that is missing, old or damaged [RI-18].
 */
import { existsSync } from "node:fs";
import { OperationalError } from "#base/errors.js";
import { inspectConfig } from "#config/load.js";
import type { SessionStore } from "#session/store.js";
import { rebuildSearch } from "#store/search/rebuild.js";
import { hostRecord } from "#store/sqlite/host-lock.js";
import { type Examination, type ExamineRequest, fail, failure, ok, warn } from "./doctor-finding.js";
import { examineMirror } from "./doctor-store.js";
import { freshText, mirrorState } from "./mirror.js";
import { isAlive, openLockedWriter, openReader, takeLock, type Writer } from "./open-store.js";
import { eraseRemoved } from "./retention.js";

const PAGE_ORPHANS = 500;

export async function* keepUp(request: ExamineRequest, isUsable: boolean): AsyncGenerator<Examination> {
  const { home, clock, version } = request;
  if (!existsSync(home.run)) {
    yield ok("writer", "nobody has written here yet");
    return;
  }
  try {
    await takeLock(home, { clock, version, waitMs: 0 });
  } catch (error) {
    yield lockFinding(request, error);
    if (isUsable && existsSync(home.stateDb)) yield* lookOn(request);
    return;
  }
  yield ok("writer", "no other program has the home");
  if (!isUsable || !existsSync(home.stateDb)) return;
  try {
    yield* tidy(request, await openLockedWriter(home));
  } catch (error) {
    yield failure("upkeep", home.stateDb, error, "talaria logs may tell more");
  }
}

/** Beside a running program: how things stand, and nothing else. */
async function* lookOn(request: ExamineRequest): AsyncGenerator<Examination> {
  if (request.rebuildsSearch) {
    yield fail("search", "not made anew: another program has the home", "stop it first, or let it go on");
  } else {
    const { behind } = await openReader(request.home).search({ text: "", limit: 1 });
    yield ok("search", behind === 0 ? "the index holds every message" : `the index is ${behind} messages behind`);
  }
  yield examineMirror(request);
}

async function* tidy(request: ExamineRequest, writer: Writer): AsyncGenerator<Examination> {
  const { home, clock, signal } = request;
  const finished = await finishOrphans(writer.store, request);
  yield ok(
    "orphans",
    finished === 0
      ? "no abandoned continuations"
      : `marked ${finished} abandoned continuation${finished === 1 ? "" : "s"} as ended`,
  );
  const { erased, isDone } = await eraseRemoved(writer.store, { clock, signal });
  yield ok(
    "erasure",
    erased === 0 ? "nothing deleted waits to be erased" : `erased ${erased} rows of deleted sessions`,
  );
  if (!isDone) yield warn("erasure", "interrupted", "run talaria doctor again");
  yield* tidySearch(request, writer);
  const state = mirrorState(home.mirror, await writer.store.routeVersion({}));
  if (state === "fresh") yield ok("mirror", freshText(home.mirror));
  else yield ok("mirror", `sessions.json was ${state}; it is written again, with ${await writer.mirror()} routes`);
}

async function* tidySearch(request: ExamineRequest, writer: Writer): AsyncGenerator<Examination> {
  const { home, env, clock, rebuildsSearch } = request;
  if (rebuildsSearch) {
    const { messages } = await rebuildSearch({ statePath: home.stateDb, searchPath: home.searchDb, clock });
    yield ok("search", `made the index anew from ${messages} messages`);
    return;
  }
  if (!inspectConfig(home, env).values.search.enabled) {
    yield ok("search", "the index is off (search.enabled)");
    return;
  }
  const behind = await writer.searchBehind();
  if (behind > CATCH_UP_MAX) {
    yield warn("search", `the index does not hold ${behind} messages yet`, "talaria doctor --rebuild-search");
    return;
  }
  const taken = await writer.catchUpSearch();
  yield ok("search", taken === 0 ? "the index holds every message" : `took ${taken} messages into the index`);
}

/** More than this is made anew, which somebody should ask for: it takes a while. */
const CATCH_UP_MAX = 50_000;

/** Bounded by what there is: each page ends some, and none can come back. */
async function finishOrphans(store: SessionStore, { clock, signal }: ExamineRequest): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { finished } = await store.finishOrphans({ nowMs: clock.nowMs(), limit: PAGE_ORPHANS });
    total += finished;
    if (finished < PAGE_ORPHANS) break;
  }
  return total;
}

function lockFinding({ home }: ExamineRequest, error: unknown): Examination {
  if (!(error instanceof OperationalError) || error.code !== "home-locked")
    return failure("writer", home.hostLock, error);
  const record = hostRecord(home.run);
  if (record === undefined) return ok("writer", "another program is just starting; only looked");
  const since = new Date(record.startedMs).toISOString();
  if (isAlive(record.pid)) {
    return ok("writer", `process ${record.pid} (Talaria ${record.version}, since ${since}) has the home; only looked`);
  }
  return warn(
    "writer",
    `the home is locked, but process ${record.pid} that wrote host.json is gone`,
    `another process has it: fuser ${home.hostLock} names it`,
  );
}
