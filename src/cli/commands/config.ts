/** `talaria config`: looks at the settings and changes them. Works with a broken file, since it repairs them. */
import { Argument, type Command } from "commander";
import { addExamples, type CliContext, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command.description(
    "Show, change and check the settings. A value comes from the environment, else from .env, else from " +
      "config.yaml, else it is the default.",
  );
  registerReading(command, context);
  registerWriting(command, context);
  addExamples(command, [
    ["talaria config show", "every setting, and where it comes from"],
    ["talaria config set logs.level debug", "change one; comments in the file stay"],
    ["talaria config keys", "what can be set"],
    ["talaria config check", "find mistakes, with line and column"],
  ]);
};

function registerReading(command: Command, context: CliContext): void {
  const show = command
    .command("show")
    .summary("show every setting and where it comes from")
    .description("Show every setting and where it comes from. Secrets are not shown.")
    .addArgument(new Argument("[key]", "only this key, or the keys below this group"))
    .option("--changed", "only settings that differ from the default")
    .action(async (key: string | undefined, { changed }: { changed?: boolean }) => {
      const { showConfig } = await import("./config-view.js");
      showConfig(context, { ...(key === undefined ? {} : { below: key }), changedOnly: changed === true });
    });
  addExamples(show, [
    ["talaria config show gateway", "one group"],
    ["talaria config show --changed", "what you have set"],
  ]);

  const get = command
    .command("get")
    .summary("print the value of one key")
    .description("Print the value of one key, ready for a script. A missing variable that it names is an error.")
    .argument("<key>", "for example logs.level")
    .action(async (key: string) => (await import("./config-view.js")).getKey(context, key));
  addExamples(get, [["talaria config get gateway.reset.mode", "for example: none"]]);

  const keys = command
    .command("keys")
    .summary("list every key with its type, default and meaning")
    .description("List every key that can be set, what it takes, its default and its meaning.")
    .action(async () => (await import("./config-view.js")).listKeys(context));
  addExamples(keys, [["talaria config keys --json", "also with the names of the variables"]]);

  const path = command
    .command("path")
    .summary("print where config.yaml is")
    .description("Print where config.yaml is, whether or not it exists.")
    .action(() => {
      const { config, env } = context.home;
      if (context.out.json) context.out.document({ config, env });
      else context.out.line(config);
    });
  addExamples(path, [['cat "$(talaria config path)"', "read the file"]]);

  const check = command
    .command("check")
    .summary("check the files and report mistakes")
    .description("Check config.yaml, .env and the environment. Ends with 1 when something is wrong.")
    .action(async () => (await import("./config-view.js")).checkConfig(context));
  addExamples(check, [["talaria config check && echo fine", "in a script"]]);
}

function registerWriting(command: Command, context: CliContext): void {
  const set = command
    .command("set")
    .summary("set one key in config.yaml")
    .description("Set one key in config.yaml. The value is checked first; everything else in the file stays.")
    .argument("<key>", "for example logs.level")
    .argument("<value>", "a YAML value; text needs no quotes")
    .action(async (key: string, value: string) => (await import("./config-change.js")).setValue(context, key, value));
  addExamples(set, [
    ["talaria config set display.time absolute", "dates, not `3 h ago`"],
    [`talaria config set backup.dir '\${BACKUPS}'`, "a variable, read when used"],
    ["talaria config set backup.dir -- -odd", "`--` before a leading dash"],
  ]);

  const unset = command
    .command("unset")
    .summary("remove one key from config.yaml")
    .description("Remove one key from config.yaml, so that its default applies.")
    .argument("<key>", "for example logs.level")
    .action(async (key: string) => (await import("./config-change.js")).unsetValue(context, key));
  addExamples(unset, [["talaria config unset logs.level", "back to the default"]]);

  const edit = command
    .command("edit")
    .summary("open config.yaml in your editor, then check it")
    .description(
      "Open a copy of config.yaml in $VISUAL or $EDITOR (else vi). It takes the file's place when it is right; " +
        "otherwise you choose.",
    )
    .action(async () => (await import("./config-change.js")).editConfig(context));
  addExamples(edit, [["EDITOR=nano talaria config edit", "with another editor"]]);
}
