/** `talaria host run`: this process becomes the host. */
import { OperationalError, UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";

/** For what is told of a start that failed; then the process ends, whatever it has open. */
const LEAVE_AFTER_MS = 500;

export interface RunOptions {
  readonly stay?: boolean;
}

export async function run(context: CliContext, options: RunOptions): Promise<void> {
  try {
    await serve(context, options);
  } catch (error) {
    await noteFailure(context, error);
    // A thread that still runs must not keep a process that holds the home and serves nobody.
    context.clock.after(LEAVE_AFTER_MS, () => process.exit(process.exitCode ?? EXIT.failed));
    throw error;
  }
}

/** Nobody may be there to read what is thrown. The settings are not asked: they may be what is wrong. */
export async function noteFailure({ home, clock }: CliContext, error: unknown): Promise<void> {
  if (!(error instanceof OperationalError || error instanceof UserError)) return;
  const { createLogger } = await import("#base/log.js");
  const log = createLogger({ path: home.logFile, clock }).child({ component: "host" });
  const fields = { pid: process.pid, reason: error.message };
  // Several clients that start one at once: all but one find it taken.
  if (error instanceof OperationalError && error.code === "home-locked") log.info("the home is taken", fields);
  else log.error("the host could not be started", fields);
}

async function serve(context: CliContext, options: RunOptions): Promise<void> {
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
