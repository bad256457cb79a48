/** The commands somebody has, in the shape of the wire protocol's `commands.catalog`. */
import { CATEGORIES, type SlashCommand, type Standing } from "./command.js";
import { availableCommands } from "./table.js";

/** A name with its slash, and one line about it. */
export type CataloguePair = readonly [name: string, description: string];

export interface Catalogue {
  readonly pairs: readonly CataloguePair[];
  /** Every name and alias to its name, all with their slash: a client finds the beginning of one in here. */
  readonly canon: Readonly<Record<string, string>>;
  /** Fixed words that may follow a name. */
  readonly sub: Readonly<Record<string, readonly string[]>>;
  readonly categories: readonly { readonly name: string; readonly pairs: readonly CataloguePair[] }[];
}

export function catalogue(standing: Standing): Catalogue {
  const commands = availableCommands(standing);
  return {
    pairs: commands.map(pairOf),
    canon: Object.fromEntries(
      commands.flatMap(({ name, aliases }) => [name, ...aliases].map((known) => [`/${known}`, `/${name}`])),
    ),
    sub: Object.fromEntries(
      commands.flatMap(({ name, arguments: words }) => (typeof words === "string" ? [] : [[`/${name}`, words]])),
    ),
    categories: CATEGORIES.map((name) => ({
      name,
      pairs: commands.filter(({ category }) => category === name).map(pairOf),
    })).filter(({ pairs }) => pairs.length > 0),
  };
}

function pairOf({ name, takes, summary, aliases }: SlashCommand): CataloguePair {
  const usage = takes === undefined ? "" : ` (usage: /${name} ${takes})`;
  const also = aliases.length === 0 ? "" : ` (alias: ${aliases.map((alias) => `/${alias}`).join(", ")})`;
  return [`/${name}`, `${summary}${also}${usage}`];
}
