/**
 * How a command is written. A command is one file `src/cli/commands/NAME.ts` that exports `register`, plus
 * one line in `command-table.ts`:
 *
 *     export const register: Register = (command, context) => {
 *       command.argument("<session>", "id, unique prefix or title").action(async (session: string) => {
 *         const home = context.prepareHome(); // or context.home, when it only reads
 *         const { openStore } = await import("#app/open-store.js"); // heavy parts load when they are used
 *         const found = await …;
 *         if (!found) throw new UserError(`no session matches ${session}`, "talaria sessions list shows them", EXIT["not-found"]);
 *         if (context.out.json) return context.out.document({ session: found });
 *         context.out.table(columns, rows, "No sessions yet.");
 *       });
 *       addExamples(command, [["talaria sessions show 7h3k", "read one"]]);
 *     };
 *
 * - `command` is the command itself, already named and described; add arguments, options, subcommands.
 *   An argument called `<session>` or `<key>` is completed by the shell (see `completion-kinds.ts`).
 * - `--home`, `--json` and `--no-color` are global and arrive through the context; never declare them again.
 * - Failures are thrown: UserError for a person's mistake, OperationalError for an outage. `main` prints them
 *   and chooses the exit code. An action never calls process.exit and never writes to process.stdout itself.
 * - Long work watches `context.signal`: it aborts on Ctrl-C, and a moment later the process ends with 130. Work that has
 *   an end of its own for Ctrl-C takes it with `context.takeInterrupts`.
 */
import type { Command } from "commander";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { pad, textWidth } from "#base/text-width.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { ExitCode } from "./exit-codes.js";
import type { Output } from "./output.js";

export type Register = (command: Command, context: CliContext) => void;

export interface CommandModule {
  readonly register: Register;
}

export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** The heading it stands under in `talaria --help`; hidden commands have none. */
  readonly group?: string;
  readonly load: () => Promise<CommandModule>;
}

/** What every command gets. Valid inside an action: the global options are read by then. */
export interface CliContext {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and when the reader of stdout has gone. */
  readonly signal: AbortSignal;
  readonly out: Output;
  /** Where everything is. Touches no disk: the home may not exist. */
  readonly home: HomePaths;
  /** The same, after making missing folders; for commands that write. */
  prepareHome(): HomePaths;
  /** The settings; warnings are printed once. A UserError with file, line and column when they are wrong. */
  config(): Promise<LoadedConfig>;
  /** Appends to `logs/talaria.log`. */
  log(component: string): Promise<Logger>;
  /** Runs `act` while another program has the terminal, so that Ctrl-C there does not end this one. */
  withoutInterrupts<T>(act: () => Promise<T>): Promise<T>;
  /** What Ctrl-C would mean from here on, told when it comes: what is kept, and what to do next. */
  ifInterrupted(meaning: string): void;
  /**
   * The first Ctrl-C from here on calls `act` and ends nothing; a second one, or `graceMs` after the first, ends the
   * process at once: as soon as what `act` returned has come true, and after a moment whether it has or not. Until the
   * returned function is called.
   */
  takeInterrupts(act: () => unknown, graceMs: number): () => void;
  /** Does what Ctrl-C does: for a prompt, where it is a key and not a signal. */
  interrupt(): void;
  /** The exit code of a command that comes to its end without a failure; 0 unless told. */
  exitWith(code: ExitCode): void;
  /** The whole command tree, every command loaded: for completion. */
  fullProgram(): Promise<Command>;
}

export type Example = readonly [commandLine: string, meaning: string];

/** Examples at the end of `--help`, aligned. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  const widest = Math.max(...examples.map(([line]) => textWidth(line)));
  const lines = examples.map(([line, meaning]) => `  ${pad(line, widest)}  ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}
