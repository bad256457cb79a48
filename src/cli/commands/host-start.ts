/** `talaria host start` and `restart`. */
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
  const { wasRunning } = await endHost(context, { ...options, reason: "restart" });
  if (options.reset === true) await (await import("#app/host/find-host.js")).forgetCrashes(home);
  await begin(context, wasRunning);
}

async function begin(context: CliContext, wasRunning: boolean): Promise<void> {
  const [{ hostWish }, { reachHost }] = await Promise.all([import("../host-wish.js"), import("#client/start-host.js")]);
  const { home, out } = context;
  const { line, hello } = await reachHost(hostWish(context, "talaria-cli"));
  line.close();
  if (out.json) return out.document({ started: true, restarted: wasRunning, pid: hello.pid, version: hello.version });
  out.line(`The host of ${home.root} ${wasRunning ? "runs again" : "runs"} (process ${hello.pid}).`);
}
