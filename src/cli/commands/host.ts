/** `talaria host`: the process that owns the home, looked at, started and stopped. */
import { InvalidArgumentError } from "commander";
import { addExamples, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command.description(
    "One process has the home and runs everything; terminals, pages and editors are its clients. It is started by whoever " +
      "needs it and goes away by itself, so you rarely need these commands.",
  );
  command
    .command("status")
    .summary("is it running, and how is it?")
    .description("Show whether a host runs in this home and what it does. Ends with 3 when none runs, 1 when it hangs.")
    .action(async () => (await import("./host-status.js")).showStatus(context));
  command
    .command("start")
    .summary("start it, if it does not run")
    .description("Start the host in the background. It stays as long as somebody needs it (host.linger_seconds).")
    .action(async () => (await import("./host-start.js")).start(context));
  command
    .command("stop")
    .summary("stop it; what was cut goes on later")
    .description(
      "Ask the host to stop: running turns get host.drain_seconds, then they are cut and go on with the next start. " +
        "Nothing that was said is lost.",
    )
    .option("--force", "end it also when it does not answer")
    .option("--drain <seconds>", "how long running turns get", parseSeconds)
    .action(async (options) => (await import("./host-stop.js")).stop(context, options));
  command
    .command("restart")
    .summary("stop it and start it again")
    .description("Stop the host and start it again, with the settings and the program as they are now.")
    .option("--reset", "forget earlier crashes, which ends safe mode")
    .option("--force", "end it also when it does not answer")
    .option("--drain <seconds>", "how long running turns get", parseSeconds)
    .action(async (options) => (await import("./host-start.js")).restart(context, options));
  const run = command
    .command("run")
    .summary("run it here, in the foreground")
    .description(
      "Run the host in this process until it is stopped: for supervisors, and what clients start by themselves.",
    )
    .option("--stay", "stay also when nobody needs it")
    .action(async (options) => (await import("./host-run.js")).run(context, options));
  addExamples(run, [
    ["talaria host run", "until nobody needs it; Ctrl-C stops it"],
    ["talaria host run --stay", "under systemd, or in a container"],
  ]);
  addExamples(command, [
    ["talaria host status", "is it running, and how is it?"],
    ["talaria host restart", "after an update, or new variables"],
    ["talaria host stop --force", "when it does not answer"],
    ["talaria host run --stay", "under systemd"],
  ]);
};

const DRAIN_S_MAX = 3_600;

function parseSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= DRAIN_S_MAX)) throw new InvalidArgumentError(`expected 0 to ${DRAIN_S_MAX}`);
  return seconds;
}
