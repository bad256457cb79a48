/** The keys that a kind of platform has for itself: variables put in, secrets noted, and its own schema asked. */
import { z } from "zod";
import { isSecretName, keepSecret } from "#base/redact.js";
import { nearest } from "#config/nearest.js";
import { resolveDeep } from "#config/references.js";
import type { PlatformKind } from "#platform/platform.js";
import { type About, type Problem, problem, remark } from "./problem.js";

export type Json = Readonly<Record<string, unknown>>;

export interface OwnWish {
  readonly about: About;
  /** `platforms.telegram` */
  readonly place: string;
  readonly kind: PlatformKind;
  lookup(variable: string): string | undefined;
}

export type OwnSettings = {
  /** Everything that stands there, variables put in. */
  readonly resolved: Json;
  readonly problems: readonly Problem[];
} & ({ readonly kind: "read"; readonly settings: unknown } | { readonly kind: "refused" });

const PROBLEMS_MAX = 20;
/** Of a platform of a plugin, whose keys nobody here knows. */
const SECRET_NAME = /token|secret|passw|api_?key/i;

/** `rest` takes off what all platforms have, so that the kind's schema sees its own keys alone. */
export function ownSettings(wish: OwnWish, written: Json, rest: (settings: Json) => Json): OwnSettings {
  const { kind } = wish;
  const { resolved, missing } = resolveEach(wish, written);
  for (const [key, value] of Object.entries(resolved)) {
    if (kind.secrets.includes(key) || SECRET_NAME.test(key)) noteSecret(value);
  }
  const own = rest(resolved);
  const first = kind.settings.safeParse(own);
  const unknown = first.success ? [] : first.error.issues.filter((issue) => issue.code === "unrecognized_keys");
  const strange = unknown.flatMap((issue) => (issue.path.length === 0 ? issue.keys : []));
  const judged = strange.length === 0 ? first : kind.settings.safeParse(without(own, strange));
  const remarks = strange.map((name) => strangeKey(wish, name));
  if (missing.length > 0) return { kind: "refused", resolved, problems: [...missing, ...remarks] };
  if (judged.success) return { kind: "read", settings: judged.data, resolved, problems: remarks };
  const wrong = judged.error.issues.slice(0, PROBLEMS_MAX).map((issue) => wrongKey(wish, own, issue));
  return { kind: "refused", resolved, problems: [...wrong, ...remarks] };
}

export function isGroup(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A variable that is not set is told with the key that needs it; every one, not the first alone. */
function resolveEach({ about, place, lookup }: OwnWish, written: Json): { resolved: Json; missing: Problem[] } {
  const missing: Problem[] = [];
  const entries = Object.entries(written).map(([name, value]): [string, unknown] => {
    const resolution = resolveDeep(value, lookup);
    if (resolution.kind === "resolved") return [name, resolution.value];
    const words = `needs the variable ${resolution.variable}, and it is not set; put it into .env`;
    missing.push(remark(about, `${place}.${name}`, words, true));
    return [name, undefined];
  });
  return {
    resolved: Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null)),
    missing,
  };
}

/** Of a group that is secret, the parts whose names say so; where none does, all of it. */
function noteSecret(value: unknown): void {
  if (typeof value === "string") keepSecret(value);
  else if (typeof value === "number") keepSecret(String(value));
  else if (typeof value === "object" && value !== null) {
    const named = Object.entries(value).filter(([name]) => isSecretName(name));
    for (const inner of named.length > 0 ? named.map(([, one]) => one) : Object.values(value)) noteSecret(inner);
  }
}

function without(settings: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}

function strangeKey({ about, place, kind }: OwnWish, name: string): Problem {
  const meant = nearest(name, [...keysOf(kind), ...COMMON_KEYS]);
  const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
  return remark(about, `${place}.${name}`, `is not a setting of ${kind.title} and does nothing${advice}`, false);
}

/** Words alone: what was found may be a secret, and whoever wrote it can look. */
function wrongKey({ about, place }: OwnWish, own: Json, issue: z.core.$ZodIssue): Problem {
  const key = issue.path.reduce<string>(
    (name, step) => `${name}${typeof step === "number" ? `[${step}]` : `.${String(step)}`}`,
    place,
  );
  const found = issue.path.reduce<unknown>((value, step) => (value as Json | undefined)?.[String(step)], own);
  // What the kind says about its key is better than what the parser says about a type.
  const words = /^Invalid input/.test(issue.message) ? "" : issue.message;
  const isTold = found !== undefined || issue.path.length === 0 || /\bmissing\b/.test(words);
  if (isTold) return problem(about, key, words === "" ? plain(issue) : words);
  return remark(about, key, words === "" ? "is missing" : `is missing: ${words}`, true);
}

function plain(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" ? `expected ${issue.expected}` : "that is not what is expected here";
}

function keysOf({ settings }: PlatformKind): readonly string[] {
  return settings instanceof z.ZodObject ? Object.keys(settings.shape) : [];
}

/** Those that every platform has. */
export const COMMON_KEYS = [
  "allow",
  "owners",
  "pairing",
  "busy",
  "mention",
  "stream",
  "home",
  "reset",
  "chats",
  "accounts",
  "enabled",
] as const;
