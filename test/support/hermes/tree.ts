/** What a folder holds, byte for byte: to show that reading it changed nothing. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

export function fingerprint(dir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true });
  const entries = files.map((entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const { mtimeMs, mode } = statSync(path);
    const hash = entry.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "folder";
    return [relative(dir, path), `${hash} ${mtimeMs} ${mode}`] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
