/**
 * Words of a command as places on this machine: which of them nobody may wipe, which are ours, which are devices.
 * Pure: what the file system knows about links is given to it, and a name counts as written and as where it leads,
 * since a command may change links before it gets there.
 */
import { basename, dirname, join, normalize } from "node:path";
import { UNKNOWN } from "./fields.js";
import { type Place, type Places, placeOf, within } from "./places.js";

export interface CommandPlaces extends Places {
  /** Where the command runs; UNKNOWN after a `cd` nobody can follow. */
  readonly cwd: string;
  /** The process that ending would end everything with. */
  readonly hostPid?: number;
  /** Without it, names alone are judged. */
  readonly reality?: Reality;
  /** Links that the command itself makes, by their absolute name. */
  readonly made?: ReadonlyMap<string, string>;
}

/** What the file system says. */
export interface Reality extends Places {
  /** The working directory of the call, real. */
  readonly workspace: string;
  /** Where an absolute path leads through links, `..` in it as the kernel takes it; several for a wildcard. */
  leadsTo(path: string): readonly string[];
}

/** The absolute path that a word names, or undefined when its beginning is not known. */
export function pathOf(word: string, { cwd }: CommandPlaces): string | undefined {
  if (word === "" || word.startsWith(UNKNOWN)) return undefined;
  // A value that turns out empty must not hide what is left without it.
  const text = word.replaceAll(UNKNOWN, "");
  if (text.startsWith("/")) return trimmed(normalize(text));
  return cwd.includes(UNKNOWN) ? undefined : trimmed(normalize(join(cwd, text)));
}

/** The path that a word names and every one that it leads to; `isItself` when a link at its end is not followed. */
export function pathsOf(word: string, places: CommandPlaces, isItself = false): readonly string[] {
  const named = pathOf(word, places);
  if (named === undefined) return [];
  // Links to what the command was given; ours lead elsewhere.
  if (/^\/dev\/(?:std(?:in|out|err)|fd)(?:\/|$)/.test(named)) return [named];
  const text = word.replaceAll(UNKNOWN, "");
  const written = text.startsWith("/") ? text : `${places.cwd}/${text}`;
  // A slash or a dot at the end follows the link after all.
  if (!isItself || /(?:\/|\/\.{1,2})$/.test(written)) return [...new Set([named, ...followed(written, named, places)])];
  const folders = followed(dirname(written), dirname(named), places);
  return [...new Set([named, ...folders.map((folder) => join(folder, basename(named)))])];
}

function followed(written: string, named: string, places: CommandPlaces): readonly string[] {
  const made = throughMade(named, places);
  return [...made, ...[written, ...made].flatMap((path) => places.reality?.leadsTo(path) ?? [])];
}

const MADE_ROUNDS_MAX = 4;

function throughMade(path: string, { made }: CommandPlaces): readonly string[] {
  const found: string[] = [];
  let at = path;
  for (let round = 0; made !== undefined && round < MADE_ROUNDS_MAX; round++) {
    const [link, target] = [...made].find(([name]) => within(at, name) !== undefined) ?? [];
    if (link === undefined || target === undefined) break;
    at = join(target, within(at, link) ?? "");
    found.push(at);
  }
  return found;
}

/** The homes by every name they have. */
function homesOf(places: CommandPlaces): readonly Places[] {
  const { home, personHome, reality } = places;
  const isSame = reality === undefined || (reality.home === home && reality.personHome === personHome);
  return isSame ? [{ home, personHome }] : [{ home, personHome }, reality];
}

