/** `talaria completion SHELL`: the script on stdout, written from the same table as the commands. */
import { Argument } from "commander";
import { addExamples, type Register } from "../command.js";
import { completionScript, SHELLS, type Shell } from "../completion-scripts.js";
import { completionPlaces } from "../completion-tree.js";

export const register: Register = (command, context) => {
  command
    .description("Print a completion script for your shell, on stdout. It needs no home and no settings.")
    .addArgument(new Argument("<shell>", "the shell to complete in").choices(SHELLS))
    .action(async (shell: Shell) => {
      const script = completionScript(shell, completionPlaces(await context.fullProgram()));
      if (context.out.json) context.out.document({ shell, script });
      else await context.out.write(script);
    });
  addExamples(command, [
    ["source <(talaria completion bash)", "now; put it into ~/.bashrc to keep it"],
    ["source <(talaria completion zsh)", "the same for ~/.zshrc"],
    ["talaria completion fish | source", "the same for fish"],
  ]);
};
