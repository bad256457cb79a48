/** What the running plugins offer, as the rest of the program takes it: hooks, tools, commands, platforms. */
import type { SlashCommand } from "#command/command.js";
import type { Hook } from "#hook/hook.js";
import type { PlatformKind } from "#platform/platform.js";
import type { Tool } from "#tool/tool.js";
import { asCommand } from "./as-commands.js";
import { asHook } from "./as-hooks.js";
import { asPlatformKind } from "./as-platforms.js";
import { asTool } from "./as-tools.js";
import type { CallPort } from "./call-port.js";
import type { PluginLimits } from "./limits.js";
import type { Roster } from "./roster.js";
import type { Contribution } from "./wire/frames.js";

export type PluginPlatformEntry = Contribution["platforms"][number] & { readonly plugin: string };

export interface Offers {
  readonly hooks: readonly Hook[];
  tools(): readonly Tool[];
  commands(): readonly SlashCommand[];
  platforms(): readonly PluginPlatformEntry[];
  /** Those that can be run. */
  kinds(): readonly PlatformKind[];
}

export function createOffers(roster: Roster, port: CallPort, limits: PluginLimits): Offers {
  const madeTools = new WeakMap<object, Tool>();
  const madeCommands = new WeakMap<object, SlashCommand>();
  return {
    hooks: roster.manifests.map(({ name }) =>
      asHook({ plugin: name, contribution: () => roster.member(name)?.contribution }, port),
    ),
    tools: () =>
      roster.members().flatMap(({ manifest, contribution, isTrusted }) => {
        const source = { plugin: manifest.name, isTrusted, limits };
        return contribution.tools.map((tool) => once(madeTools, tool, () => asTool(tool, source, port)));
      }),
    commands: () =>
      roster
        .members()
        .flatMap(({ manifest, contribution }) =>
          contribution.commands.map((one) => once(madeCommands, one, () => asCommand(one, manifest.name, port))),
        ),
    platforms: () =>
      roster
        .members()
        .flatMap(({ manifest, contribution }) =>
          contribution.platforms.map((platform) => ({ ...platform, plugin: manifest.name })),
        ),
    kinds: () =>
      roster
        .members()
        .flatMap(({ manifest, contribution }) =>
          contribution.platforms
            .filter(({ opens }) => opens === true)
            .map((platform) => asPlatformKind(platform, manifest.name, port)),
        ),
  };
}

/** Made once for each description: a schema is turned around once, not for every turn. */
function once<T extends object>(made: WeakMap<object, T>, key: object, make: () => T): T {
  let one = made.get(key);
  if (one === undefined) {
    one = make();
    made.set(key, one);
  }
  return one;
}
