/**
 * The hooks that a home names, in `config.yaml` and in its `hooks` folder, and whether each may run. A command runs only
 * with a person's leave for that event and that very command line: given one by one, by a variable, or by a setting.
 */
import { access, constants, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { Config } from "#config/schema.js";
import { type Consent, isAllowed, readConsents } from "#hook/consent.js";
import { catalogueName, type ShellHookSpec, shellHookName } from "#hook/shell-hook.js";

export const HOOK_FOLDERS_MAX = 100;
const HOOK_FILE = "HOOK.yaml";

export type HookLeave =
  | "allowed"
  | "needs-consent"
  /** Nobody ever tells of such an event. */
  | "unknown-event"
  /** A folder without a handler that can be run. */
  | "not-runnable";

export interface ConfiguredHook extends ShellHookSpec {
  readonly name: string;
  /** `config.yaml`, or the folder it stands in. */
  readonly from: string;
  readonly leave: HookLeave;
}

export interface HookSettings {
  readonly hooks: readonly ConfiguredHook[];
  /** What is odd, one sentence each. */
  readonly remarks: readonly string[];
}

export interface HookSources {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly config: Pick<Config, "hooks" | "hooks_auto_accept">;
}

export async function hookSettings({ home, env, config }: HookSources): Promise<HookSettings> {
  const remarks: string[] = [];
  const consents = await readConsents(consentsPath(home)).catch((error: unknown): readonly Consent[] => {
    if (!(error instanceof UserError)) throw error;
    remarks.push(error.message);
    return [];
  });
  const isAccepted = config.hooks_auto_accept || /^(?:1|true|yes)$/i.test(env["TALARIA_ACCEPT_HOOKS"] ?? "");
  const specs = [...configured(config), ...(await inFolders(home, remarks))];
  const seen = new Set<string>();
  const hooks = specs.flatMap((spec): ConfiguredHook[] => {
    const name = shellHookName(spec);
    if (seen.has(name)) {
      remarks.push(`the hook ${name} is configured twice; it runs once`);
      return [];
    }
    seen.add(name);
    return [{ ...spec, name, leave: leaveOf(spec, isAccepted || isAllowed(consents, spec)) }];
  });
  return { hooks, remarks };
}

/** What a person should know at a start, one sentence each. */
export function hookNotes({ hooks, remarks }: HookSettings): readonly string[] {
  const waiting = hooks.filter(({ leave }) => leave === "needs-consent").length;
  const unknown = hooks.filter(({ leave }) => leave === "unknown-event").map(({ event }) => event);
  const notRunnable = hooks.filter(({ leave }) => leave === "not-runnable").map(({ from }) => from);
  return [
    ...remarks,
    ...(waiting === 0
      ? []
      : [`${waiting} configured ${waiting === 1 ? "hook needs" : "hooks need"} your leave to run: talaria hooks list`]),
    ...[...new Set(unknown)].map((event) => `nothing is ever told of ${event}: talaria hooks list --events`),
    ...[...new Set(notRunnable)].map((folder) => `${folder} has no handler that can be run`),
  ];
}

export function consentsPath(home: HomePaths): string {
  return join(home.hooks, "allowed.json");
}

/** Which hooks failed when they were last asked. */
export function ledgerPath(home: HomePaths): string {
  return join(home.run, "hook-failures.json");
}

type FoundHook = ShellHookSpec & { readonly from: string };

function configured({ hooks }: Pick<Config, "hooks">): readonly FoundHook[] {
  return Object.entries(hooks).flatMap(([event, entries]) =>
    (entries ?? []).map(({ command, matcher, timeout }) => ({
      event,
      command: command.trim(),
      ...(matcher !== undefined && { matcher }),
      ...(timeout !== undefined && { timeoutS: timeout }),
      from: "config.yaml",
    })),
  );
}

function leaveOf({ event, command }: ShellHookSpec, isGiven: boolean): HookLeave {
  if (catalogueName(event) === undefined) return "unknown-event";
  if (command === "") return "not-runnable";
  return isGiven ? "allowed" : "needs-consent";
}

/** `hooks/<folder>/HOOK.yaml` names events; `handler`, or `handler.` with any ending, is run for them. */
async function inFolders(home: HomePaths, remarks: string[]): Promise<readonly FoundHook[]> {
  // One folder that cannot be read must not take the other hooks along: they may be guards.
  const orRemark = (path: string) => (error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") remarks.push(`${path} cannot be read, so nothing in it runs: ${message}`);
    return [];
  };
  const entries = await readdir(home.hooks, { withFileTypes: true }).catch(orRemark(home.hooks));
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(home.hooks, name));
  const read = folders.sort().slice(0, HOOK_FOLDERS_MAX);
  const found = await Promise.all(read.map((folder) => inFolder(folder).catch(orRemark(folder))));
  return found.flat();
}

async function inFolder(folder: string): Promise<readonly FoundHook[]> {
  const text = await readFile(join(folder, HOOK_FILE), "utf8");
  const { parse } = await import("yaml");
  const settings: unknown = parse(text, { logLevel: "error", maxAliasCount: 0 });
  const events = (settings as { events?: unknown } | null)?.events;
  const named = Array.isArray(events) ? events.filter((event) => typeof event === "string") : [];
  const command = await handlerOf(folder);
  return named.map((event) => ({ event, command: command ?? "", from: folder }));
}

async function handlerOf(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).filter((name) => /^handler(?:\.|$)/.test(name)).sort();
  for (const name of names) {
    const path = join(folder, name);
    const isRunnable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isRunnable) return `'${path.replaceAll("'", "'\\''")}'`;
  }
  return undefined;
}
