/** The built program in a real pseudo-terminal of 80 columns, made by util-linux `script`. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cleanEnv, launcher } from "./run.js";

/** macOS has another `script`; the flows are the same there. */
export const hasPty = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

export interface Terminal {
  /** Everything that was shown so far, escape sequences included. */
  shown(): string;
  type(text: string): void;
  /** Resolves when what was shown since the last wait matches. */
  waitFor(pattern: RegExp): Promise<string>;
  /** The exit code. */
  ended(): Promise<number | null>;
  kill(): void;
}

export interface TerminalWish {
  readonly home: string;
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** For what never comes; a machine that is slow takes its time. */
const WAIT_MS = 45_000;

export function openTerminal(args: readonly string[], { home, cwd, env }: TerminalWish): Terminal {
  const quoted = [process.execPath, launcher, ...args].map((word) => `'${word.replaceAll("'", "'\\\\''")}'`).join(" ");
  const command = `stty cols 80 rows 40; exec ${quoted}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: cleanEnv(home, { TERM: "xterm-256color", ...env }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  return watch(child);
}

function watch(child: ChildProcess): Terminal {
  const closed = once(child, "close");
  let shown = "";
  let seen = 0;
  let look: () => void = () => undefined;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    look();
  });
  const waitFor = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => give("nothing matched"), WAIT_MS);
      const give = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`${why} ${pattern}; shown: ${JSON.stringify(shown.slice(seen))}`));
      };
      look = () => {
        const fresh = shown.slice(seen);
        const match = pattern.exec(fresh);
        if (match === null) return;
        clearTimeout(timer);
        look = () => undefined;
        seen += match.index + match[0].length;
        resolve(fresh);
      };
      void closed.then(() => give("it ended before"));
      look();
    });
  return {
    shown: () => shown,
    type: (text) => void child.stdin?.write(text),
    waitFor,
    ended: async () => ((await closed) as [number | null])[0],
    kill: () => void child.kill("SIGKILL"),
  };
}
