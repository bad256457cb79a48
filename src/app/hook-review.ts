/**
 * What a person sees of the hooks of a home and does about them: the list with how each fares, giving and taking back
 * leave, and trying one out. Nothing here needs a running host; a host reads the leave when it starts.
 */
import type { Clock } from "#base/clock.js";
import type { HomePaths } from "#config/home.js";
import { callHook } from "#hook/call-hook.js";
import { readConsents, writeConsents } from "#hook/consent.js";
import { ANNOUNCED, type HookName, INTERCEPTED, INTERCEPTOR_TIME_MS, OBSERVED, OBSERVER_TIME_MS } from "#hook/hook.js";
import { isIntercepted } from "#hook/names.js";
import { catalogueName } from "#hook/shell-hook.js";
import type { HookStanding } from "#session/verbs/outbox.js";
import { type ConfiguredHook, consentsPath, type HookSources, hookSettings } from "./hook-settings.js";
import { openReader } from "./open-store.js";
import { runnable } from "./runnable-hook.js";

/** Failures older than this are history. */
export const HOOK_FAILURE_SHOWN_MS = 7 * 24 * 3_600_000;
const STANDING_MAX = 200;

export type HookState = ConfiguredHook["leave"] | "failing" | "gave-up";

export interface ReviewedHook extends ConfiguredHook {
  readonly state: HookState;
  /** The newest error, and how often it was given up on. */
  readonly error: string | null;
  readonly dead: number;
}

export interface HookReview {
  readonly hooks: readonly ReviewedHook[];
  readonly remarks: readonly string[];
}

export async function reviewHooks(sources: HookSources, nowMs: number): Promise<HookReview> {
  const { hooks, remarks } = await hookSettings(sources);
  if (hooks.length === 0) return { hooks: [], remarks };
  const standing = await standingOf(sources.home);
  return { hooks: hooks.map((hook) => reviewed(hook, standing, nowMs)), remarks };
}

export async function standingOf(home: HomePaths): Promise<HookStanding> {
  const store = openReader(home);
  try {
    return await store.hookStanding({ limit: STANDING_MAX });
  } finally {
    await store.close();
  }
}

function reviewed(hook: ConfiguredHook, { late, failures }: HookStanding, nowMs: number): ReviewedHook {
  const failing = late.find(({ subscriber }) => subscriber === hook.name);
  const given = failures.filter(
    ({ subscriber, atMs }) => subscriber === hook.name && nowMs - atMs < HOOK_FAILURE_SHOWN_MS,
  );
  const dead = given.reduce((sum, failure) => sum + failure.dead, 0);
  const error = failing?.error ?? given[0]?.error ?? null;
  const isOdd = hook.leave !== "allowed" || error === null;
  return { ...hook, state: isOdd ? hook.leave : failing === undefined ? "gave-up" : "failing", error, dead };
}

/** By name, by the end of a name, or all: what is meant by `hook`. */
export function findHooks<H extends { readonly name: string }>(hooks: readonly H[], hook: string): readonly H[] {
  const exact = hooks.filter(({ name }) => name === hook);
  return exact.length > 0 ? exact : hooks.filter(({ name }) => name.endsWith(`:${hook}`) || name.startsWith(hook));
}

/** Answers those that were not allowed before. */
export async function allowHooks(
  home: HomePaths,
  hooks: readonly ConfiguredHook[],
  clock: Clock,
): Promise<readonly ConfiguredHook[]> {
  const known = await readConsents(consentsPath(home));
  const fresh = hooks.filter(
    (hook) => !known.some(({ event, command }) => event === hook.event && command === hook.command),
  );
  const allowedMs = clock.nowMs();
  const added = fresh.map(({ event, command }) => ({ event, command, allowedMs }));
  if (added.length > 0) await writeConsents(consentsPath(home), [...known, ...added]);
  return fresh;
}

/** Answers how many leaves were taken back. Without hooks, every one: also of commands that are no longer configured. */
export async function revokeHooks(
  home: HomePaths,
  hooks: readonly Pick<ConfiguredHook, "event" | "command">[] | "all",
): Promise<number> {
  const known = await readConsents(consentsPath(home));
  const isMeant = (one: { event: string; command: string }): boolean =>
    hooks === "all" || hooks.some(({ event, command }) => event === one.event && command === one.command);
  const kept = known.filter((one) => !isMeant(one));
  if (kept.length < known.length) await writeConsents(consentsPath(home), kept);
  return known.length - kept.length;
}

export interface HookTrial {
  readonly name: string;
  readonly kind: "answered" | "failed" | "skipped";
  readonly answer: unknown;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Runs every hook of an event once, as a host would, with the given values in place of a real event's. */
export async function tryHooks(
  sources: HookSources & { readonly clock: Clock },
  event: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<readonly HookTrial[]> {
  const { hooks } = await hookSettings(sources);
  const trials: HookTrial[] = [];
  for (const hook of hooks.filter((one) => one.event === event)) trials.push(await tryHook(sources, hook, payload));
  return trials;
}

async function tryHook(
  sources: HookSources & { readonly clock: Clock },
  hook: ConfiguredHook,
  payload: Readonly<Record<string, unknown>>,
): Promise<HookTrial> {
  const { clock } = sources;
  const name = catalogueName(hook.event);
  const [made] = runnable(sources, hook);
  const skipped = { name: hook.name, kind: "skipped", answer: null, error: `it is not run: ${hook.leave}` } as const;
  if (made === undefined || name === undefined) return { ...skipped, durationMs: 0 };
  const fromMs = clock.monotonicMs();
  const timeMs = isIntercepted(name) ? INTERCEPTOR_TIME_MS : (made.timeMs ?? OBSERVER_TIME_MS);
  const signal = new AbortController().signal;
  const end = await callHook(made, { name, key: "trial", payload }, { clock, timeMs, signal });
  return {
    name: hook.name,
    kind: end.kind === "answered" ? "answered" : "failed",
    answer: end.kind === "answered" ? (end.answer ?? null) : null,
    error: end.kind === "failed" ? end.error : null,
    durationMs: Math.round(clock.monotonicMs() - fromMs),
  };
}

/** Every event a hook can be configured for, and what happens with its answer. */
export function hookCatalogue(): readonly { readonly event: HookName; readonly use: "told" | "announced" | "asked" }[] {
  return [
    ...OBSERVED.map((event) => ({ event, use: "told" as const })),
    ...ANNOUNCED.map((event) => ({ event, use: "announced" as const })),
    ...INTERCEPTED.map((event) => ({ event, use: "asked" as const })),
  ];
}
