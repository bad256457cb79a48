/** `talaria sessions export`: the command line; the work is loaded when it is called. */
import { type Command, Option } from "commander";
import { addExamples, type CliContext } from "../command.js";
import type { ExportCommandOptions } from "./sessions-export-run.js";

export function registerExport(sessions: Command, context: CliContext): void {
  const command = sessions
    .command("export")
    .summary("write sessions to a file, to keep, read or move them")
    .description(
      "Write sessions as jsonl (lossless, can be imported again), md (to read) or html (one file for a browser), to " +
        "stdout, to a file or, one file each, to a folder.",
    )
    .argument("[session...]", "ids, beginnings of ids, or titles (in quotes)")
    .option("--all", "every session, archived and delegated ones too")
    .addOption(new Option("--format <format>", "what to write").choices(["jsonl", "md", "html"]).default("jsonl"))
    .option("--source <name>", "with --all, only from here: cli, telegram, …")
    .option("-o, --output <path>", "a file, or a folder for one file each")
    .option("--redact", "take out secrets such as keys and passwords")
    .option("--with-superseded", "in md and html also what was undone")
    .action(async (names: string[], options: ExportCommandOptions) =>
      (await import("./sessions-export-run.js")).exportSessions(context, names, options),
    );
  addExamples(command, [
    ["talaria sessions export --all -o all.jsonl", "everything, to keep"],
    ["talaria sessions export 7h3k --format md | less", "read one"],
    ["talaria sessions export --all --format html -o out/", "a page for each"],
    ["talaria sessions export 7h3k --redact -o x.jsonl", "to hand to somebody"],
  ]);
}
