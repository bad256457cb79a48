/** The commander program: global options, help that fits 80 columns, and commands loaded when needed. */
import { Command } from "commander";
import type { CliContext, CommandEntry } from "./command.js";
import { COMMANDS, HELP_GROUP } from "./command-table.js";
import { terminalColumns } from "./output.js";
import { createPaint, wantsColor } from "./paint.js";

const HELP_COLUMNS_MAX = 100;

export interface GlobalOptions {
  readonly home?: string;
  readonly json?: boolean;
  readonly color: boolean;
}

export function createProgram(version: string): Command {
  const program = new Command("talaria");
  program
    .description("A self-hosted AI agent whose conversations are never lost.")
    .usage("[options] [command]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .commandsGroup(HELP_GROUP)
    .helpCommand("help [command]", "show help for a command")
    .option("--home <dir>", "where everything is kept (else TALARIA_HOME, else ~/.talaria)")
    .option("--json", "print one JSON document, for programs")
    .option("--no-color", "no colours (also NO_COLOR)")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(HELP_COLUMNS_MAX, terminalColumns(process.stdout.columns)),
      getErrHelpWidth: () => Math.min(HELP_COLUMNS_MAX, terminalColumns(process.stderr.columns)),
    })
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => helpPaint(program).bold(title) })
    .addHelpText("after", ROOT_EXAMPLES);
  return program;
}

/** Registers every command; only `selected` (or all) gets its options and actions, the rest a summary. */
export async function addCommands(
  program: Command,
  context: CliContext,
  isSelected: (entry: CommandEntry) => boolean,
): Promise<void> {
  for (const entry of COMMANDS) {
    const command = program.command(entry.name, { hidden: entry.group === undefined });
    // `talaria help NAME` does the same without a line in every list of subcommands.
    command.summary(entry.summary).description(sentence(entry.summary)).helpCommand(false);
    if (entry.group !== undefined) command.helpGroup(entry.group);
    if (isSelected(entry)) (await entry.load()).register(command, context);
    // A bare group is a question about it, as bare `talaria` is.
    else command.allowUnknownOption().allowExcessArguments();
  }
}

const ROOT_EXAMPLES = `
Examples:
  talaria                          chat, line by line
  talaria chat -q "what is new?"   one answer for the shell
  talaria import hermes            bring your history from hermes-agent
  talaria sessions list            what you talked about last
  talaria sessions search "timer"  and where you talked about it
  talaria help config              what a command can do

Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 locked by another host,
5 storage problem, 6 waits for an answer, 130 interrupted.`;

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function helpPaint(program: Command) {
  const { color } = program.opts<GlobalOptions>();
  return createPaint(wantsColor("auto", { flag: color, env: process.env, isTerminal: process.stdout.isTTY === true }));
}
