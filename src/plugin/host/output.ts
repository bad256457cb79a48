/**
 * What plugins print becomes log lines with a name on them, so much a second and no more. Writing past this (a child
 * of a plugin, a raw file descriptor) reaches the parent's pipe, which has a bound of its own.
 */
import { inspect } from "node:util";
import { systemClock } from "#base/clock.js";
import { FLOOD_CHARS, FLOOD_LINES, LINE_CHARS_MAX, LINES_PER_SECOND } from "../limits.js";
import { createFlow, type Flow } from "../wire/flow.js";
import { currentPlugin } from "./culprit.js";
import { sendUp } from "./uplink.js";

/** The plugins' own lines, and those that nobody can be found for. */
const flows = new Map<string, Flow>();
const NOBODY = "";

export function captureOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      if (text.trim() !== "") say(currentPlugin(), text);
      const done = rest.find((item) => typeof item === "function") as (() => void) | undefined;
      if (done !== undefined) process.nextTick(done);
      return true;
    };
  }
}

export function say(plugin: string | null, text: string): void {
  const verdict = take(plugin, text.length);
  if (verdict === "keep") sendUp({ type: "log", plugin, line: cut(text.trimEnd()) });
  if (verdict === "flood") sendUp({ type: "trouble", plugin, how: "flood", text: "it floods the log" });
}

/** Progress of a tool: bounded together with what the plugin prints. */
export function sayProgress(plugin: string, id: number, line: string): void {
  const verdict = take(plugin, line.length);
  if (verdict === "keep") sendUp({ type: "report", id, line: cut(line) });
  if (verdict === "flood") sendUp({ type: "trouble", plugin, how: "flood", text: "it floods with progress" });
}

/** Whatever a plugin says without being asked counts together. */
export function take(plugin: string | null, size: number): "keep" | "drop" | "flood" {
  return flowOf(plugin).take(size);
}

/** What was dropped since the last time, by plugin; undefined when nothing was. */
export function takeDropped(): Record<string, number> | undefined {
  let dropped: Record<string, number> | undefined;
  for (const [plugin, flow] of flows) {
    const count = flow.takeDropped();
    if (count > 0) dropped = { ...dropped, [plugin]: count };
  }
  return dropped;
}

export function words(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === "string" ? value : inspect(value, { depth: 4, breakLength: 120 })))
    .join(" ");
}

export function cut(text: string): string {
  return text.length <= LINE_CHARS_MAX ? text : `${text.slice(0, LINE_CHARS_MAX - 1).toWellFormed()}…`;
}

function flowOf(plugin: string | null): Flow {
  const name = plugin ?? NOBODY;
  let flow = flows.get(name);
  if (flow === undefined) {
    const limits = { keptPerSecond: LINES_PER_SECOND, floodCount: FLOOD_LINES, floodSize: FLOOD_CHARS };
    flow = createFlow(systemClock, limits);
    flows.set(name, flow);
  }
  return flow;
}
