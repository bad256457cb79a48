/** The plugins: which are enabled, which do not run and why. Nothing of a plugin is run: that is `talaria plugins doctor`. */
import { UserError } from "#base/errors.js";
import { type Examination, type ExamineRequest, fail, failure, ok, warn } from "./doctor-finding.js";
import { listPlugins, type PluginView } from "./plugin-acts.js";

export async function* examinePlugins(request: ExamineRequest): AsyncGenerator<Examination> {
  let plugins: readonly PluginView[];
  try {
    plugins = (await listPlugins(request.home)).filter(({ isEnabled }) => isEnabled);
  } catch (error) {
    yield error instanceof UserError
      ? fail("plugins", error.message, error.hint)
      : failure("plugins", request.home.plugins, error);
    return;
  }
  const running = plugins.filter(({ standing }) => standing === "enabled");
  if (plugins.length === 0) yield ok("plugins", "none is enabled");
  else if (running.length > 0) {
    yield ok("plugins", `${running.length} of ${plugins.length} enabled ones ${running.length === 1 ? "runs" : "run"}`);
  }
  for (const plugin of plugins) yield* examineOne(plugin);
}

function* examineOne({ name, standing, problems, strikes }: PluginView): Generator<Examination> {
  if (standing !== "enabled") {
    const why = standing === "set-aside" ? `was set aside: ${problems[0]}` : `does not run: ${problems[0]}`;
    yield warn("plugins", `${name} ${why}`, `correct it, then talaria plugins enable ${name}; or disable it`);
    return;
  }
  for (const problem of problems) yield warn("plugins", `${name}: ${problem}`, `talaria plugins show ${name}`);
  if (strikes > 0)
    yield warn("plugins", `${name} broke the plugin host (${strikes})`, "talaria logs --component plugin");
}
