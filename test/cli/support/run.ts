/** Runs the built program as a person would, in a home of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import { killHost } from "../../support/hosts.js";
import { removeFolder } from "../../support/remove-folder.js";

export const launcher = join(packageRoot(), "bin", "talaria.cjs");

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

export function startCli(args: readonly string[], { home, env }: RunOptions): ChildProcess {
  return spawn(process.execPath, [launcher, ...args], { env: cleanEnv(home, env), stdio: ["pipe", "pipe", "pipe"] });
}

export async function runCli(args: readonly string[], options: RunOptions): Promise<Run> {
  const child = startCli(args, options);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.input ?? "");
  return finished(child);
}

export function finished(child: ChildProcess): Promise<Run> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Nothing of the machine's own settings reaches the program. */
export function cleanEnv(home: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: home, TALARIA_HOME: home, TZ: "UTC", ...env };
}

export interface TempHome {
  readonly path: string;
  remove(): void;
}

export function tempHome(): TempHome {
  const path = mkdtempSync(join(tmpdir(), "talaria-cli-"));
  return {
    path,
    remove() {
      killHost(path);
      removeFolder(path);
    },
  };
}