function trimmed(path: string): string {
  const single = path.replace(/^\/+/, "/");
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

const VITAL = [
  "/",
  ...["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc", "root"],
  ...["run", "sbin", "srv", "sys", "usr", "var", "applications", "library", "system", "users", "volumes", "private"],
  ...["usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/libexec", "usr/local", "usr/share", "usr/include"],
  ...["var/lib", "var/log", "var/spool", "var/db", "var/mail", "private/etc", "private/var", "system/library"],
].map((path) => (path === "/" ? path : `/${path}`));
const VITAL_NAMES = new Set(VITAL);
const WILDCARD = /[*?[]/;
/** The folder of any person. */
const PERSON = /^\/(?:home|users)\/[^/]+$/;

/** Whether wiping or opening the word recursively would take the system, a person's folder or our home with it. */
export function isVital(word: string, places: CommandPlaces, isItself = false): boolean {
  return pathsOf(word, places, isItself).some((path) => isVitalPath(path, places));
}

function isVitalPath(named: string, places: CommandPlaces): boolean {
  const path = withoutAll(named).toLowerCase();
  if (PERSON.test(path) || VITAL_NAMES.has(path)) return true;
  if (WILDCARD.test(path) && VITAL.some((vital) => matches(path, vital))) return true;
  return homesOf(places).some(({ home, personHome }) =>
    [home, personHome].some((own) => {
      const lower = own.toLowerCase();
      return matches(path, lower) || within(lower, path) !== undefined;
    }),
  );
}

/** `/etc/*` is all of `/etc`: what matches everything names the folder. */
function withoutAll(path: string): string {
  let folder = path;
  while (/\/[*?.!^[\]]*[*?][*?.!^[\]]*$/.test(folder)) folder = dirname(folder);
  return folder;
}

/** Whether a path with wildcards can mean this one. */
export function matches(pattern: string, path: string): boolean {
  if (!WILDCARD.test(pattern)) return pattern === path;
  const [parts, wanted] = [pattern.split("/"), path.split("/")];
  return parts.length === wanted.length && parts.every((part, index) => matchesName(part, wanted[index] ?? ""));
}

const NAME_CHARS_MAX = 256;

export function matchesName(pattern: string, name: string): boolean {
  if (pattern.length > NAME_CHARS_MAX) return true;
  const glob = pattern.replace(/\[[^\]]{1,64}\]/g, "?");
  let [at, from, star, mark] = [0, 0, -1, 0];
  while (from < name.length) {
    if (glob[at] === "?" || (glob[at] === name[from] && glob[at] !== "*")) {
      at++;
      from++;
    } else if (glob[at] === "*") {
      star = at++;
      mark = from;
    } else if (star >= 0) {
      at = star + 1;
      from = ++mark;
    } else return false;
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}

const OWN_NAMES = [".env", "state.db", "search.db", "config.yaml", "run", "backups", "sessions.json"];

/** The kinds of places that a word names or leads to; a wildcard that can mean one of ours counts as it. */
export function placesNamed(word: string, places: CommandPlaces, isItself = false): readonly Place[] {
  return pathsOf(word, places, isItself).flatMap((path) => homesOf(places).map((homes) => placeAt(path, homes)));
}

function placeAt(path: string, homes: Places): Place {
  if (WILDCARD.test(path)) {
    const lower = path.toLowerCase();
    const own = OWN_NAMES.map((name) => join(homes.home, name)).find((one) => matches(lower, one.toLowerCase()));
    if (own !== undefined) return placeOf(own, homes);
  }
  return placeOf(path, homes);
}

/** How much of our home a folder holds that is read or copied whole. */
export function holdsHome(word: string, places: CommandPlaces): "all" | "among" | undefined {
  const lowers = pathsOf(word, places).map((path) => path.toLowerCase());
  const homes = homesOf(places).map(({ home }) => home.toLowerCase());
  if (homes.some((home) => lowers.includes(home))) return "all";
  const isAmong = homes.some((home) =>
    lowers.some((path) => within(home, withoutAll(path)) !== undefined || matches(path, home)),
  );
  return isAmong ? "among" : undefined;
}

/** Paths in our home that stand somewhere in a word, behind an option or in the middle of a text. */
export function ownInside(word: string, places: CommandPlaces): readonly Place[] {
  const lower = word.toLowerCase();
  const found: Place[] = [];
  for (const homes of homesOf(places)) {
    const home = homes.home.toLowerCase();
    for (let at = lower.indexOf(home); at >= 0 && home.length > 1; at = lower.indexOf(home, at + home.length)) {
      const [path = ""] = /^[^\s'"`:;,()|<>&=]*/.exec(word.slice(at)) ?? [];
      const isWhole = at === 0 && path.length === word.length;
      if (!isWhole && within(path.toLowerCase(), home) !== undefined)
        found.push(placeOf(trimmed(normalize(path)), homes));
    }
  }
  return found;
}

const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|md\d|dm-\d|mapper\/|disk\/|loop\d|sr\d|mem|kmem|port|nvram)/;

/** A disk, or the machine's memory: written to, nothing is left. */
export function isBlockDevice(word: string, places: CommandPlaces): boolean {
  // `/dev/s*` may be a disk as well.
  return pathsOf(word, places).some(
    (path) =>
      BLOCK_DEVICE.test(path) ||
      (/^\/dev\/.*[*?[]/.test(path) && ["sda", "vda", "nvme0n1"].some((disk) => matches(path, `/dev/${disk}`))),
  );
}

const SYSTEM =
  /^\/(?:etc|usr|bin|sbin|lib|lib32|lib64|boot|sys|opt|var\/(?:lib|spool|db)|system|library|private\/etc)(?:\/|$)/i;

export function isSystem(word: string, places: CommandPlaces, isItself = false): boolean {
  return pathsOf(word, places, isItself).some((path) => SYSTEM.test(path));
}

const FREE = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/(?:null|stdout|stderr|stdin|tty|fd|shm))(?:\/|$)/;

/** Neither in the working directory nor where everybody may leave things. */
export function isOutside(
  word: string,
  places: CommandPlaces & { readonly workspace: string },
  isItself = false,
): boolean {
  const { workspace, reality } = places;
  if (workspace.includes(UNKNOWN)) return false;
  const inside = [workspace, reality?.workspace ?? workspace].filter((folder) => folder !== "/");
  return pathsOf(word, places, isItself).some(
    (path) => !FREE.test(path) && inside.every((folder) => within(path, folder) === undefined),
  );
}
