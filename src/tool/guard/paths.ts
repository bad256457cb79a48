/**
 * What a tool may do with a path, decided before it does it: the file tools' guard. Links are followed first, so
 * that a link inside the working directory opens nothing outside it. Looks at the file system, changes nothing.
 *
 * - [AP-20] Inside the working directory is allowed, outside a person is asked, for reading and writing alike.
 * - [AP-21] Our own secrets and store are refused whatever anybody says; so are devices and the insides of processes.
 * - [AP-22] Other programs' credentials are read only by asking and never written.
 */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { unreachable } from "#base/errors.js";
import type { Guard, GuardContext } from "../tool.js";
import { type Place, type Places, placeOf, within } from "./places.js";
import { realPath } from "./real-path.js";

export type PathMode = "read" | "write";

export type PathContext = Pick<GuardContext, "cwd" | "home"> & {
  /** What `~` means; the person's own folder unless told. */
  readonly personHome?: string;
};

/** The guard of a tool that reads or writes `path`, which may be relative to `cwd`, begin with `~`, or not exist yet. */
export async function judgePath(path: string, mode: PathMode, context: PathContext): Promise<Guard> {
  return (await locate(path, mode, context)).guard;
}

export interface Located {
  readonly guard: Guard;
  /** Where the path really leads, absolute; undefined when that cannot be told (and the guard refuses). */
  readonly path: string | undefined;
}

/** As `judgePath`, with the real path: what a tool opens should be what was judged. */
export async function locate(path: string, mode: PathMode, context: PathContext): Promise<Located> {
  const personHome = context.personHome ?? homedir();
  const base = { cwd: context.cwd, personHome };
  const found = await realPath(path, base);
  if (found.kind === "unusable") return { guard: refuse(`the path ${found.why}`), path: undefined };
  const [cwd, places] = [await settled(context.cwd, base), await settledPlaces(context.home, base)];
  const stats = await statsOf(found.path);
  const guard =
    strange(stats, found.path) ??
    (await linkedSecret(stats, places)) ??
    judgePlace(placeOf(found.path, places), mode, found.path, stats) ??
    judgeReach(found.path, mode, { cwd, isFolder: stats?.isDirectory() ?? false });
  return { guard, path: found.path };
}

function refuse(why: string): Guard {
  return { kind: "refuse", why };
}

async function settledPlaces(home: string, base: { cwd: string; personHome: string }): Promise<Places> {
  return { home: await settled(home, base), personHome: await settled(base.personHome, base) };
}

async function settled(path: string, base: { cwd: string; personHome: string }): Promise<string> {
  const found = await realPath(path, base);
  return found.kind === "path" ? found.path : path;
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    // What cannot be looked at is judged by its name; the tool itself then meets the same error.
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** Reading a pipe or a terminal may never end, and writing a disk ends everything. */
function strange(stats: Stats | undefined, path: string): Guard | undefined {
  if (stats === undefined || stats.isFile() || stats.isDirectory() || path === "/dev/null") return undefined;
  return refuse("this is a device, a pipe or a socket, not a file");
}

const LINKABLE_SECRETS = [".env", "state.db", "search.db", "config.yaml"];

async function linkedSecret(stats: Stats | undefined, places: Places): Promise<Guard | undefined> {
  const name = await secretNameOf(stats, places);
  return name === undefined ? undefined : refuse(`this is Talaria's own ${name} under another name`);
}

/** Which of our secrets a path is under another name. */
export async function secretBehind(path: string, places: Places): Promise<string | undefined> {
  const name = await secretNameOf(await statsOf(path), places);
  return name === undefined ? undefined : join(places.home, name);
}

/** A hard link is the same file under another name, and no path tells. */
async function secretNameOf(stats: Stats | undefined, places: Places): Promise<string | undefined> {
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return undefined;
  for (const name of LINKABLE_SECRETS) {
    const secret = await statsOf(join(places.home, name));
    if (secret !== undefined && secret.ino === stats.ino && secret.dev === stats.dev) return name;
  }
  return undefined;
}

function judgePlace(place: Place, mode: PathMode, path: string, stats: Stats | undefined): Guard | undefined {
  switch (place.kind) {
    case "ordinary":
      return undefined;
    case "forbidden":
      return refuse(`${place.what} is not for tools`);
    case "own":
      return judgeOwn(place, mode, stats);
    case "credentials":
      if (mode === "write") return refuse(`${place.what}; tools never write them`);
      return { kind: "ask", grant: `read credentials: ${path}`, why: `it reads ${path}: ${place.what}` };
    case "startup":
      if (mode === "read") return undefined;
      return { kind: "ask", grant: `write startup file: ${path}`, why: `it writes ${path}: ${place.what}` };
    default:
      return unreachable(place);
  }
}

function judgeOwn(place: Extract<Place, { kind: "own" }>, mode: PathMode, stats: Stats | undefined): Guard | undefined {
  if (place.part === "secret") return refuse(`${place.what} are not for tools`);
  if (place.part === "other") return undefined;
  if (mode === "write") return refuse(`${place.what} are not written by tools`);
  // A file's name holds the call's random id: who knows it was told it. A listing would tell every name.
  if (place.part === "spool" && stats?.isFile()) return { kind: "allow" };
  return undefined;
}

interface Reach {
  readonly cwd: string;
  readonly isFolder: boolean;
}

function judgeReach(path: string, mode: PathMode, { cwd, isFolder }: Reach): Guard {
  // Everything is inside the root, so that as a working directory it says nothing about what is wanted.
  if (cwd !== "/" && within(path, cwd) !== undefined) return { kind: "allow" };
  const folder = isFolder ? path : dirname(path);
  const verb = mode === "read" ? "reads" : "writes";
  return {
    kind: "ask",
    grant: `${mode} outside: ${folder}`,
    why: `it ${verb} ${path}, outside the working directory ${cwd}`,
  };
}
