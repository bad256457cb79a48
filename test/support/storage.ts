/** Small file systems and fingerprints for tests about disks that are full, read-only or damaged. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  /** Nothing can be written any more. */
  makeReadOnly(): void;
  remove(): void;
}

/** A disk of that size, or undefined where this process may not mount one. */
export function smallDisk(kilobytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), "talaria-disk-"));
  if (run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k,mode=0700`, "tmpfs", path)) {
    return {
      path,
      makeReadOnly: () => {
        if (!run("mount", "-o", "remount,ro", path)) throw new Error(`${path} could not be made read-only`);
      },
      remove: () => {
        // Lazily: a store keeps its files open for the process's life.
        run("umount", "-l", path);
        rmSync(path, { recursive: true, force: true, maxRetries: 20 });
      },
    };
  }
  rmSync(path, { recursive: true, force: true, maxRetries: 20 });
  return undefined;
}

/** Changes when a file below the folder comes, goes, or changes its bytes or its mode. */
export function fingerprint(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o777).toString(8);
      return [name, stat.isFile() ? `${mode} ${hash(path)}` : mode];
    }),
  );
}

export function hash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
