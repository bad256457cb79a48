/** `talaria host run`: this process becomes the host. */
import type { CliContext } from "../command.js";

export interface RunOptions {
  readonly stay?: boolean;
}

export async function run(context: CliContext, options: RunOptions): Promise<void> {
  const home = context.prepareHome();
  const [{ runHost }, config, log] = await Promise.all([
    import("#app/host/run-host.js"),
    context.config(),
    context.log("host"),
  ]);
  const { clock, version, env, out } = context;
  if (process.stdout.isTTY === true) out.note(`The host of ${home.root} runs here; Ctrl-C stops it.`);
  // The host has its own way to end, with its own limit; the one of short commands would cut it off.
  const code = await context.withoutInterrupts(() =>
    runHost({
      home,
      clock,
      version,
      env,
      config,
      log,
      stays: options.stay === true,
      exit: (early) => process.exit(early),
    }),
  );
  // Everything is stored and closed. A line to a client that does not hang up must not keep the process.
  process.exit(code);
}
