/** `talaria gateway stop` and `restart`. */
import { OperationalError, UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { endHost, endText, type StopOptions } from "./host-stop.js";

export async function stop(context: CliContext, options: StopOptions): Promise<void> {
  await requireGateway(context, options.force === true);
  const ended = await endHost(context, { ...options, reason: "stop" });
  if (context.out.json) return context.out.document(ended);
  context.out.line(ended.wasRunning ? endText(ended, "gateway") : `The gateway of ${context.home.root} does not run.`);
}

/** From the end of the old one to the first answer of the next; a supervisor may wait a moment before it starts it. */
const AGAIN_MS = 25_000;
const LOOK_EVERY_MS = 100;

export async function restart(context: CliContext, options: StopOptions): Promise<void> {
  // The next one could not be started with a mistake in the settings.
  await context.config();
  const pid = await requireGateway(context, false);
  if (pid === undefined) {
    throw new UserError(
      `the gateway of ${context.home.root} does not run`,
      "start it with: talaria gateway run",
      EXIT["not-found"],
    );
  }
  const ended = await endHost(context, { ...options, reason: "restart" });
  const next = await waitForNext(context, pid);
  if (next === undefined) {
    throw new OperationalError(
      "gateway-gone",
      "after-delay",
      `the gateway (process ${ended.pid}) has stopped, and nobody started it again; talaria gateway run does`,
    );
  }
  if (context.out.json) return context.out.document({ restarted: true, pid: next, previous: ended.pid });
  context.out.line(`The gateway of ${context.home.root} runs again (process ${next}).`);
}

/** Its process; undefined when nothing runs. A host without platforms is not this command's to stop. */
async function requireGateway(context: CliContext, isForced: boolean): Promise<number | undefined> {
  const { findHost, silentText } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind !== "answers") {
    if (found.kind !== "silent" || isForced) return undefined;
    const { text, hint } = silentText(found, context.home);
    throw new UserError(text, hint);
  }
  const { line } = found.greeted;
  const { gateway, pid } = await line.call("host.status", {}).finally(() => line.close());
  if (gateway === true) return pid;
  throw new UserError(
    `the gateway does not run; the host of ${context.home.root} (process ${pid}) has no platforms`,
    "talaria host stop ends that one",
    EXIT["not-found"],
  );
}

async function waitForNext(context: CliContext, previous: number): Promise<number | undefined> {
  const { findHost } = await import("#app/host/find-host.js");
  const { clock, signal } = context;
  const giveUpMs = clock.monotonicMs() + AGAIN_MS;
  while (clock.monotonicMs() < giveUpMs) {
    const found = await findHost(context);
    if (found.kind === "answers") {
      const { line, hello } = found.greeted;
      line.close();
      if (hello.pid !== previous) return hello.pid;
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return undefined;
}
