/** Starts the runtime for a chat: this process takes the home's lock. */
import { setFlagsFromString } from "node:v8";
import type { StartedRuntime } from "#app/start-runtime.js";
import type { SessionStart } from "#session/verbs/intake.js";
import type { CliContext } from "../command.js";
import { takingHome } from "../home-lock.js";
import type { ChatOptions } from "./options.js";
import type { ChatParts } from "./talk.js";
import { CLI_PLATFORM } from "./target.js";

export async function startChat(
  context: CliContext,
  options: ChatOptions,
  cwd: string,
): Promise<Omit<ChatParts, "display">> {
  // A chat makes little garbage and may stand for days: a nursery that does not grow keeps some 10 MB from it.
  setFlagsFromString("--semi-space-growth-factor=1");
  const started = await startRuntime(context, options, cwd);
  const isModelChosen = options.model !== undefined;
  const { label } = started.model;
  const start: SessionStart = {
    source: CLI_PLATFORM,
    model: label,
    cwd,
    ...(isModelChosen ? { settings: { model: label } } : {}),
  };
  return { context, started, start, isModelChosen };
}

async function startRuntime(context: CliContext, options: ChatOptions, cwd: string): Promise<StartedRuntime> {
  const home = context.prepareHome();
  const [app, config, log] = await Promise.all([
    import("#app/start-runtime.js"),
    context.config(),
    context.log("chat"),
  ]);
  const { clock, version, env } = context;
  const model = options.model === undefined ? {} : { model: options.model };
  const wish = { home, clock, version, env, config, log, cwd, ...model, isYolo: options.yolo === true };
  return takingHome(context, () => app.startRuntime(wish));
}
