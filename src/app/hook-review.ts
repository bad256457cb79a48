/**
 * What a person sees of the hooks of a home and does about them: the list with how each fares, giving and taking back
 * leave, and trying one out. Nothing here needs a running host; a host reads the leave when it starts.
 */
import type { Clock } from "#base/clock.js";
import type { HomePaths } from "#config/home.js";
import { callHook } from "#hook/call-hook.js";
import { readConsents, writeConsents } from "#hook/consent.js";
import { ANNOUNCED, type HookName, INTERCEPTED, INTERCEPTOR_TIME_MS, OBSERVED, OBSERVER_TIME_MS } from "#hook/hook.js";
import { type AskedFailure, readLedger } from "#hook/ledger.js";
import { isIntercepted } from "#hook/names.js";
import { catalogueName } from "#hook/shell-hook.js";
import type { HookStanding } from "#session/verbs/outbox.js";
import { type ConfiguredHook, consentsPath, type HookSources, hookSettings, ledgerPath } from "./hook-settings.js";
import { type FindWish, findHost } from "./host/find-host.js";
import { openReader } from "./open-store.js";
import { runnable } from "./runnable-hook.js";

/** Failures older than this are history. */
export const HOOK_FAILURE_SHOWN_MS = 7 * 24 * 3_600_000;
const STANDING_MAX = 200;

export type HookState =
  | ConfiguredHook["leave"]
  | "failing"
  | "gave-up"
  /** Allowed after the running host started: it is called from the next start on. */
  | "next-start"
  /** Not allowed any more, and still called by the running host. */
  | "still-called";

export interface ReviewedHook extends ConfiguredHook {
  readonly state: HookState;
  /** The newest error, and how often it was given up on. */
  readonly error: string | null;
  readonly dead: number;
  /** It guards calls and fails: every call is refused. */
  readonly refusesCalls: boolean;
}

export interface HookReview {
  readonly hooks: readonly ReviewedHook[];
  readonly remarks: readonly string[];
}

export type ReviewSources = HookSources & Pick<FindWish, "clock" | "version">;

export async function reviewHooks(sources: ReviewSources): Promise<HookReview> {
  const { home, clock } = sources;
  const { hooks, remarks } = await hookSettings(sources);
  const asked = readLedger(ledgerPath(home));
  const ofPlugins = asked.filter(({ hook }) => hook.startsWith("plugin:")).map(pluginText);
  if (hooks.length === 0) return { hooks: [], remarks: [...remarks, ...ofPlugins] };
  const [standing, called] = await Promise.all([standingOf(home), calledHooks(sources)]);
  const about = { standing, asked, called, nowMs: clock.nowMs() };
  return { hooks: hooks.map((hook) => reviewed(hook, about)), remarks: [...remarks, ...ofPlugins] };
}

/** What the running host calls; undefined when none runs, or none that tells. */
async function calledHooks(wish: FindWish): Promise<ReadonlySet<string> | undefined> {
  const { home, clock, version } = wish;
  const found = await findHost({ home, clock, version });
  if (found.kind !== "answers") return undefined;
  const { line } = found.greeted;
  const { hooks } = await line.call("host.status", {}).finally(() => line.close());
  return hooks === undefined ? undefined : new Set(hooks.running);
}

export async function standingOf(home: HomePaths): Promise<HookStanding> {
  const store = openReader(home);
  try {
    return await store.hookStanding({ limit: STANDING_MAX });
  } finally {
    await store.close();
  }
}

interface Known {
  readonly standing: HookStanding;
  readonly asked: readonly AskedFailure[];
  readonly called: ReadonlySet<string> | undefined;
  readonly nowMs: number;
}

function reviewed(hook: ConfiguredHook, { standing, asked, called, nowMs }: Known): ReviewedHook {
  const { late, failures } = standing;
  const failing =
    asked.find((failure) => failure.hook === hook.name) ?? late.find(({ subscriber }) => subscriber === hook.name);
  const given = failures.filter(
    ({ subscriber, atMs }) => subscriber === hook.name && nowMs - atMs < HOOK_FAILURE_SHOWN_MS,
  );
  const dead = given.reduce((sum, failure) => sum + failure.dead, 0);
  const error = failing?.error ?? given[0]?.error ?? null;
  const refusesCalls = hook.event === "pre_tool_call" && failing !== undefined;
  const fares = failing !== undefined ? "failing" : error !== null ? "gave-up" : "allowed";
  const state = hook.leave === "allowed" && fares !== "allowed" ? fares : standingState(hook, called);
  return { ...hook, state, error, dead, refusesCalls };
}

/** By its leave, and by whether the host that runs knows of it. */
function standingState({ name, leave }: ConfiguredHook, called: ReadonlySet<string> | undefined): HookState {
  if (called === undefined || called.has(name) === (leave === "allowed")) return leave;
  return leave === "allowed" ? "next-start" : "still-called";
}

function pluginText({ hook, event, error }: AskedFailure): string {
  const what = event === "pre_tool_call" ? "so every call of a tool is refused" : "and changes nothing";
  return `${hook} fails at ${event}, ${what}: ${error}`;
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

const WHY_NOT: Readonly<Record<ConfiguredHook["leave"], string>> = {
  allowed: "nothing of it can be run",
  "needs-consent": "it needs your leave (talaria hooks allow NAME)",
  "unknown-event": "there is no such event (talaria hooks list --events)",
  "not-runnable": "it has no handler that can be run",
};

async function tryHook(
  sources: HookSources & { readonly clock: Clock },
  hook: ConfiguredHook,
  payload: Readonly<Record<string, unknown>>,
): Promise<HookTrial> {
  const { clock } = sources;
  const name = catalogueName(hook.event);
  const [made] = runnable(sources, hook);
  const skipped = {
    name: hook.name,
    kind: "skipped",
    answer: null,
    error: `it is not run: ${WHY_NOT[hook.leave]}`,
  } as const;
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
