/**
 * What the shell can complete besides commands and options. An argument named `<key>` or `<session>` is
 * completed by asking `talaria __complete KIND PREFIX`, which asks the function here. An answer is for a
 * person who pressed Tab: quick, short, and nothing at all rather than an error.
 */
import type { CliContext } from "./command.js";

export const CANDIDATES_MAX = 50;

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export type Completer = (context: CliContext, prefix: string) => Promise<readonly Candidate[]>;

/** By the argument's name. */
export const COMPLETERS: Readonly<Record<string, Completer>> = {
  async key(_context, prefix) {
    const { CONFIG_KEYS } = await import("#config/keys.js");
    return CONFIG_KEYS.filter(({ name }) => name.startsWith(prefix)).map(({ name, description }) => ({
      value: name,
      description,
    }));
  },
  // Ids and titles come from the store; until a command offers them there is nothing to complete.
  session: async () => [],
};
