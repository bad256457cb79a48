/**
 * The last words of this process. Whoever calls `process.exit` is named before it happens; what nobody caught is named
 * and goes on, since the other plugins did nothing.
 */
import { REASON_CHARS_MAX } from "../limits.js";
import { culpritOf } from "./culprit.js";
import { take } from "./output.js";
import { sendUp } from "./uplink.js";

export function nameWhoLeaves(): void {
  const { exit, abort, kill } = process;
  const name = (text: string): void => {
    const { stack } = new Error(text);
    sendUp({ type: "trouble", plugin: culpritOf(stack), how: "exit", text });
  };
  process.exit = ((code) => {
    name(`it called process.exit(${code ?? ""})`);
    return exit.call(process, code);
  }) as typeof process.exit;
  process.abort = (() => {
    name("it called process.abort()");
    return abort.call(process);
  }) as typeof process.abort;
  process.kill = (pid, signal) => {
    if (Math.abs(pid) === process.pid || pid === 0) name(`it killed the plugin host with ${signal ?? "SIGTERM"}`);
    return kill.call(process, pid, signal);
  };
  process.on("uncaughtException", (error) => uncaught(error, "it threw where nobody could catch it"));
  process.on("unhandledRejection", (error) => uncaught(error, "it left a rejected promise alone"));
}

function uncaught(error: unknown, text: string): void {
  const plugin = culpritOf(error instanceof Error ? error.stack : undefined);
  const words = `${text}: ${reasonOf(error)}`;
  const verdict = take(plugin, words.length);
  if (verdict === "keep") sendUp({ type: "trouble", plugin, how: "uncaught", text: words });
  if (verdict === "flood") sendUp({ type: "trouble", plugin, how: "flood", text: words });
}

/** One line for a person: what was thrown, and where if it says so. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, REASON_CHARS_MAX).toWellFormed();
  const [, place] = /([^/\\(\s]+\.[cm]?[jt]s:\d+):\d+\)?$/m.exec(error.stack ?? "") ?? [];
  const message = error.message === "" ? error.name : error.message;
  const text = message.slice(0, REASON_CHARS_MAX).toWellFormed();
  return place === undefined || text.includes(place) ? text : `${text} (${place})`;
}
