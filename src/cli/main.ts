/**
 * The command line's entry: finds the command, loads it, runs it, and turns whatever happens into an exit
 * code. `bin/talaria.cjs` imports this from the bundle.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "#base/clock.js";
import { packageRoot } from "#base/package-root.js";
import { isFullDisk, tellStderr } from "#base/stderr.js";
import type { CliContext } from "./command.js";
import { createContext } from "./context.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { type Failure, isUsageError, renderFailure, toFailure } from "./failure.js";
import { terminalColumns } from "./output.js";
import { createPaint, wantsColor } from "./paint.js";
import { addCommands, createProgram, type GlobalOptions } from "./program.js";

/** How long a command may tidy up after Ctrl-C before the process ends anyway. */
export const INTERRUPT_GRACE_MS = 1_000;
/** How long whoever insists waits for the first Ctrl-C to reach the one that is to obey it. */
const INSIST_GRACE_MS = 200;

/** Runs one command line (without `node` and the script) and resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const version = readVersion();
  const program = createProgram(version);
  const ending = watchForEnd((meaning) => tellInterrupted(meaning, program));
  let exitCode: ExitCode = EXIT.ok;
  const { context, readDisplay } = createContext({
    program,
    version,
    signal: ending.signal,
    withoutInterrupts: ending.hold,
    ifInterrupted: ending.explain,
    takeInterrupts: ending.take,
    interrupt: ending.interrupted,
    exitWith: (code) => {
      exitCode = code;
    },
    fullProgram: () => createFullProgram(version, context),
  });
  try {
    const { operands } = program.parseOptions([...argv]);
    const isHelp = operands[0] === "help";
    const name = isHelp ? operands[1] : operands[0];
    await addCommands(program, context, (entry) => entry.name === name);
    // Bare `talaria` is a chat.
    if (name === undefined) program.action(async () => (await import("./commands/chat.js")).chatBare(context));
    program.hook("preAction", readDisplay);
    // Help about a command that does not exist is the same mistake as calling it.
    const isUnknown = isHelp && name !== undefined && !program.commands.some((command) => command.name() === name);
    // `help sessions list` asks about the last of them; commander's own help command looks at the first alone.
    const isDeepHelp = isHelp && !isUnknown && operands.length > 2;
    const words = isUnknown ? [name] : isDeepHelp ? [...operands.slice(1), "--help"] : [...argv];
    await program.parseAsync(words, { from: "user" });
    return ending.exitCode() ?? exitCode;
  } catch (error) {
    // Once the end was asked for, the error is the command giving up as it was told to.
    return ending.exitCode() ?? (await report(error, program, context));
  } finally {
    ending.stop();
  }
}

async function createFullProgram(version: string, context: CliContext): Promise<Command> {
  const program = createProgram(version);
  await addCommands(program, context, () => true);
  return program;
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

async function report(error: unknown, program: Command, context: CliContext): Promise<number> {
  if (isUsageError(error)) {
    if (error.exitCode === 0) return EXIT.ok;
    // A bare command group has shown its help on stderr already.
    if (error.code === "commander.help") return EXIT.usage;
  }
  const failure = toFailure(error, helpCommand(program));
  const told = failure.stack === undefined ? failure : await keepStack(failure, failure.stack, context);
  tellFailure(told, program);
  if (failure.stack !== undefined && process.env["TALARIA_DEBUG"] === "1") process.stderr.write(`${failure.stack}\n`);
  return failure.exitCode;
}

function tellFailure(failure: Failure, program: Command): void {
  const { json, color } = program.opts<GlobalOptions>();
  const paint = createPaint(
    wantsColor("auto", { flag: color, env: process.env, isTerminal: process.stderr.isTTY === true }),
  );
  const columns = process.stderr.isTTY ? terminalColumns(process.stderr.columns) : undefined;
  tellStderr(renderFailure(failure, { json: json === true, paint, columns }));
}

/** Told at once, before the command has tidied up: whoever pressed Ctrl-C wants to see that it was heard. */
function tellInterrupted(meaning: string, program: Command): void {
  // A bar may stand on the line.
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  tellFailure({ code: "interrupted", message: "interrupted", hint: meaning, exitCode: EXIT.interrupted }, program);
}

