/** `talaria import`: history of other programs. */
import { addExamples, type Register } from "../command.js";
import type { HermesCommandOptions } from "./import-hermes.js";

export const register: Register = (command, context) => {
  command.description("Bring history over from another program. The other program's files are only read.");
  const hermes = command
    .command("hermes")
    .summary("import sessions, messages and routes of hermes-agent")
    .description(
      "Import every session, message and route of hermes-agent, with ids, times, tool calls and lineage. Its files " +
        "are only read, also while it runs. A second run adds what is new.",
    )
    .argument("[dir]", "its folder (else HERMES_HOME, else ~/.hermes)")
    .option("--dry-run", "say what would come in, and write nothing")
    .action(async (dir: string | undefined, options: HermesCommandOptions) =>
      (await import("./import-hermes.js")).importHermesHome(context, dir, options),
    );
  addExamples(hermes, [
    ["talaria import hermes --dry-run", "look first"],
    ["talaria import hermes", "from ~/.hermes"],
    ["talaria import hermes /mnt/old/.hermes --json", "from elsewhere, for a program"],
  ]);
  addExamples(command, [["talaria import hermes", "from ~/.hermes"]]);
};
