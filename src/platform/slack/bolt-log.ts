/** The library's log in ours: what it would debug holds whole messages and stays out. */
import { LogLevel } from "@slack/bolt";
import type { Logger } from "#base/log.js";

interface BoltLogger {
  debug(...words: unknown[]): void;
  info(...words: unknown[]): void;
  warn(...words: unknown[]): void;
  error(...words: unknown[]): void;
  setLevel(level: LogLevel): void;
  getLevel(): LogLevel;
  setName(name: string): void;
}

/** Its warnings are of things that we see as outcomes ourselves, so they are no warnings of ours. */
export function quietLogger(log: Logger): BoltLogger {
  const tell = (...words: unknown[]): void => log.debug("bolt", { said: words.map(String).join(" ") });
  const nothing = (): void => undefined;
  return {
    debug: nothing,
    info: nothing,
    warn: tell,
    error: tell,
    setLevel: nothing,
    getLevel: () => LogLevel.INFO,
    setName: nothing,
  };
}
