/**
 * A command judged with what the file system knows: each word that can name a path is followed through the links
 * that are there, and what it leads to is judged like what is written. The judge stays pure: it is asked twice, first
 * for the paths it wants to know about, then with the answers. Looks, changes nothing.
 *
 * - [AP-23] A link opens nothing that its target would not.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Guard } from "../tool.js";
import { type JudgeOptions, judgeCommand } from "./commands.js";
import { secretBehind } from "./paths.js";
import type { Places } from "./places.js";
import { PATH_CHARS_MAX, realPath } from "./real-path.js";
import { type CommandPlaces, matchesName, type Reality } from "./vital.js";

/** Paths of one command that are looked at; one with more is asked about. */
export const PATHS_MAX = 4000;
/** What a wildcard may become before the rest of it is judged by its name alone. */
const MATCHES_MAX = 4000;

export async function judgeCommandHere(
  command: string,
  places: CommandPlaces,
  options: JudgeOptions = {},
): Promise<Guard> {
  const real = await realPlaces(places);
  const wanted = new Set<string>();
  const wanting: Reality = { ...real, leadsTo: (path) => noted(path, wanted) };
  const first = judgeCommand(command, { ...places, reality: wanting }, options);
  if (first.kind === "refuse") return first;
  const found = new Map<string, readonly string[]>();
  for (const path of wanted) {
    const led = await ledTo(path, real);
    if (led.length > 0) found.set(path, led);
  }
  const isCrowded = wanted.size >= PATHS_MAX;
  if (found.size === 0 && !isCrowded) return first;
  const reality: Reality = { ...real, leadsTo: (path) => found.get(path) ?? NOWHERE_ELSE };
  return judgeCommand(command, { ...places, reality }, { ...options, isCrowded });
}

const NOWHERE_ELSE: readonly string[] = [];

function noted(path: string, wanted: Set<string>): readonly string[] {
  if (wanted.size < PATHS_MAX && path.length <= PATH_CHARS_MAX) wanted.add(path);
  return NOWHERE_ELSE;
}

async function realPlaces({ cwd, home, personHome }: CommandPlaces): Promise<Omit<Reality, "leadsTo">> {
  const settled = async (path: string): Promise<string> => {
    const found = await realPath(path, { cwd: "/", personHome });
    return found.kind === "path" ? found.path : path;
  };
  return { workspace: await settled(cwd), home: await settled(home), personHome: await settled(personHome) };
}

/** Where the path leads, when that is elsewhere than its own words say. */
async function ledTo(path: string, places: Places): Promise<readonly string[]> {
  const led = new Set<string>();
  for (const one of await withoutWildcards(path)) {
    const found = await realPath(one, { cwd: "/", personHome: places.personHome });
    if (found.kind !== "path") continue;
    if (found.path !== one) led.add(found.path);
    const secret = await secretBehind(found.path, places);
    if (secret !== undefined) led.add(secret);
  }
  return [...led];
}

/** The paths that are there for one with `*`, `?` or `[…]` in it, and the path itself. */
async function withoutWildcards(path: string): Promise<readonly string[]> {
  if (!WILDCARD.test(path)) return [path];
  let found = [""];
  for (const part of path.split("/").filter((one) => one !== "")) {
    if (!WILDCARD.test(part)) found = found.map((folder) => `${folder}/${part}`);
    else {
      const next: string[] = [];
      for (const folder of found) {
        if (next.length >= MATCHES_MAX) break;
        next.push(
          ...(await namesIn(folder)).filter((name) => matchesName(part, name)).map((name) => join(folder, name)),
        );
      }
      found = next.slice(0, MATCHES_MAX);
    }
  }
  return [path, ...found];
}

const WILDCARD = /[*?[]/;

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder === "" ? "/" : folder);
  } catch (error) {
    // No folder, or none for us: nothing is there that a wildcard could become.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
