/**
 * Words of a command as places on this machine: which of them nobody may wipe, which are ours, which are devices.
 * Pure: the file system is not asked, since a command may change it before it gets there.
 */
import { dirname, join, normalize } from "node:path";
import { UNKNOWN } from "./fields.js";
import { type Place, type Places, placeOf, within } from "./places.js";

export interface CommandPlaces extends Places {
  /** Where the command runs; UNKNOWN after a `cd` nobody can follow. */
  readonly cwd: string;
  /** The process that ending would end everything with. */
  readonly hostPid?: number;
}

/** The absolute path that a word names, or undefined when its beginning is not known. */
export function pathOf(word: string, { cwd }: CommandPlaces): string | undefined {
  if (word === "" || word.startsWith(UNKNOWN)) return undefined;
  // A value that turns out empty must not hide what is left without it.
  const text = word.replaceAll(UNKNOWN, "");
  if (text.startsWith("/")) return trimmed(normalize(text));
  return cwd.includes(UNKNOWN) ? undefined : trimmed(normalize(join(cwd, text)));
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
export function isVital(word: string, places: CommandPlaces): boolean {
  const named = pathOf(word, places);
  if (named === undefined) return false;
  const path = withoutAll(named).toLowerCase();
  if (PERSON.test(path) || VITAL_NAMES.has(path)) return true;
  if (WILDCARD.test(path) && VITAL.some((vital) => matches(path, vital))) return true;
  return [places.home, places.personHome].some((own) => {
    const lower = own.toLowerCase();
    return matches(path, lower) || within(lower, path) !== undefined;
  });
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

function matchesName(pattern: string, name: string): boolean {
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

/** The kind of place that a word names; a wildcard that can mean one of ours counts as it. */
export function placeNamed(word: string, places: CommandPlaces): Place {
  const path = pathOf(word, places);
  if (path === undefined) return { kind: "ordinary" };
  if (/[*?[]/.test(path)) {
    const lower = path.toLowerCase();
    const own = OWN_NAMES.map((name) => join(places.home, name)).find((one) => matches(lower, one.toLowerCase()));
    if (own !== undefined) return placeOf(own, places);
  }
  return placeOf(path, places);
}

const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|md\d|dm-\d|mapper\/|disk\/|loop\d|sr\d|mem|kmem|port|nvram)/;

/** A disk, or the machine's memory: written to, nothing is left. */
export function isBlockDevice(word: string, places: CommandPlaces): boolean {
  const path = pathOf(word, places);
  if (path === undefined) return false;
  // `/dev/s*` may be a disk as well.
  return (
    BLOCK_DEVICE.test(path) ||
    (/^\/dev\/.*[*?[]/.test(path) && ["sda", "vda", "nvme0n1"].some((disk) => matches(path, `/dev/${disk}`)))
  );
}

const SYSTEM =
  /^\/(?:etc|usr|bin|sbin|lib|lib32|lib64|boot|sys|opt|var\/(?:lib|spool|db)|system|library|private\/etc)(?:\/|$)/i;

export function isSystem(word: string, places: CommandPlaces): boolean {
  const path = pathOf(word, places);
  return path !== undefined && SYSTEM.test(path);
}

const FREE = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/(?:null|stdout|stderr|stdin|tty|fd|shm))(?:\/|$)/;

/** Neither in the working directory nor where everybody may leave things. */
export function isOutside(word: string, places: CommandPlaces, workspace: string): boolean {
  const path = pathOf(word, places);
  if (path === undefined || FREE.test(path) || workspace.includes(UNKNOWN)) return false;
  return workspace === "/" || within(path, workspace) === undefined;
}
