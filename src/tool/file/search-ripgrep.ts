/**
 * Searches with ripgrep. The pattern and the globs are arguments, never shell text; settings of the machine and of
 * the person are left out, so that the same search answers the same everywhere. Its output is read as it comes and
 * the program is ended as soon as enough was seen.
 */
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import type { Clock } from "#base/clock.js";
import {
  type FoundLine,
  SEARCHED_FILE_BYTES_MAX,
  type SearchEnd,
  type SearchEngine,
  type SearchWish,
  type TakeFile,
} from "./search-engine.js";

/** Where ripgrep is, if anywhere. Only absolute folders count: a program in the working directory is not ours. */
export async function findRipgrep(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(":")) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, "rg");
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

export interface RipgrepSettings {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const STDERR_CHARS_MAX = 4_000;

export function createRipgrepSearch({ program, env, clock }: RipgrepSettings): SearchEngine {
  return (wish, take) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, argumentsOf(wish), { cwd: wish.root, env, stdio: ["ignore", "pipe", "pipe"] });
      const reader = new OutputReader(take);
      let why: Extract<SearchEnd, { kind: "stopped" }>["why"] | undefined;
      let complaint = "";
      const stop = (reason: NonNullable<typeof why>): void => {
        why ??= reason;
        child.kill("SIGKILL");
      };
      const interrupt = (): void => stop("interrupted");
      const forget = clock.after(Math.max(0, wish.deadlineMs - clock.monotonicMs()), () => stop("time"));
      wish.signal.addEventListener("abort", interrupt, { once: true });
      if (wish.signal.aborted) interrupt();
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        if (why === undefined && !reader.push(chunk)) stop("enough");
      });
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        complaint = (complaint + chunk).slice(0, STDERR_CHARS_MAX);
      });
      child.on("error", reject);
      child.on("close", (code) => {
        forget();
        wish.signal.removeEventListener("abort", interrupt);
        if (why !== undefined) resolve({ kind: "stopped", why });
        // Exit code 2 with matches only says that something could not be read.
        else if (code === 2 && !reader.hasBegun) resolve({ kind: "bad-pattern", why: complaint.trim() });
        else resolve({ kind: "done" });
      });
    });
}

function argumentsOf({ pattern, glob, excluded, context }: SearchWish): string[] {
  return [
    "--no-config",
    "--json",
    "--no-messages",
    "--sort=path",
    "--hidden",
    "--no-require-git",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--encoding=none",
    "--crlf",
    `--max-filesize=${SEARCHED_FILE_BYTES_MAX}`,
    `--context=${context}`,
    pattern.isCaseIgnored ? "--ignore-case" : "--case-sensitive",
    ...(pattern.isLiteral ? ["--fixed-strings"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...excluded.map((one) => `--glob=!${one}`),
    `--regexp=${pattern.source}`,
    "--",
    "./",
  ];
}

const words = z.union([
  z.object({ text: z.string() }).transform(({ text }) => text),
  z.object({ bytes: z.string() }).transform(({ bytes }) => Buffer.from(bytes, "base64").toString("utf8")),
]);
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: words }) }),
  z.object({ type: z.literal("match"), data: z.object({ lines: words, line_number: z.number() }) }),
  z.object({ type: z.literal("context"), data: z.object({ lines: words, line_number: z.number() }) }),
  z.object({ type: z.literal("end"), data: z.object({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal("summary") }),
]);

/** Turns lines of JSON into files; a file counts when its end was told. */
class OutputReader {
  readonly #take: TakeFile;
  #rest: string[] = [];
  #path = "";
  #lines: FoundLine[] = [];
  hasBegun = false;

  constructor(take: TakeFile) {
    this.#take = take;
  }

  /** False when no more is wanted. */
  push(chunk: string): boolean {
    const [first = "", ...following] = chunk.split("\n");
    this.#rest.push(first);
    for (const line of following) {
      const whole = this.#rest.join("");
      this.#rest = [line];
      if (whole !== "" && !this.#read(whole)) return false;
    }
    return true;
  }

  #read(line: string): boolean {
    const told = event.parse(JSON.parse(line));
    this.hasBegun = true;
    switch (told.type) {
      case "begin":
        this.#path = told.data.path.replace(/^\.\//, "");
        this.#lines = [];
        return true;
      case "match":
      case "context":
        this.#lines.push({
          number: told.data.line_number,
          text: told.data.lines.replace(/\r?\n$/, ""),
          isMatch: told.type === "match",
        });
        return true;
      case "end":
        // What turned out to be binary further on is no text.
        if (told.data.binary_offset !== null || this.#lines.length === 0) return true;
        return this.#take({ path: this.#path, lines: this.#lines });
      case "summary":
        return true;
    }
  }
}
