/** Asks git about a folder. Reads only: no external diff or converter is run, no lock is taken, output and time are bounded. */
import { type ExecFileException, execFile } from "node:child_process";

export const GIT_CHARS_MAX = 50_000;
const GIT_MS_MAX = 5_000;
const GIT_BYTES_MAX = 4_000_000;
const COMMITS_MAX = 10;

export type GitAnswer =
  | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
  /** Completes the sentence "It was left out: …". */
  | { readonly kind: "failed"; readonly why: string };

export type GitQuestion =
  | { readonly kind: "diff" | "staged" | "stat" }
  | { readonly kind: "log"; readonly commits: number };

export async function askGit(question: GitQuestion, cwd: string): Promise<GitAnswer> {
  if (question.kind === "log" && (question.commits < 1 || question.commits > COMMITS_MAX)) {
    return { kind: "failed", why: `@git: takes a number from 1 to ${COMMITS_MAX}` };
  }
  return run(argsOf(question), cwd);
}

const SAFE = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "color.ui=false"];
const PLAIN = ["--no-ext-diff", "--no-textconv"];

function argsOf(question: GitQuestion): readonly string[] {
  switch (question.kind) {
    case "diff":
      return [...SAFE, "diff", ...PLAIN];
    case "staged":
      return [...SAFE, "diff", "--staged", ...PLAIN];
    case "stat":
      return [...SAFE, "diff", "--stat", "HEAD", ...PLAIN];
    case "log":
      return [...SAFE, "log", "-p", `-${question.commits}`, ...PLAIN];
  }
}

function run(args: readonly string[], cwd: string): Promise<GitAnswer> {
  const { PATH, HOME } = process.env;
  const options = {
    cwd,
    timeout: GIT_MS_MAX,
    killSignal: "SIGKILL",
    maxBuffer: GIT_BYTES_MAX,
    env: { PATH, HOME, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
  } as const;
  return new Promise((answer) => {
    execFile("git", args, options, (error, stdout, stderr) => {
      const isFull = (error as NodeJS.ErrnoException | null)?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
      if (error !== null && !isFull) return answer({ kind: "failed", why: reasonOf(error, stderr) });
      const text = stdout.slice(0, GIT_CHARS_MAX).toWellFormed();
      return answer({ kind: "text", text, isCut: isFull || stdout.length > GIT_CHARS_MAX });
    });
  });
}

function reasonOf(error: ExecFileException, stderr: string): string {
  if (error.code === "ENOENT") return "git is not installed, or the folder is gone";
  if (error.killed === true) return "git took too long";
  const [line = ""] = stderr.trim().split("\n");
  return line === "" ? "git failed" : `git says: ${line.slice(0, 200)}`;
}