/** The help of the command that was meant, as far as the words name one. */
function helpCommand(program: Command): string {
  let command = program;
  const names = ["talaria"];
  for (const word of program.args) {
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined) break;
    names.push(word);
    command = child;
  }
  return `${names.join(" ")} --help`;
}

/** A bug's stack goes to the log without asking the settings: they may be what is broken. */
async function keepStack(failure: Failure, stack: string, context: CliContext): Promise<Failure> {
  const { createLogger } = await import("#base/log.js");
  const hint = (where: string): string => `${where}; TALARIA_DEBUG=1 shows the details here`;
  try {
    const { logFile } = context.prepareHome();
    const logger = createLogger({ path: logFile, clock: context.clock }).child({ component: "cli" });
    logger.error(failure.message, { stack });
    return {
      ...failure,
      hint: hint(logger.droppedCount() === 0 ? `the details are in ${logFile}` : "no log could be written"),
    };
  } catch {
    return { ...failure, hint: hint("no log could be written, since the home cannot be used") };
  }
}

/** Ctrl-C, and a reader of our output that has gone (`| head`): both abort the command, then end the process. */
function watchForEnd(tell: (meaning: string) => void) {
  const controller = new AbortController();
  let code: number | undefined;
  let meaning: string | undefined;
  const end = (exitCode: number, reason: string): void => {
    if (code !== undefined) process.exit(code);
    code = exitCode;
    process.exitCode = exitCode;
    controller.abort(new Error(reason));
    systemClock.after(INTERRUPT_GRACE_MS, () => process.exit(exitCode));
  };
  let isHeld = false;
  let taker: InterruptTaker | undefined;
  const interrupted = (): void => {
    if (isHeld) return;
    if (taker !== undefined) {
      taker.interrupted();
      return;
    }
    if (code === undefined && meaning !== undefined) tell(meaning);
    end(EXIT.interrupted, "interrupted");
  };
  const onStreamError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
    if (code === undefined) end(EXIT.ok, "the reader of the output has gone");
  };
  process.on("SIGINT", interrupted);
  process.stdout.on("error", onStreamError);
  process.stderr.on("error", (error) => {
    // Nobody can be told any more; the exit code still says what happened.
    if (!isFullDisk(error)) onStreamError(error);
  });
  return {
    signal: controller.signal,
    interrupted,
    exitCode: () => code,
    explain: (text: string): void => {
      meaning = text;
    },
    take: (act: () => unknown, graceMs: number): (() => void) => {
      const mine = interruptTaker(act, graceMs);
      taker = mine;
      return () => {
        mine.forget();
        if (taker === mine) taker = undefined;
      };
    },
    hold: async <T>(act: () => Promise<T>): Promise<T> => {
      isHeld = true;
      return act().finally(() => {
        isHeld = false;
      });
    },
    stop: () => void process.off("SIGINT", interrupted),
  };
}

interface InterruptTaker {
  interrupted(): void;
  forget(): void;
}

/** The command ends what it does by itself; whoever insists, or has waited long enough, leaves without it. */
function interruptTaker(act: () => unknown, graceMs: number): InterruptTaker {
  let forget: (() => void) | undefined;
  let acting: unknown;
  let isLeaving = false;
  const leave = (): never => process.exit(EXIT.interrupted);
  return {
    interrupted() {
      if (forget === undefined) {
        forget = systemClock.after(graceMs, leave);
        acting = act();
      } else if (!isLeaving) {
        isLeaving = true;
        void Promise.race([Promise.resolve(acting).catch(leave), systemClock.sleep(INSIST_GRACE_MS)]).then(leave);
      }
    },
    forget: () => forget?.(),
  };
}
