/** `search_files`: finds text in files, or files by name. Uses ripgrep when it is there and its own walk otherwise. */
import { stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import { judgePath } from "../guard/paths.js";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "../tool.js";
import { choiceOf } from "./ignore-rules.js";
import { failed, failedBy, findPlace, missing, nameOf, summaryLine } from "./place.js";
import { EXCLUDED_FOLDERS, parsePattern, type SearchEnd, type SearchWish } from "./search-engine.js";
import { Findings, type FindingsMode, FOUND_LIMIT_DEFAULT, FOUND_LIMIT_MAX } from "./search-findings.js";
import { createRipgrepSearch, findRipgrep } from "./search-ripgrep.js";
import { createWalkSearch, readText, searchText, WALKED_FILES_MAX } from "./search-walk.js";
import { walk } from "./walk.js";

const PATTERN_CHARS_MAX = 2_000;
const CONTEXT_MAX = 10;
/** Ends a search before its time limit does, so that what was found by then is told. */
const SEARCH_MS = 20_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(PATTERN_CHARS_MAX)
    .optional()
    .describe("Regular expression, matched line by line. Absent: files are found by their names (glob)."),
  path: z.string().min(1).optional().describe("Folder or file to search; the working directory unless told."),
  glob: z.string().min(1).max(500).optional().describe("Only files like this: *.ts, src/**/*.{js,ts}, !*.test.ts"),
  mode: z
    .enum(["content", "files", "count"])
    .optional()
    .describe("content: matching lines (default). files: names of files that match. count: matching lines per file."),
  context: z.number().int().min(0).max(CONTEXT_MAX).optional().describe("Lines shown before and after each match."),
  ignore_case: z.boolean().optional(),
  limit: z
    .number()
    .int()
    .min(1)
    .max(FOUND_LIMIT_MAX)
    .optional()
    .describe(`Matching lines, or files, at most; ${FOUND_LIMIT_DEFAULT} unless told.`),
});

type SearchInput = z.infer<typeof input>;

export interface SearchSettings {
  /** Where ripgrep is; undefined: nowhere. Looked for on the call's PATH unless told. */
  readonly findProgram?: (env: Readonly<Record<string, string>>) => Promise<string | undefined>;
}

export function createSearchFiles({ findProgram = findRipgrep }: SearchSettings = {}): Tool {
  return defineTool<SearchInput>({
    name: "search_files",
    description:
      "Find text in files by a regular expression, or files by name with glob alone. Leaves out what .gitignore " +
      "names, .git, node_modules, binary and very large files.",
    input,
    effect: "read-only",
    limits: { timeMs: 30_000, outputChars: 60_000 },
    guard: ({ path = "." }, context) => judgePath(path, "read", context),
    summary: ({ pattern, path, glob }) =>
      summaryLine(`search ${[pattern ?? "files", glob, path && `in ${path}`].filter(Boolean).join(" ")}`),
    async run(wish, context) {
      const place = await findPlace(wish.path ?? ".", "read", context);
      if (place.kind === "refused") return failed(`${wish.path} is not searched: ${place.why}.`);
      try {
        return await search(place.path, wish, { context, findProgram });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return missing(place.path, context.cwd);
        return failedBy(error, `${nameOf(place.path, context.cwd)} cannot be searched`);
      }
    },
  });
}

export const searchFilesTool = createSearchFiles();

interface Surroundings {
  readonly context: ToolContext;
  readonly findProgram: NonNullable<SearchSettings["findProgram"]>;
}

async function search(place: string, wish: SearchInput, around: Surroundings): Promise<ToolResult> {
  const { context } = around;
  const isFile = (await stat(place)).isFile();
  const root = isFile ? dirname(place) : place;
  const mode: FindingsMode = wish.pattern === undefined ? "names" : (wish.mode ?? "content");
  const findings = new Findings(mode, wish.limit ?? FOUND_LIMIT_DEFAULT);
  const end = isFile ? await searchOne(place, wish, findings) : await searchFolder(root, wish, { ...around, findings });
  if (end.kind === "bad-pattern" || end.kind === "slow-pattern") return failed(endWords(end).join(" "));
  const left = await findings.leaveOut(async (path) => {
    // Inside its own folder a file is only held back for what it is, not for where it is.
    const file = join(root, path);
    return (await judgePath(file, "read", { cwd: dirname(file), home: context.home })).kind !== "allow";
  });
  const nameIn = (path: string): string => nameOf(join(root, path), context.cwd);
  return findings.result(nameIn, [...endWords(end), ...leftWords(left)]);
}

