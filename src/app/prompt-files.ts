/**
 * The files behind the system prompt: who the agent is (`SOUL.md` in the home) and what the project asks for
 * (`AGENTS.md`, else `CLAUDE.md`, from the top of the repository down to the working directory). Read once per
 * session. A file that is missing, huge or unreadable never stops a turn; what was left out is said in its place.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type PromptSources, stablePrompt } from "#agent/prompt.js";

export const PROMPT_FILE_CHARS_MAX = 20_000;
export const PROMPT_FILES_MAX = 8;
const PROJECT_FILES = ["AGENTS.md", "CLAUDE.md"] as const;
/** No repository is nested deeper; also what ends the walk upwards on odd file systems. */
const FOLDERS_UP_MAX = 40;

export function readPrompt(place: { readonly home: string; readonly cwd: string; readonly platform: string }): string {
  const sources: PromptSources = {
    identity: readText(join(place.home, "SOUL.md")),
    project: projectFiles(place.cwd),
    platform: place.platform,
  };
  return stablePrompt(sources);
}

/** Outermost first, so that the nearest has the last word. */
function projectFiles(cwd: string): PromptSources["project"] {
  const folders = foldersOfProject(cwd);
  const files: { name: string; text: string }[] = [];
  for (const folder of folders.slice(-PROMPT_FILES_MAX)) {
    for (const name of PROJECT_FILES) {
      const text = readText(join(folder, name));
      if (text === undefined || text.trim() === "") continue;
      files.push({ name: join(relative(cwd, folder) || ".", name), text });
      break;
    }
  }
  return files;
}

/** From the repository's root down to `cwd`; without a repository `cwd` alone. */
function foldersOfProject(cwd: string): readonly string[] {
  const folders: string[] = [];
  let folder = cwd;
  for (let up = 0; up < FOLDERS_UP_MAX; up++) {
    folders.unshift(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) break;
    folder = dirname(folder);
  }
  return [cwd];
}

function readText(path: string): string | undefined {
  let file: number;
  try {
    if (!statSync(path).isFile()) return undefined;
    file = openSync(path, "r");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return `[${path} could not be read: ${code ?? "unknown"}]`;
  }
  try {
    const bytes = Buffer.alloc(PROMPT_FILE_CHARS_MAX * 4);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const text = bytes
      .subarray(0, length)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    if (text.length <= PROMPT_FILE_CHARS_MAX) return text;
    return `${text.slice(0, PROMPT_FILE_CHARS_MAX).toWellFormed()}\n[… the rest of this file is left out]`;
  } finally {
    closeSync(file);
  }
}
