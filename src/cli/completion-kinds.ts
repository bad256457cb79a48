/**
 * What the shell can complete besides commands and options. An argument named `<key>` or `<session>` is
 * completed by asking `talaria __complete KIND PREFIX`, which asks the function here. An answer is for a
 * person who pressed Tab: quick, short, and nothing at all rather than an error.
 */
import { redact } from "#base/redact.js";
import type { CliContext } from "./command.js";

export const CANDIDATES_MAX = 100;

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
  async session(context, prefix) {
    const [{ openReader }, { beginningWith }] = await Promise.all([
      import("#app/open-store.js"),
      import("#app/find.js"),
    ]);
    const rows = await beginningWith(openReader(context.home), prefix);
    return rows.map(({ id, title, preview }) =>
      // What was typed decides: the beginning of an id becomes the id, anything else the title.
      title === null || id.startsWith(prefix)
        ? { value: id, description: redact(title ?? preview ?? "") }
        : { value: title, description: id },
    );
  },
};
