/** `talaria plugins`: what extends Talaria, and whether it may. */
import type { Command } from "commander";
import { addExamples, type CliContext, type Register } from "../command.js";
import type { EnableOptions } from "./plugins-change.js";

export const register: Register = (command, context) => {
  command.description(
    "A plugin is a folder in plugins/ with a plugin.yaml and a TypeScript or JavaScript module. It runs in a process " +
      "beside Talaria, after you enabled it, and never before. One that breaks is set aside, with its name and the reason.",
  );
  registerLooks(command, context);
  registerChanges(command, context);
  addExamples(command, [
    ["talaria plugins new greeter", "write a small plugin to begin with"],
    ["talaria plugins enable greeter", "try it, and let it run from the next start on"],
    ["talaria plugins doctor", "load each enabled one, and say what is wrong"],
  ]);
};

function registerLooks(command: Command, context: CliContext): void {
  const list = command
    .command("list")
    .summary("list the plugins there are")
    .description("List the plugins in the home's folder plugins/, and whether they run.")
    .action(async () => (await import("./plugins-view.js")).list(context));
  const show = command
    .command("show")
    .summary("show one plugin: what it registers, what is wrong")
    .description("Show a plugin: its manifest, what it registered when it was last loaded, and what is wrong with it.")
    .argument("<plugin>", "its name")
    .action(async (name: string) => (await import("./plugins-view.js")).show(context, name));
  const doctor = command
    .command("doctor")
    .summary("load plugins and say what is wrong")
    .description(
      "Load each enabled plugin, or the named one, in a process of its own, and say what it registers or why it cannot " +
        "be loaded. Changes nothing. Ends with 1 when one is broken.",
    )
    .argument("[plugin]", "its name; also one that is not enabled")
    .action(async (name: string | undefined) => (await import("./plugins-doctor.js")).examine(context, name));
  addExamples(list, [["talaria plugins list --json", "for a program"]]);
  addExamples(show, [["talaria plugins show greeter", "what it may do, and what is wrong with it"]]);
  addExamples(doctor, [["talaria plugins doctor greeter", "while you write it"]]);
}

function registerChanges(command: Command, context: CliContext): void {
  const enable = command
    .command("enable")
    .summary("let a plugin run")
    .description(
      "Load a plugin once, and when that works let it run from the next start on. Its code can do whatever you can: " +
        "enable what you trust. Also brings back one that was set aside.",
    )
    .argument("<plugin>", "its name")
    .option("--trust", "the model may use its tools without asking you first")
    .action(async (name: string, options: EnableOptions) =>
      (await import("./plugins-change.js")).enable(context, name, options),
    );
  addExamples(enable, [["talaria plugins enable greeter --trust", "and never ask before its tools run"]]);
  const disable = command
    .command("disable")
    .summary("keep a plugin from running")
    .description("Keep a plugin from running, from the next start on. Its folder and what it stored stay.")
    .argument("<plugin>", "its name")
    .action(async (name: string) => (await import("./plugins-change.js")).disable(context, name));
  const create = command
    .command("new")
    .summary("write a small plugin to begin with")
    .description(
      "Write plugins/NAME/ with a manifest, a module with a hook, a tool and a command, and the types of the API.",
    )
    .argument("<name>", "lower-case letters, digits and -")
    .action(async (name: string) => (await import("./plugins-change.js")).create(context, name));
  addExamples(disable, [["talaria plugins disable greeter", "it does not run from the next start on"]]);
  addExamples(create, [["talaria plugins new greeter", "then: talaria plugins enable greeter"]]);
}
