/**
 * The routing index of the source: `sessions/sessions.json`, or the table that newer versions keep. Keys that begin
 * with `_` are remarks [RI-16]; a bad entry is reported and the others load; a damaged file is refused with the
 * place of the damage [RI-18]. Ids with slashes and colons are as good as any other [RI-19].
 */
import { readFileSync, statSync } from "node:fs";
import { UserError } from "#base/errors.js";
import type { Address } from "#session/address.js";
import { DEFAULT_KEY_RULES, parseSessionKey, sessionKey } from "#session/session-key.js";
import type { ImportedRoute } from "#session/verbs/care.js";
import { findJsonMistake } from "./json-place.js";
import { isRecord, readJson } from "./json-text.js";
import type { HermesSource } from "./source.js";

/** About 500,000 routes; a larger file is no routing index. */
export const INDEX_BYTES_MAX = 500_000_000;

export type SourceRoute = Omit<ImportedRoute, "policy" | "session"> & {
  /** The source's session id. */
  readonly session: string;
  /** As spelled there. */
  readonly fileKey: string;
};

export interface RouteIndex {
  readonly routes: readonly SourceRoute[];
  readonly bad: readonly { readonly key: string; readonly why: string }[];
  /** Why the file as a whole could not be taken; the sessions are imported all the same. */
  readonly refused?: string;
}

/** The table wins where both have a key: versions that have it write the file only for people. */
export function readRoutes(source: HermesSource, path: string): RouteIndex {
  const table = source.routing();
  const file = readIndexFile(path);
  const entries = new Map<string, unknown>(file.entries);
  for (const { key, entry } of table ?? []) {
    const read = readJson(entry);
    entries.set(key, read.kind === "value" ? read.value : "not JSON");
  }
  const routes: SourceRoute[] = [];
  const bad: { key: string; why: string }[] = [];
  for (const [key, entry] of entries) {
    if (key.startsWith("_")) continue;
    const route = toRoute(key, entry);
    if (typeof route === "string") bad.push({ key, why: route });
    else routes.push(route);
  }
  return { routes, bad, ...(file.refused !== undefined && { refused: file.refused }) };
}

interface IndexFile {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly refused?: string;
}

function readIndexFile(path: string): IndexFile {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { entries: [] };
  if (size > INDEX_BYTES_MAX) return { entries: [], refused: `${path} is larger than a routing index can be` };
  const text = readText(path);
  const parsed = parseWhole(text);
  if (isRecord(parsed)) return { entries: Object.entries(parsed) };
  const place = findJsonMistake(text);
  const why =
    place === undefined ? "is not an object of routes" : `is not JSON at line ${place.line}, column ${place.column}`;
  return { entries: [], refused: `${path} ${why}; it was left untouched and no route was taken from it` };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    throw new UserError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, "nothing was imported");
  }
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The reason in words when the entry is no route. */
function toRoute(key: string, entry: unknown): SourceRoute | string {
  if (key === "" || key.includes("\0")) return "its key is not usable";
  if (!isRecord(entry)) return "it is not an object";
  const session = entry["session_id"];
  if (typeof session !== "string" || session === "") return "it names no session";
  const createdMs = localMs(entry["created_at"]);
  const usedMs = localMs(entry["updated_at"]) ?? createdMs;
  if (createdMs === undefined && usedMs === undefined) return "it has no usable time";
  const origin = isRecord(entry["origin"]) ? toAddress(entry["origin"]) : undefined;
  const ours = (origin && rebuiltKey(key, origin)) ?? key;
  const parts = parseSessionKey(ours);
  const name = textOf(entry["display_name"]);
  // [BH-12] The older name counts only where the newer one is absent.
  const isExpired = (entry["expiry_finalized"] ?? entry["memory_flushed"] ?? false) === true;
  return {
    key: ours,
    fileKey: key,
    ...(ours !== key && { sourceKey: key }),
    session,
    platform: origin?.platform ?? textOf(entry["platform"]) ?? parts?.platform ?? "unknown",
    chatType: textOf(entry["chat_type"]) ?? origin?.chatType ?? parts?.chatType ?? "dm",
    ...(name !== undefined && { name }),
    ...(origin && { origin }),
    createdMs: createdMs ?? usedMs ?? 0,
    usedMs: usedMs ?? 0,
    isExpired,
    ...(entry["suspended"] === true && { suspendedReason: "suspended in hermes-agent" }),
    ...(entry["resume_pending"] === true && { resumeReason: textOf(entry["resume_reason"]) ?? "resume_pending" }),
  };
}

/**
 * The source joins segments with colons and never escapes them, so a key with a colon in an id cannot be read
 * back. Where the origin explains the key, ours is built from the origin; otherwise the key stays as it is.
 */
function rebuiltKey(key: string, origin: Address): string | undefined {
  const namespace = key.split(":")[1] ?? "main";
  for (const groupSessionsPerUser of [true, false]) {
    for (const threadSessionsPerUser of [false, true]) {
      const profile = namespace === "main" ? {} : { multiplexProfiles: true, activeProfile: namespace };
      const rules = { ...DEFAULT_KEY_RULES, ...profile, groupSessionsPerUser, threadSessionsPerUser };
      const built = sessionKey(origin, rules);
      const parts = parseSessionKey(built);
      const spelled = parts && ["agent", parts.namespace, parts.platform, parts.chatType, ...parts.rest].join(":");
      if (spelled === key) return built;
    }
  }
  return undefined;
}

function toAddress(origin: Readonly<Record<string, unknown>>): Address | undefined {
  const platform = textOf(origin["platform"]);
  if (platform === undefined) return undefined;
  const fields = {
    chatId: textOf(origin["chat_id"]),
    chatName: textOf(origin["chat_name"]),
    threadId: textOf(origin["thread_id"]),
    userId: textOf(origin["user_id"]),
    userName: textOf(origin["user_name"]),
    userIdAlt: textOf(origin["user_id_alt"]),
    profile: textOf(origin["profile"]),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { platform, chatType: textOf(origin["chat_type"]) ?? "dm", ...Object.fromEntries(known) };
}

/** Numbers are ids too: some versions wrote chat ids without quotes. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value.replaceAll("\0", "\u2400") : undefined;
}

/** ISO without a zone means local time, as the source wrote it. */
function localMs(value: unknown): number | undefined {
  const atMs = typeof value === "string" ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}
