/**
 * The scheduled backup of a host, made by a process of its own: reading a whole store to the last page takes seconds,
 * and nobody who talks to the host waits for them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import { packageRoot } from "#base/package-root.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import { isBackupDue } from "../backup.js";

const COMPLAINT_CHARS_MAX = 2_000;

export interface BackupParts {
  readonly home: HomePaths;
  readonly config: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function scheduledBackup(parts: BackupParts, signal: AbortSignal): Promise<void> {
  const { home, config, env, clock, log } = parts;
  if (!isBackupDue(home, config.values.backup, clock.nowMs())) return;
  const startedMs = clock.monotonicMs();
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  const child = spawn(process.execPath, [launcher, "--home", home.root, "--json", "backup"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARS_MAX);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    throw new OperationalError("backup-failed", "after-delay", `the scheduled backup was not made: ${complaint}`);
  }
  log.info("made the scheduled backup", { tookMs: Math.round(clock.monotonicMs() - startedMs) });
}
