/**
 * From the path a model wrote to the file that is meant, and from what the system refuses to words a model can act
 * on. What a tool opens is the real path that was judged, so that a link swapped in between opens nothing else.
 */
import { readdir } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { OperationalError } from "#base/errors.js";
import { truncate, visible } from "#base/text-width.js";
import { locate, type PathMode } from "../guard/paths.js";
import { nearest } from "../near.js";
import type { Guard, GuardContext, ToolResult } from "../tool.js";

export type FoundPlace =
  | { readonly kind: "place"; readonly path: string }
  | { readonly kind: "refused"; readonly why: string };

export async function findPlace(path: string, mode: PathMode, context: GuardContext): Promise<FoundPlace> {
  const { guard, path: real } = await locate(path, mode, context);
  if (guard.kind === "refuse") return { kind: "refused", why: guard.why };
  return real === undefined ? { kind: "refused", why: "it leads nowhere" } : { kind: "place", path: real };
}

/**
 * The strictest of several verdicts. Questions that would grant different things become one whose grant names all of
 * them: no single grant of before opens it.
 */
export function strictest(guards: readonly Guard[]): Guard {
  const refused = guards.find((guard) => guard.kind === "refuse");
  if (refused !== undefined) return refused;
  const asking = guards.filter((guard) => guard.kind === "ask");
  const grants = [...new Set(asking.map(({ grant }) => grant))].sort();
  if (grants.length === 0) return { kind: "allow" };
  return { kind: "ask", grant: grants.join(" and "), why: [...new Set(asking.map(({ why }) => why))].join("; ") };
}

export function failed(text: string): ToolResult {
  return { kind: "error", text };
}

/** What the system said no to, as a result; anything that is no outage is a bug and goes on. */
export function failedBy(error: unknown, what: string): ToolResult {
  if (error instanceof OperationalError) return failed(error.message);
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") throw error;
  return failed(`${what}: ${REASONS[code] ?? code}.`);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not do that",
  EPERM: "this user may not do that",
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "it leads through too many links",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  EMFILE: "too many files are open; try again",
  EEXIST: "a file is in the way",
};

/** What a person and a model call it: relative inside the working directory, absolute elsewhere. */
export function nameOf(path: string, cwd: string): string {
  const below = relative(cwd, path);
  if (below === "") return ".";
  return below === ".." || below.startsWith("../") ? path : below;
}

const SUMMARY_CELLS = 100;

export function summaryLine(text: string): string {
  return truncate(visible(text), SUMMARY_CELLS);
}

const SUGGESTIONS_MAX = 5;

/** "There is no …", with what is there instead. */
export async function missing(path: string, cwd: string): Promise<ToolResult> {
  const folder = dirname(path);
  const said = `There is no file ${nameOf(path, cwd)}.`;
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return undefined;
  });
  if (names === undefined) return failed(`${said} Its folder ${nameOf(folder, cwd)} cannot be listed either.`);
  const near = nearest(basename(path), names, SUGGESTIONS_MAX);
  if (near.length === 0) return failed(`${said} Use search_files with a glob to find it.`);
  const paths = near.map((name) => nameOf(`${folder === "/" ? "" : folder}/${name}`, cwd));
  return failed(`${said} Close to it: ${paths.join(", ")}`);
}
