/** `talaria plugins enable`, `disable` and `new`. */
import { disablePlugin, enablePlugin } from "#app/plugin-acts.js";
import { writeTemplate } from "#app/plugin-template.js";
import type { CliContext } from "../command.js";
import { card, pluginDocument } from "./plugins-view.js";

export interface EnableOptions {
  readonly trust?: boolean;
}

const WHEN = "It counts from the next start on: talaria host restart, or of a gateway talaria gateway restart.";

export async function enable(context: CliContext, name: string, options: EnableOptions): Promise<void> {
  const { out, clock, env } = context;
  const home = context.prepareHome();
  const log = await context.log("plugin");
  const { plugin, outcome } = await enablePlugin({ home, clock, env, log }, name, options.trust === true);
  if (out.json) return out.document({ plugin: pluginDocument(plugin), outcome });
  for (const line of card(plugin, out.columns)) out.line(line);
  out.note(outcome === "unchanged" ? "It was enabled already." : WHEN);
}

export async function disable(context: CliContext, name: string): Promise<void> {
  const { out, clock, env } = context;
  const log = await context.log("plugin");
  const outcome = await disablePlugin({ home: context.home, clock, env, log }, name);
  if (out.json) return out.document({ name, outcome });
  out.line(outcome === "unchanged" ? `${name} was not enabled.` : `${name} is disabled. Its folder stays.`);
  if (outcome === "disabled") out.note(WHEN);
}

export async function create(context: CliContext, name: string): Promise<void> {
  const { out } = context;
  const folder = await writeTemplate(context.prepareHome().plugins, name);
  if (out.json) return out.document({ name, folder });
  out.line(`Wrote ${folder}.`);
  out.note(`Next: talaria plugins enable ${name}`);
}
