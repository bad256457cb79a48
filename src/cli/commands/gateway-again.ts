/**
 * A gateway that was started by hand and is told to restart has nobody who would start it again: its process does so, and
 * stays to do it as often as it is wanted. The terminal, its Ctrl-C and the exit code remain those of one command.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { HOST_VARIABLES, LASTING_FLAGS } from "#base/host-memory.js";
import { packageRoot } from "#base/package-root.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";

/** A client may have started a host of its own in between; it steps aside when it has nothing to do. */
const LOCKED_TRIES_MAX = 30;
const LOCKED_WAIT_MS = 2_000;
/** As in HOST_EXIT. */
const RESTART = 75;

export async function runAgain(context: CliContext): Promise<number> {
  for (let locked = 0; ; ) {
    const code = await runOnce(context);
    if (code === RESTART) locked = 0;
    else if (code === EXIT.locked && locked++ < LOCKED_TRIES_MAX) await context.clock.sleep(LOCKED_WAIT_MS);
    else return code;
  }
}

function runOnce({ home, env, out }: CliContext): Promise<number> {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  const args = [...LASTING_FLAGS, launcher, "--home", home.root, ...(out.json ? ["--json"] : []), "gateway", "run"];
  const child = spawn(process.execPath, args, {
    env: { ...HOST_VARIABLES, ...env, TALARIA_SUPERVISED: "1" },
    stdio: "inherit",
  });
  // Ctrl-C reaches the child from the terminal; what is sent to this process alone is handed on.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const stay = (): void => undefined;
  process.on("SIGTERM", pass);
  process.on("SIGHUP", pass);
  process.on("SIGINT", stay);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", pass);
      process.off("SIGHUP", pass);
      process.off("SIGINT", stay);
      resolve(code ?? (signal === null ? EXIT.failed : EXIT.interrupted));
    });
  });
}
