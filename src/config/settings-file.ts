/** Reads a small text file that a person edits, and says plainly why when it cannot. */
import { readFileSync, statSync } from "node:fs";

/** A larger file is not somebody's settings. */
export const SETTINGS_BYTES_MAX = 1_000_000;

export type SettingsText =
  | { readonly kind: "missing" }
  | { readonly kind: "text"; readonly text: string; readonly mode: number }
  | { readonly kind: "unreadable"; readonly why: string };

export function readSettingsFile(path: string): SettingsText {
  try {
    // The kind first: opening a pipe or a device could wait for ever.
    const stats = statSync(path);
    if (stats.isDirectory()) return unreadable("is a folder, not a file");
    if (!stats.isFile()) return unreadable("is not a regular file");
    if (stats.size > SETTINGS_BYTES_MAX)
      return unreadable(`is too large (${stats.size} bytes; the limit is ${SETTINGS_BYTES_MAX})`);
    return decode(readFileSync(path), stats.mode & 0o777);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    if (code === "EACCES" || code === "EPERM") return unreadable("may not be read by this user");
    return unreadable(`cannot be read (${code ?? String(error)})`);
  }
}

function decode(bytes: Buffer, mode: number): SettingsText {
  if (bytes.includes(0)) return unreadable("is not a text file (it holds NUL bytes)");
  const text = bytes.toString("utf8");
  const bad = text.indexOf("\ufffd");
  // The replacement character may be in the file itself; it stands for bad bytes only when they differ.
  if (bad >= 0 && !Buffer.from(text, "utf8").equals(bytes)) {
    const line = text.slice(0, bad).split("\n").length;
    return unreadable(`is not valid UTF-8 (first at line ${line}); save it as UTF-8`);
  }
  return { kind: "text", text: text.replace(/^\ufeff/, ""), mode };
}

function unreadable(why: string): SettingsText {
  return { kind: "unreadable", why };
}
