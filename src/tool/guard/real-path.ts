/**
 * Where a path really leads: every link followed, `~` expanded, and what does not exist yet hung onto what does.
 * Walks as the kernel does, so that `link/..` is the parent of what the link names, and a dangling link counts as
 * the place that writing through it would make.
 */
import { lstat, readlink } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

export const PATH_CHARS_MAX = 4096;
const LINKS_MAX = 40;

export type RealPath =
  | { readonly kind: "path"; readonly path: string }
  /** `why` completes the sentence "the path …". */
  | { readonly kind: "unusable"; readonly why: string };

export interface PathBase {
  readonly cwd: string;
  /** The person's own folder, what `~` means. */
  readonly personHome: string;
}

export async function realPath(path: string, base: PathBase): Promise<RealPath> {
  if (path === "") return { kind: "unusable", why: "is empty" };
  if (path.includes("\0")) return { kind: "unusable", why: "holds a NUL character" };
  if (path.length > PATH_CHARS_MAX) return { kind: "unusable", why: `is longer than ${PATH_CHARS_MAX} characters` };
  const expanded = path === "~" || path.startsWith("~/") ? base.personHome + path.slice(1) : path;
  return walk(isAbsolute(expanded) ? expanded : `${base.cwd}/${expanded}`);
}

async function walk(absolute: string): Promise<RealPath> {
  const left = partsOf(absolute).reverse();
  let links = 0;
  let at = "/";
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    // `..` is the parent of where the links before it have led, which is no link.
    const next = join(at, part);
    const target = await linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > LINKS_MAX) return { kind: "unusable", why: "leads through too many links" };
    if (isAbsolute(target)) at = "/";
    left.push(...partsOf(target).reverse());
  }
  return { kind: "path", path: at };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Undefined for whatever is no link, also for what is missing or may not be looked at: its name is all we know. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
