/** `talaria gateway`: the host with its platforms, run, looked at, stopped and installed. */
import { addExamples, type Register } from "../command.js";

export const register: Register = (command, context) => {
  command.description(
    "Let people write to the agent from messaging platforms. Which ones is said in config.yaml under `platforms`; what is " +
      "written while nothing runs waits with the platform, and is answered once.",
  );
  const run = command
    .command("run")
    .summary("run it here, in the foreground")
    .description(
      "Run the host of this home with its platforms until it is stopped. Ctrl-C lets running turns finish " +
        "(gateway.drain_seconds); a second one cuts them, and they go on with the next start.",
    )
    .action(async () => (await import("./gateway-run.js")).run(context));
  addExamples(run, [
    ["talaria gateway run", "until Ctrl-C"],
    ["talaria gateway install", "to have it always: a systemd unit"],
  ]);
};
