/** What the store stands on: the program, the folder and its modes, the settings, the disk, the backups. */
import { existsSync, statfsSync, statSync } from "node:fs";
import { FILE_MODE, FOLDER_MODE, type HomePaths } from "#config/home.js";
import { inspectConfig } from "#config/load.js";
import { backupFolder, listBackups } from "./backup.js";
import { type Examination, type ExamineRequest, fail, ok, warn } from "./doctor-finding.js";
import { databaseBytes } from "./doctor-sizes.js";

export function* examineHome(request: ExamineRequest): Generator<Examination> {
  const { home, version } = request;
  yield ok("program", `Talaria ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`);
  if (!existsSync(home.root)) {
    yield warn("home", `${home.root} does not exist yet`, "the first command that writes makes it");
    return;
  }
  yield homeFinding(home);
  yield settingsFinding(request);
  yield spaceFinding(home);
}

/** Everything in the home is the person's own business. */
function homeFinding(home: HomePaths): Examination {
  const open = [home.root, home.config, home.env, home.stateDb, home.searchDb, home.mirror, home.backups].filter(
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
  if (open.length === 0) return ok("home", `${home.root}, closed to other users`);
  const mode = (path: string): string => (statSync(path).isDirectory() ? FOLDER_MODE : FILE_MODE).toString(8);
  return warn(
    "home",
    `other users can read ${open.join(", ")}`,
    open.map((path) => `chmod ${mode(path)} ${path}`).join("; "),
  );
}

function settingsFinding({ home, env }: ExamineRequest): Examination {
  const { remarks } = inspectConfig(home, env);
  const errors = remarks.filter(({ severity }) => severity === "error");
  const warnings = remarks.filter(({ severity }) => severity === "warning");
  if (errors.length > 0) return fail("settings", errors.map(({ text }) => text).join("\n"), "talaria config edit");
  if (warnings.length > 0) return warn("settings", warnings.map(({ text }) => text).join("\n"), "talaria config edit");
  return ok("settings", existsSync(home.config) ? "config.yaml has no mistake" : "all defaults (no config.yaml)");
}

const FREE_BYTES_FAIL = 64_000_000;
const FREE_BYTES_WARN = 1_000_000_000;

function spaceFinding(home: HomePaths): Examination {
  const { bavail, bsize } = statfsSync(home.root);
  const free = bavail * bsize;
  const text = `${megabytes(free)} free where the home is`;
  if (free < FREE_BYTES_FAIL) return fail("disk", text, "free some space: messages cannot be stored on a full disk");
  // A backup needs as much again, and a migration makes one first.
  const isTight = free < FREE_BYTES_WARN || free < 2 * databaseBytes(home.stateDb);
  return isTight ? warn("disk", text, "free some space: backups need as much again as the store") : ok("disk", text);
}

function megabytes(bytes: number): string {
  return bytes >= 10e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

const DAY_MS = 86_400_000;
const AGE_DAYS_MAX = { daily: 2, weekly: 9 } as const;

export function* examineBackups({ home, env, clock }: ExamineRequest): Generator<Examination> {
  if (!existsSync(home.stateDb)) return;
  const { backup } = inspectConfig(home, env).values;
  const newest = listBackups(backupFolder(home, backup)).find(({ kind }) => kind === "automatic");
  if (newest === undefined) {
    yield warn("backups", `there is none in ${backupFolder(home, backup)}`, "talaria backup");
    return;
  }
  const days = Math.max(0, Math.floor((clock.nowMs() - newest.atMs) / DAY_MS));
  const text = `the newest is ${newest.name}, ${days === 0 ? "less than a day" : `${days} d`} old`;
  if (backup.schedule === "off") yield ok("backups", `${text}; scheduled ones are off`);
  else if (days > AGE_DAYS_MAX[backup.schedule]) yield warn("backups", text, "talaria backup, or put it into cron");
  else yield ok("backups", text);
}
