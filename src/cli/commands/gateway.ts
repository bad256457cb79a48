/** `talaria gateway`: the host with its platforms, run, looked at, stopped and installed. */
import { InvalidArgumentError } from "commander";
import { addExamples, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command.description(
    "Let people write to the agent from messaging platforms. Which ones is said in config.yaml under `platforms`; what is " +
      "written while nothing runs waits with the platform, and is answered once.",
  );
  command
    .command("run")
    .summary("run it here, in the foreground")
    .description(
      "Run the host of this home with its platforms until it is stopped. Ctrl-C lets running turns finish " +
        "(gateway.drain_seconds); a second one cuts them, and they go on with the next start.",
    )
    .option("--reset", "forget earlier crashes, which ends safe mode")
    .action(async (options) => (await import("./gateway-run.js")).run(context, options));
  command
    .command("status")
    .summary("which platforms are up, and what is owed?")
    .description(
      "Show whether the gateway runs, how each platform stands, what waits to be sent and who waits to be let in. Ends " +
        "with 3 when it does not run, 1 when a platform is not up.",
    )
    .action(async () => (await import("./gateway-status.js")).showStatus(context));
  command
    .command("check")
    .summary("is the configuration of the platforms right?")
    .description("Look at `platforms` in the settings and tell every mistake, without connecting anywhere.")
    .action(async () => (await import("./gateway-check.js")).check(context));
  command
    .command("stop")
    .summary("stop it; what was cut goes on later")
    .description(
      "Ask the gateway to stop: running turns get gateway.drain_seconds. What is written meanwhile is stored, or waits with " +
        "its platform, and is answered after the next start.",
    )
    .option("--force", "end it also when it does not answer")
    .option("--drain <seconds>", "how long running turns get", parseSeconds)
    .action(async (options) => (await import("./gateway-stop.js")).stop(context, options));
  command
    .command("restart")
    .summary("stop it and have it started again")
    .description("Stop the gateway and have it started again, with the settings and the program as they are now.")
    .option("--drain <seconds>", "how long running turns get", parseSeconds)
    .action(async (options) => (await import("./gateway-stop.js")).restart(context, options));
  addUnitCommands(command, context);
  addConsole(command, context);
  addExamples(command, [
    ["talaria gateway check", "is the configuration right?"],
    ["talaria gateway run", "until Ctrl-C"],
    ["talaria gateway console", "in a second terminal, to try it"],
    ["talaria gateway install", "to have it always"],
    ["talaria gateway status", "how is it?"],
  ]);
};

const addUnitCommands: Register = (command, context) => {
  command
    .command("install")
    .summary("write a systemd unit that keeps it running")
    .description(
      "Write a unit for this person's systemd, so that the gateway starts with the machine and again after a failure. " +
        "Nothing is started; what to run next is printed.",
    )
    .option("--print", "show the unit and write nothing")
    .option("--force", "write it over a unit that was changed by hand")
    .action(async (options) => (await import("./gateway-install.js")).install(context, options));
  command
    .command("uninstall")
    .summary("remove that unit")
    .description("Remove the unit that `install` wrote. A gateway that runs goes on until it is stopped.")
    .option("--force", "also when it was changed by hand")
    .action(async (options) => (await import("./gateway-install.js")).uninstall(context, options));
};

const addConsole: Register = (command, context) => {
  command
    .command("console")
    .summary("write to it as somebody on the console platform")
    .description(
      "A chat with the console platform of a gateway that runs, as people on other platforms have theirs. A gateway that " +
        "goes away is waited for. Say /quit to leave.",
    )
    .option("--as <name>", "who writes", "me")
    .option("--chat <id>", "in which chat; with # in front it is a group; default: a direct one")
    .action(async (options) => (await import("./gateway-console.js")).run(context, options));
};

const DRAIN_S_MAX = 3_600;

function parseSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= DRAIN_S_MAX)) throw new InvalidArgumentError(`expected 0 to ${DRAIN_S_MAX}`);
  return seconds;
}
