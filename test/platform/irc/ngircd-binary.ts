/**
 * A real IRC server for the tests. Where the machine has no ngircd, Debian's package is fetched and unpacked under
 * node_modules, which needs no rights and starts nothing. In CI a machine without it is a failure, elsewhere a skip.
 */
import { execFile } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "#base/clock.js";
import { packageRoot } from "#base/package-root.js";

const run = promisify(execFile);
const CACHE = join(packageRoot(), "node_modules", ".cache", "talaria");
const UNPACKED = join(CACHE, "ngircd");
const LOCK = join(CACHE, "ngircd.lock");
/** What ngircd needs beyond a minimal system. */
const PACKAGES = ["ngircd", "libident"];
const FETCH_LIMIT_MS = 90_000;
/** A lock older than this is of a run that died. */
const LOCK_STALE_MS = 4 * 60_000;
const LOOK_EVERY_MS = 200;

export interface Ngircd {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The server, or why there is none. */
export async function findNgircd(): Promise<Ngircd | { readonly missing: string }> {
  const installed = await firstThatRuns(["/usr/sbin/ngircd", "ngircd"], process.env);
  if (installed !== undefined) return installed;
  try {
    await fetchOnce();
  } catch (error) {
    return {
      missing: `no ngircd here, and it could not be fetched: ${error instanceof Error ? error.message : error}`,
    };
  }
  const env = { ...process.env, LD_LIBRARY_PATH: libraryFolders().join(":") };
  const unpacked = await firstThatRuns([join(UNPACKED, "usr", "sbin", "ngircd")], env);
  return unpacked ?? { missing: "the ngircd that was fetched does not run here" };
}

async function firstThatRuns(commands: readonly string[], env: NodeJS.ProcessEnv): Promise<Ngircd | undefined> {
  for (const command of commands) {
    const runs = await run(command, ["--version"], { env }).then(
      () => true,
      () => false,
    );
    if (runs) return { command, env };
  }
  return undefined;
}

function libraryFolders(): readonly string[] {
  const base = join(UNPACKED, "usr", "lib");
  return existsSync(base) ? [base, ...readdirSync(base).map((name) => join(base, name))] : [];
}

/** Several test files may need it at once: one fetches, the others wait for it. */
async function fetchOnce(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const endMs = systemClock.monotonicMs() + LOCK_STALE_MS;
  while (!existsSync(UNPACKED)) {
    if (!takeLock()) {
      if (systemClock.monotonicMs() > endMs) throw new Error(`${LOCK} is held for too long`);
      await systemClock.sleep(LOOK_EVERY_MS);
      continue;
    }
    try {
      if (!existsSync(UNPACKED)) await fetchAndUnpack();
    } finally {
      rmSync(LOCK, { force: true });
    }
  }
}

function takeLock(): boolean {
  const found = statSync(LOCK, { throwIfNoEntry: false });
  if (found !== undefined && systemClock.nowMs() - found.mtimeMs > LOCK_STALE_MS) rmSync(LOCK, { force: true });
  try {
    closeSync(openSync(LOCK, "wx"));
    return true;
  } catch {
    // Somebody else was first.
    return false;
  }
}

async function fetchAndUnpack(): Promise<void> {
  const folder = join(CACHE, `ngircd-${process.pid}`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  mkdirSync(join(folder, "root"), { recursive: true });
  try {
    await download(folder).catch(async () => {
      // Lists of packages that are missing or old; this needs the rights to renew them.
      await run("apt-get", ["update"], { timeout: FETCH_LIMIT_MS });
      await download(folder);
    });
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".deb"))) {
      await run("dpkg", ["-x", join(folder, name), join(folder, "root")]);
    }
    renameSync(join(folder, "root"), UNPACKED);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

async function download(folder: string): Promise<void> {
  await run("apt-get", ["download", ...PACKAGES], { cwd: folder, timeout: FETCH_LIMIT_MS });
}
