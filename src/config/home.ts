/**
 * The home: the one folder that holds everything of a person's Talaria. This file knows where each thing
 * is, makes the folders, and keeps them closed to other users. It never opens what lies in them.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { UserError } from "#base/errors.js";

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Storage problem, as in the table of exit codes. */
const EXIT_STORAGE = 5;

export interface HomePaths {
  readonly root: string;
  readonly config: string;
  readonly env: string;
  readonly stateDb: string;
  readonly searchDb: string;
  /** The routing index for people, `sessions.json`; never read back as truth. */
  readonly mirror: string;
  readonly attachments: string;
  readonly memories: string;
  readonly skills: string;
  readonly plugins: string;
  readonly hooks: string;
  readonly logs: string;
  readonly logFile: string;
  readonly run: string;
  readonly hostLock: string;
  readonly hostFile: string;
  readonly hostSocket: string;
  readonly backups: string;
}

/** Where the home is: `--home`, else TALARIA_HOME, else `~/.talaria`. Nothing on disk is touched. */
export function resolveHome(flag: string | undefined, env: NodeJS.ProcessEnv): HomePaths {
  const chosen = flag ?? env["TALARIA_HOME"];
  if (flag === "") throw new UserError("--home needs a folder", "for example: talaria --home ~/.talaria-test", 2);
  const root = chosen === undefined || chosen === "" ? join(personHome(env), ".talaria") : expand(chosen, env);
  if (root.includes("\0")) throw new UserError("the home's path holds a NUL character", "check TALARIA_HOME", 2);
  return homePaths(root);
}

export function homePaths(root: string): HomePaths {
  const at = (...names: string[]): string => join(root, ...names);
  return {
    root,
    config: at("config.yaml"),
    env: at(".env"),
    stateDb: at("state.db"),
    searchDb: at("search.db"),
    mirror: at("sessions.json"),
    attachments: at("attachments"),
    memories: at("memories"),
    skills: at("skills"),
    plugins: at("plugins"),
    hooks: at("hooks"),
    logs: at("logs"),
    logFile: at("logs", "talaria.log"),
    run: at("run"),
    hostLock: at("run", "host.lock"),
    hostFile: at("run", "host.json"),
    hostSocket: at("run", "host.sock"),
    backups: at("backups"),
  };
}

/**
 * Makes the home and its folders where they are missing and closes those that others could enter.
 * Returns what a person should know, one sentence each. A UserError when the home cannot be used.
 */
export function prepareHome(paths: HomePaths): string[] {
  const found = folderStats(paths.root);
  if (found === undefined) makeFolder(paths.root, paths.root);
  const isOurs = found === undefined || looksLikeHome(paths);
  const remarks: string[] = [];
  if (found !== undefined) remarks.push(...closeFolder(paths.root, found, isOurs));
  for (const folder of ownFolders(paths)) {
    const stats = folderStats(folder, paths.root);
    if (stats === undefined) makeFolder(folder, paths.root);
    else remarks.push(...closeFolder(folder, stats, isOurs));
  }
  return remarks;
}

/** A leading `~` means the person's home; a relative path starts in the current folder. */
export function expand(path: string, env: NodeJS.ProcessEnv): string {
  return resolve(/^~(?=\/|$)/.test(path) ? join(personHome(env), path.slice(1)) : path);
}

function personHome(env: NodeJS.ProcessEnv): string {
  const home = env["HOME"];
  return home === undefined || home === "" ? homedir() : home;
}

function ownFolders(paths: HomePaths): string[] {
  const { attachments, memories, skills, plugins, hooks, logs, run, backups } = paths;
  return [attachments, memories, skills, plugins, hooks, logs, run, backups];
}

/** Undefined when nothing is there; a UserError when it is not a folder or cannot be looked at. */
function folderStats(path: string, root = path): Stats | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) throw path === root ? notUsable(path, "is a file, not a folder") : inTheWay(path, root);
    return stats;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") throw notUsable(path, "lies below a file, not a folder");
    if (code === "EACCES") throw notUsable(path, "may not be entered by this user");
    throw error;
  }
}

function makeFolder(path: string, root: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Another process of ours was faster, which is as good.
    if (code === "EEXIST") return;
    if (code === "ENOENT" && existsSync(dirname(path))) throw notUsable(root, "cannot be made there");
    if (code === "ENOENT") throw notUsable(root, `cannot be made: ${dirname(path)} does not exist`);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") throw notUsable(root, "is not writable");
    throw notUsable(root, `cannot be made (${code ?? String(error)})`);
  }
}

function inTheWay(path: string, root: string): UserError {
  return new UserError(
    `${path} is a file, and the home ${root} needs a folder there`,
    `move the file away: mv ${path} ${path}.old; nothing was changed`,
    EXIT_STORAGE,
  );
}

function notUsable(path: string, why: string): UserError {
  return new UserError(
    `the home ${path} ${why}`,
    "choose another with --home DIR or TALARIA_HOME; nothing was changed",
    EXIT_STORAGE,
  );
}

/**
 * Closing a folder is right for one of ours and harmful for `/tmp` or somebody's whole home folder that
 * TALARIA_HOME names by mistake. Ours is one that is empty or already holds something only we put there.
 */
function looksLikeHome(paths: HomePaths): boolean {
  const marks = [paths.config, paths.stateDb, paths.hostLock, paths.logFile, paths.mirror];
  try {
    return marks.some((mark) => existsSync(mark)) || readdirSync(paths.root).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES")
      throw notUsable(paths.root, "may not be entered by this user");
    throw error;
  }
}

function closeFolder(path: string, stats: Stats, isOurs: boolean): string[] {
  if ((stats.mode & 0o077) === 0) return [];
  const mode = (stats.mode & 0o777).toString(8);
  const owner = process.getuid?.();
  if (!isOurs || (owner !== undefined && stats.uid !== owner)) {
    return [`other users can read ${path} (mode ${mode}); close it with: chmod 700 ${path}`];
  }
  chmodSync(path, FOLDER_MODE);
  return [`closed ${path} to other users (its mode was ${mode})`];
}
