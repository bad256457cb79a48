/** `talaria plugins list` and `show`. */
import { listPlugins, type PluginView, showPlugin } from "#app/plugin-acts.js";
import { visible } from "#base/text-width.js";
import type { CliContext } from "../command.js";
import { wrapText } from "./sessions-wrap.js";

export async function list(context: CliContext): Promise<void> {
  const plugins = await listPlugins(context.home);
  const { out } = context;
  if (out.json) return out.document({ plugins: plugins.map(pluginDocument) });
  const empty = `No plugins. talaria plugins new NAME writes one into ${context.home.plugins}.`;
  out.table<PluginView>(
    [
      { title: "PLUGIN", value: ({ name }) => name },
      { title: "STATE", value: stateWords, paint: (text, { standing }) => paintState(out, standing, text) },
      { title: "VERSION", value: ({ manifest }) => manifest?.version ?? "" },
      { title: "ABOUT", value: ({ manifest, problems }) => problems[0] ?? manifest?.description ?? "", flexible: true },
    ],
    plugins,
    empty,
  );
}

export async function show(context: CliContext, name: string): Promise<void> {
  const plugin = await showPlugin(context.home, name);
  const { out } = context;
  if (out.json) return out.document({ plugin: pluginDocument(plugin) });
  for (const line of card(plugin, out.columns)) out.line(line);
}

const LABEL_CELLS = 11;

/** What a person wants to know before they enable it, and after it broke. */
export function card(plugin: PluginView, columns: number): string[] {
  const { name, manifest, contribution, problems } = plugin;
  const rows: [string, string][] = [
    ["Plugin", manifest === undefined ? name : `${name} ${manifest.version}`],
    ["State", stateWords(plugin) + (plugin.isTrusted ? "; its tools run without asking" : "")],
  ];
  if (manifest !== undefined && manifest.description !== "") rows.push(["About", manifest.description]);
  if (manifest !== undefined) rows.push(["File", manifest.main]);
  rows.push(...registered(plugin));
  if (contribution === undefined && plugin.standing !== "broken")
    rows.push(["Registers", "not known before it is enabled"]);
  if (plugin.strikes > 0) rows.push(["Strikes", `${plugin.strikes}; three within an hour set it aside`]);
  for (const problem of problems) rows.push(["Problem", problem]);
  return rows.flatMap(([label, text]) => {
    const [first = "", ...rest] = wrapText(visible(text), columns - LABEL_CELLS);
    return [`${label.padEnd(LABEL_CELLS)}${first}`, ...rest.map((line) => `${" ".repeat(LABEL_CELLS)}${line}`)];
  });
}

/** What it registered; before that, what its manifest promises. */
function registered({ manifest, contribution }: PluginView): [string, string][] {
  const lists: [string, readonly string[] | undefined][] = [
    ["Hooks", contribution?.hooks ?? manifest?.hooks],
    ["Tools", contribution?.tools.map(({ name, effect }) => `${name} (${effect})`) ?? manifest?.tools],
    ["Commands", (contribution?.commands.map(({ name }) => name) ?? manifest?.commands)?.map((name) => `/${name}`)],
    ["Platforms", contribution?.platforms.map(({ name }) => name) ?? manifest?.platforms],
  ];
  return lists.flatMap(([label, names]) =>
    names === undefined || names.length === 0 ? [] : [[label, names.join(", ")] as [string, string]],
  );
}

const STATE_WORDS = {
  enabled: "enabled",
  disabled: "disabled",
  "set-aside": "set aside",
  broken: "broken",
} as const;

function stateWords({ standing }: PluginView): string {
  return STATE_WORDS[standing];
}

function paintState({ paint }: CliContext["out"], standing: PluginView["standing"], text: string): string {
  if (standing === "enabled") return paint.green(text);
  return standing === "disabled" ? paint.dim(text) : paint.red(text);
}

export function pluginDocument(plugin: PluginView): Readonly<Record<string, unknown>> {
  const { manifest, contribution } = plugin;
  return {
    name: plugin.name,
    state: plugin.standing,
    enabled: plugin.isEnabled,
    trusted: plugin.isTrusted,
    version: manifest?.version ?? null,
    description: manifest?.description ?? null,
    main: manifest?.main ?? null,
    strikes: plugin.strikes,
    problems: plugin.problems,
    registers:
      contribution === undefined
        ? null
        : {
            hooks: contribution.hooks,
            tools: contribution.tools.map(({ name, effect }) => ({ name, effect })),
            commands: contribution.commands.map(({ name }) => name),
            platforms: contribution.platforms.map(({ name }) => name),
          },
  };
}
