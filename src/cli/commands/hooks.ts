/** `talaria hooks`: commands that hear of what happens and may step in; who may run, and how they fare. */
import { addExamples, type Register } from "../command.js";
import type { ChooseOptions, ListOptions, TestOptions } from "./hooks-run.js";

export const register: Register = (command, context) => {
  command.description(
    "Hooks are commands of yours, named in config.yaml, that hear of what happens and may step in. None runs before you " +
      "allowed it, for that event and that command line.",
  );
  const list = command
    .command("list")
    .summary("the configured hooks, and how they fare")
    .description("The configured hooks: what they hear, whether they may run, and whether they fail.")
    .option("--events", "every event there is, instead")
    .action(async (options: ListOptions) => (await import("./hooks-run.js")).listHooks(context, options));
  const allow = command
    .command("allow")
    .summary("let a hook run")
    .description("Let a configured hook run from the next start on. A command line that is changed asks again.")
    .argument("[hook]", "its name, or the end of it, as the list shows it")
    .option("--all", "every configured hook")
    .action(async (hook: string | undefined, options: ChooseOptions) =>
      (await import("./hooks-run.js")).allowHook(context, hook, options),
    );
  const revoke = command
    .command("revoke")
    .summary("take that back")
    .description("Take leave back: the hook does not run from the next start on.")
    .argument("[hook]", "its name, or the end of it, as the list shows it")
    .option("--all", "of every hook, also of those no longer configured")
    .action(async (hook: string | undefined, options: ChooseOptions) =>
      (await import("./hooks-run.js")).revokeHook(context, hook, options),
    );
  const test = command
    .command("test")
    .summary("run the hooks of an event once")
    .description("Run the allowed hooks of an event once, with made-up values, and show what they answer.")
    .argument("<event>", "as in the configuration: on_session_end, pre_tool_call")
    .option("--payload <json>", "values in place of the made-up ones")
    .action(async (event: string, options: TestOptions) =>
      (await import("./hooks-run.js")).testHooks(context, event, options),
    );
  addExamples(list, [["talaria hooks list --events", "what can be heard"]]);
  addExamples(allow, [
    ["talaria hooks allow 3f2a90c1", "the one whose name ends so"],
    ["talaria hooks allow --all", "all that are configured"],
  ]);
  addExamples(revoke, [["talaria hooks revoke 3f2a90c1", "it does not run any more"]]);
  addExamples(test, [
    ["talaria hooks test on_session_end", "does it work?"],
    [`talaria hooks test pre_tool_call --payload '{"args":{}}'`, "would it block?"],
  ]);
  addExamples(command, [
    ["talaria hooks list", "what is configured, and may it run?"],
    ["talaria hooks allow --all", "let them run"],
    ["talaria hooks test on_session_end", "try one out"],
  ]);
};
