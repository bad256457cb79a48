/**
 * `sessions.json`: the routing index for people to read [RI-14] … [RI-18]. It is written from the store, in
 * pages, by atomic replace, and never read back as truth; a damaged or edited one is simply replaced.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { openReplacement, type Replacement } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { faultPoint } from "#base/fault.js";
import type { SessionStore } from "#session/store.js";
import type { Route } from "#session/verbs/routes.js";

const PAGE_ROUTES = 500;

export const MIRROR_README =
  "This file mirrors the gateway's routing index: which chat leads to which conversation. Editing it changes nothing. " +
  "Every session lives in state.db; `talaria sessions list` shows them.";

/** Writes the whole mirror; answers how many routes are in it. */
export async function writeMirror(store: SessionStore, path: string): Promise<number> {
  const file = await openReplacement(path);
  try {
    const count = await writeRoutes(store, file);
    faultPoint("mirror.before-rename");
    await file.commit();
    return count;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function writeRoutes(store: SessionStore, file: Replacement): Promise<number> {
  // Asked for before the routes are read: a change on the way makes this mirror look old, never fresh.
  const version = await store.routeVersion({});
  await file.write(`{\n  "_README": ${JSON.stringify(MIRROR_README)},\n  "_version": ${version}`);
  let count = 0;
  let afterKey = "";
  for (;;) {
    const page = await store.routes({ afterKey, limit: PAGE_ROUTES });
    const last = page.at(-1);
    if (last === undefined) break;
    await file.write(
      page.map((route) => `,\n  ${JSON.stringify(route.key)}: ${JSON.stringify(mirrorEntry(route))}`).join(""),
    );
    count += page.length;
    afterKey = last.key;
  }
  await file.write("\n}\n");
  return count;
}

/** The reference's field names, so that tools which read its file read ours [BH-12]. */
function mirrorEntry(route: Route): Readonly<Record<string, unknown>> {
  return {
    session_key: route.key,
    session_id: route.session,
    conversation_id: route.conversation,
    created_at: new Date(route.createdMs).toISOString(),
    updated_at: new Date(route.usedMs).toISOString(),
    display_name: route.name,
    title: route.title,
    platform: route.platform,
    chat_type: route.chatType,
    origin: route.origin,
    suspended: route.suspendedReason !== null,
    resume_pending: route.resumeReason !== null,
    resume_reason: route.resumeReason,
    expiry_finalized: route.expiredMs !== null,
  };
}

/**
 * Whether the mirror shows the index as it is. The question is put to the file, so that a write that was killed is
 * made up for by the next command; what the file says about routes is never believed.
 */
export function mirrorState(path: string, version: number): "fresh" | "missing" | "damaged" | "old" {
  const written = mirrorVersion(path);
  if (typeof written === "string") return written === "missing" && version === 0 ? "fresh" : written;
  return written === version ? "fresh" : "old";
}

/** For a mirror that is as it should be: a home without a chat of a platform has nothing to mirror, and no file. */
export function freshText(path: string): string {
  return existsSync(path) ? "sessions.json is up to date" : "no sessions.json, and none is needed: no chat has a route";
}

/** The version a mirror says it was written from; only its two ends are read, since it may be large. */
function mirrorVersion(path: string): number | "missing" | "damaged" {
  if (!existsSync(path)) return "missing";
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const text = (from: number): string => {
      const bytes = Buffer.alloc(Math.min(END_BYTES, size));
      readSync(descriptor, bytes, 0, bytes.length, Math.max(0, from));
      return bytes.toString("utf8");
    };
    const [, version] = /^\{\n {2}"_README": "[^"]*",\n {2}"_version": (\d{1,15})[,\n]/.exec(text(0)) ?? [];
    return version === undefined || !text(size - END_BYTES).endsWith("\n}\n") ? "damaged" : Number(version);
  } finally {
    closeSync(descriptor);
  }
}

const END_BYTES = 4_096;

export interface MirrorWatch {
  /** Looks at once; resolves when the mirror shows the index [RI-15]. */
  renew(): Promise<void>;
  /** Stops looking; a write under way finishes first. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 5_000;
/** [RI-15] After a write the mirror rests so long that writing stays under 1 % of the time. */
export const REST_FACTOR = 100;
/** A write that took very long, on a disk that was busy, does not make the mirror old for hours. */
const REST_MS_MAX = 600_000;

export interface MirrorParts {
  readonly store: SessionStore;
  readonly path: string;
  readonly clock: Clock;
  /** Before the first look. */
  readonly quietMs?: number;
  onError(error: unknown): void;
}

/** Keeps the mirror fresh for a host: looks for a changed index now and then, off every hot path. */
export function keepMirror({ store, path, clock, quietMs = 0, onError }: MirrorParts): MirrorWatch {
  let writtenVersion = -1;
  let isStopped = false;
  let cancel = (): void => undefined;
  let underWay: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    try {
      const version = await store.routeVersion({});
      // A host that has just started finds the file that the last one left.
      const isFresh = version === writtenVersion || (writtenVersion < 0 && mirrorState(path, version) === "fresh");
      if (!isFresh) await writeMirror(store, path);
      writtenVersion = version;
    } catch (error) {
      onError(error);
    }
    const restMs = Math.max(LOOK_EVERY_MS, (clock.monotonicMs() - startedMs) * REST_FACTOR);
    if (!isStopped) schedule(Math.min(restMs, REST_MS_MAX));
  };
  const lookNow = (): Promise<void> => {
    underWay = underWay.then(look);
    return underWay;
  };
  const schedule = (delayMs: number): void => {
    cancel();
    cancel = clock.after(delayMs, () => void lookNow());
  };
  schedule(quietMs);
  return {
    renew: async () => (isStopped ? undefined : lookNow()),
    async stop() {
      isStopped = true;
      cancel();
      await underWay;
    },
  };
}
