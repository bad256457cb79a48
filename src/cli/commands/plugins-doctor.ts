/** `talaria plugins doctor`: loads plugins, each in a process of its own, and says what came of it. */
import { listPlugins, type PluginView, showPlugin, trial } from "#app/plugin-acts.js";
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";

interface Checked {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

export async function examine(context: CliContext, name: string | undefined): Promise<void> {
  const { out } = context;
  const plugins =
    name === undefined
      ? (await listPlugins(context.home)).filter(({ isEnabled }) => isEnabled)
      : [await showPlugin(context.home, name)];
  const checked: Checked[] = [];
  for (const plugin of plugins) {
    const one = await check(context, plugin);
    checked.push(one);
    const mark = one.ok ? out.paint.green("ok  ") : out.paint.red("FAIL");
    if (!out.json) out.line(`${mark}  ${one.name}: ${visible(one.text)}`);
  }
  const failed = checked.filter(({ ok }) => !ok);
  if (out.json) out.document({ plugins: checked, ok: failed.length === 0 });
  if (failed.length > 0) {
    throw new UserError(
      `${failed.length} of ${checked.length} plugins cannot be used`,
      "correct them and enable them again, or: talaria plugins disable NAME",
    );
  }
  if (!out.json && plugins.length === 0) out.line("No plugin is enabled. talaria plugins list shows what there is.");
}

async function check(context: CliContext, plugin: PluginView): Promise<Checked> {
  const { name, manifest, problems, standing } = plugin;
  if (manifest === undefined) return { name, ok: false, text: problems[0] ?? "it has no manifest" };
  const { home, clock, env } = context;
  const log = await context.log("plugin");
  const outcome = await trial({ home, clock, env, log }, manifest);
  if (outcome.kind === "failed") return { name, ok: false, text: outcome.reason };
  if (standing === "set-aside") {
    return {
      name,
      ok: false,
      text: `can be loaded, but was set aside: ${problems[0]}; talaria plugins enable ${name}`,
    };
  }
  const { hooks, tools, commands, platforms } = outcome.contribution;
  const counts = [
    [hooks.length, "hook"],
    [tools.length, "tool"],
    [commands.length, "command"],
    [platforms.length, "platform"],
  ] as const;
  const words = counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? "" : "s"}`);
  return { name, ok: true, text: words.length === 0 ? "loads, and registers nothing" : `loads: ${words.join(", ")}` };
}
