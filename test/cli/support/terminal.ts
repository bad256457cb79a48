/** Runs the program in a real terminal (a PTY made by `script`) and types what a person would. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cleanEnv, launcher, type RunOptions } from "./run.js";

/** Other systems have another `script`; there these tests are left out. */
export const hasTerminal = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/** For what never comes; a machine that is slow takes its time. */
const WAIT_MS = 45_000;

export interface Terminal {
  /** Everything that was on the screen so far, without the codes that move the cursor. */
  readonly screen: string;
  /** Resolves once the text is on the screen after everything that was waited for before. */
  see(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** The exit code. */
  end(): Promise<number | null>;
}

export function openTerminal(args: readonly string[], { home, env }: RunOptions): Terminal {
  const words = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty cols 80; ${words}`, "/dev/null"], {
    env: cleanEnv(home, { TERM: "xterm", ...env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  return watch(child);
}

function watch(child: ChildProcess): Terminal {
  let screen = "";
  let seen = 0;
  const listeners = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    screen += text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
    for (const listener of listeners) listener();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const find = (text: string | RegExp): boolean => {
    const rest = screen.slice(seen);
    const match = typeof text === "string" ? { index: rest.indexOf(text), length: text.length } : text.exec(rest);
    if (match === null || match.index < 0) return false;
    seen += match.index + ("length" in match ? Number(match.length) : 0);
    return true;
  };
  return {
    get screen() {
      return screen;
    },
    see(text) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          if (!find(text)) return;
          listeners.delete(look);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => reject(new Error(`never saw ${text} on:\n${screen}`)), WAIT_MS);
        listeners.add(look);
        look();
      });
    },
    type: (keys) => void child.stdin?.write(keys),
    end: () => ended,
  };
}