async function searchOne(place: string, wish: SearchInput, findings: Findings): Promise<SearchEnd> {
  const path = basename(place);
  if (wish.pattern === undefined) {
    findings.take({ path, lines: [] });
    return { kind: "done" };
  }
  const text = await readText(place);
  if (text === undefined) return { kind: "bad-pattern", why: `${path} is binary or too large to be searched.` };
  const pattern = parsePattern(wish.pattern, wish.ignore_case ?? false);
  const lines = searchText(text, { pattern, context: wish.context ?? 0 });
  if (lines === undefined) return { kind: "slow-pattern" };
  if (lines.length > 0) findings.take({ path, lines });
  return { kind: "done" };
}

async function searchFolder(
  root: string,
  wish: SearchInput,
  { context, findProgram, findings }: Surroundings & { readonly findings: Findings },
): Promise<SearchEnd> {
  const { clock, signal, env, home } = context;
  const excluded = [...EXCLUDED_FOLDERS, ...excludedHome(root, home)];
  const selection = { glob: wish.glob, excluded };
  if (wish.pattern === undefined) return listFiles(root, selection, { findings, signal });
  const pattern = parsePattern(wish.pattern, wish.ignore_case ?? false);
  const asked: SearchWish = {
    root,
    pattern,
    ...selection,
    context: wish.mode === undefined || wish.mode === "content" ? (wish.context ?? 0) : 0,
    signal,
    deadlineMs: clock.monotonicMs() + SEARCH_MS,
  };
  const program = await findProgram(env);
  if (program !== undefined) {
    const end = await createRipgrepSearch({ program, env, clock })(asked, findings.take);
    // Look-around and other things that only one of the two languages has: then the other engine does it.
    if (end.kind !== "bad-pattern") return end;
  }
  return createWalkSearch(clock)(asked, findings.take);
}

/** The home holds everything that was ever said; it is no place to look for text in passing. */
function excludedHome(root: string, home: string): string[] {
  const below = relative(root, home);
  if (below === "" || below === ".." || below.startsWith("../")) return [];
  return [`/${below.replace(/[\\*?[\]{}!#]/g, "\\$&")}`];
}

interface Listing {
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

async function listFiles(
  root: string,
  selection: { readonly glob: string | undefined; readonly excluded: readonly string[] },
  { findings, signal }: Listing,
): Promise<SearchEnd> {
  let files = 0;
  for await (const { below } of walk(root, choiceOf(selection))) {
    if (signal.aborted) return { kind: "stopped", why: "interrupted" };
    if (++files > WALKED_FILES_MAX) return { kind: "stopped", why: "size" };
    if (!findings.take({ path: below, lines: [] })) return { kind: "stopped", why: "enough" };
  }
  return { kind: "done" };
}

function endWords(end: SearchEnd): string[] {
  switch (end.kind) {
    case "done":
      return [];
    case "stopped":
      return [STOPS[end.why]];
    case "bad-pattern":
      return [end.why];
    case "slow-pattern":
      return ["The pattern takes too long; simplify it (nested repetitions such as (a+)+ are the usual reason)."];
  }
}

const STOPS: Readonly<Record<Extract<SearchEnd, { kind: "stopped" }>["why"], string>> = {
  enough: "There is more: narrow the search or raise limit.",
  time: "Out of time; the rest was not searched. Narrow it with path or glob.",
  interrupted: "Interrupted; the rest was not searched.",
  size: "Too many files; the rest was not searched. Narrow it with path or glob.",
};

function leftWords(files: number): string[] {
  return files === 0 ? [] : [`Matches in ${files} guarded files are not shown; read_file asks for each.`];
}
