/** Builds what commands get. Everything is made on first use, so that a command pays only for what it touches. */
import { existsSync, readFileSync, statSync } from "node:fs";
import type { Command } from "commander";
import { systemClock } from "#base/clock.js";
import { type HomePaths, prepareHome, resolveHome } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { CliContext } from "./command.js";
import type { TimeStyle } from "./format.js";
import { createOutput, type Output } from "./output.js";
import { type ColorSetting, wantsColor } from "./paint.js";
import type { GlobalOptions } from "./program.js";

export interface ContextParts {
  readonly program: Command;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly withoutInterrupts: CliContext["withoutInterrupts"];
  readonly ifInterrupted: CliContext["ifInterrupted"];
  readonly takeInterrupts: CliContext["takeInterrupts"];
  readonly interrupt: CliContext["interrupt"];
  readonly exitWith: CliContext["exitWith"];
  readonly fullProgram: () => Promise<Command>;
}

export interface Display {
  readonly color: ColorSetting;
  readonly time: TimeStyle;
}

/** The context, and the step that reads how the person likes things shown before an action runs. */
export function createContext(parts: ContextParts): { context: CliContext; readDisplay: () => Promise<void> } {
  const { program, version, signal, withoutInterrupts, ifInterrupted, takeInterrupts, interrupt, exitWith } = parts;
  const options = (): GlobalOptions => program.opts<GlobalOptions>();
  let display: Display = { color: "auto", time: "relative" };
  const home = once(() => resolveHome(options().home, process.env));
  const output = once(() => outputFor(options(), display, signal));
  const config = once(() => loadWithWarnings(home(), output()));
  const context: CliContext = {
    version,
    env: process.env,
    clock: systemClock,
    signal,
    get out() {
      return output();
    },
    get home() {
      return home();
    },
    prepareHome() {
      for (const remark of prepareHome(home())) output().warn(remark);
      return home();
    },
    config,
    async log(component) {
      const { createLogger } = await import("#base/log.js");
      const { logs } = (await config()).values;
      const settings = { level: logs.level, maxBytes: logs.max_bytes, keep: logs.keep };
      return createLogger({ path: home().logFile, clock: systemClock, ...settings }).child({ component });
    },
    withoutInterrupts,
    ifInterrupted,
    takeInterrupts,
    interrupt,
    exitWith,
    fullProgram: parts.fullProgram,
  };
  const readDisplay = async (): Promise<void> => {
    display = await displaySettings(home());
  };
  return { context, readDisplay };
}

/**
 * How things are shown must not depend on a valid file: a mistake there is reported by the commands that
 * need the settings. While no file or variable speaks of it, the parser is not even loaded: it costs as much as
 * a whole `sessions list`.
 */
async function displaySettings(home: HomePaths): Promise<Display> {
  const isSet = Object.keys(process.env).some((name) => name.startsWith("TALARIA_DISPLAY_"));
  if (!isSet && !mentions(home.config, "display") && !mentions(home.env, "TALARIA_DISPLAY_")) {
    return { color: "auto", time: "relative" };
  }
  const { inspectConfig } = await import("#config/load.js");
  return inspectConfig(home, process.env).values.display;
}

/** The parser's own bound on the file; it tells what is wrong with a larger one. */
const GLANCE_BYTES_MAX = 1_000_000;

/** A file that is there and cannot be read may say anything: then the parser decides. */
function mentions(path: string, word: string): boolean {
  try {
    return statSync(path).size > GLANCE_BYTES_MAX || readFileSync(path).includes(word);
  } catch {
    return existsSync(path);
  }
}

async function loadWithWarnings(home: HomePaths, out: Output): Promise<LoadedConfig> {
  const { loadConfig } = await import("#config/load.js");
  const loaded = loadConfig(home, process.env);
  for (const remark of loaded.remarks) {
    if (remark.severity === "warning") out.warn(remark.text);
    else out.note(`note: ${remark.text}`);
  }
  return loaded;
}

function outputFor(options: GlobalOptions, display: Display, signal: AbortSignal): Output {
  const color = (isTerminal: boolean): boolean =>
    wantsColor(display.color, { flag: options.color, env: process.env, isTerminal });
  return createOutput({
    json: options.json === true,
    color: color(process.stdout.isTTY === true),
    errorColor: color(process.stderr.isTTY === true),
    timeStyle: display.time,
    clock: systemClock,
    signal,
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
