/** `talaria host start` and `restart`. */
import { UserError } from "#base/errors.js";
import type { CliContext } from "../command.js";
import { otherVariablesText } from "../other-variables.js";
import { endHost, type StopOptions } from "./host-stop.js";

export async function start(context: CliContext): Promise<void> {
  const home = context.prepareHome();
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind === "answers") {
    const { line, hello } = found.greeted;
    line.close();
    const { other_variables: others = [] } = hello;
    if (others.length > 0) context.out.warn(otherVariablesText(others));
    if (context.out.json) return context.out.document({ started: false, pid: hello.pid, version: hello.version });
    return context.out.line(`The host of ${home.root} runs already (process ${hello.pid}).`);
  }
  await begin(context, false);
}

export interface RestartOptions extends StopOptions {
  readonly reset?: boolean;
}

export async function restart(context: CliContext, options: RestartOptions): Promise<void> {
  const home = context.prepareHome();
  await checkSettings(context);
  if (await hasGateway(context)) {
    throw new UserError(
      "the gateway runs in this home; nothing was stopped",
      "talaria gateway restart starts it again with its platforms; talaria host stop ends it",
    );
  }
  const { wasRunning } = await endHost(context, { ...options, reason: "restart" });
  if (options.reset === true) await (await import("#app/host/find-host.js")).forgetCrashes(home);
  await begin(context, wasRunning);
}

async function begin(context: CliContext, wasRunning: boolean): Promise<void> {
  const [{ hostWish }, { reachHost }] = await Promise.all([import("../host-wish.js"), import("#client/start-host.js")]);
  const { home, out } = context;
  const { line, hello } = await reachHost(hostWish(context, "talaria-cli"));
  const { pages = null } = await line.call("host.status", {}).finally(() => line.close());
  const { pid, version } = hello;
  if (pages !== null && pages.error !== null) {
    out.warn(
      `port ${pages.port} is not open for pages and editors: ${pages.error}; talaria config set host.port NUMBER`,
    );
  }
  if (out.json) return out.document({ started: true, restarted: wasRunning, pid, version, pages });
  out.line(`The host of ${home.root} ${wasRunning ? "runs again" : "runs"} (process ${pid}).`);
  if (pages?.error === null)
    out.line(`Pages and editors: ${pages.address}:${pages.port}, with the token in run/token.`);
}

/** Started again from here it would come without its platforms. */
async function hasGateway(context: CliContext): Promise<boolean> {
  const { findHost } = await import("#app/host/find-host.js");
  const found = await findHost(context);
  if (found.kind !== "answers") return false;
  const { line } = found.greeted;
  return (await line.call("host.status", {}).finally(() => line.close())).gateway === true;
}

/** A host that runs goes on with the settings of its start; the next one could not be started with a mistake in them. */
async function checkSettings(context: CliContext): Promise<void> {
  try {
    await context.config();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${error.message}\nNothing was stopped: a host that runs goes on as before`, error.hint);
  }
}
